#include <fmt/format.h>

#include "base/os/available_memory.h"
#include "boards/capacity.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/commands/describe_fits.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/script_options.h"
#include "cli/text/describe_text.h"
#include "cli/text/memory_text.h"
#include "cost/counting.h"
#include "cost/layer_json.h"
#include "cost/memory_json.h"
#include "cost/networks.h"
#include "cost/tabled_networks.h"
#include "data/batch_buffer.h"
#include "data/typed_shape.h"
#include "module/onnx.h"
#include "space/named_source.h"
#include "twin/twin.h"
#include "workload/step_memory.h"
#include "workload/trace.h"
#include "workload/workload.h"

namespace flyball::cli {
namespace {

struct DescribeOptions {
  std::string workload, phase, rules = "exact";  // phase: "" as is usual
  std::optional<int64_t> batch_size;
  ScriptOptions script;
  std::string device, root = "/";
  uint64_t memory = 0;
  OptionScope scope;
  bool json = false, all = false, measured = false, fits = false;

  int64_t samples() const { return batch_size.value_or(usual_batch_size); }
};

/// The name in our spelling: "yolo_v8n" of "YOLOv8n". What tables alone call a network ("bert") is
/// not one of ours: it stands for another in each phase.
std::string spelt(const std::string& name) {
  for (const Workload& workload : workloads())
    if (same_network(workload.name, name)) return workload.name;
  for (const KnownNetwork& network : known_networks())
    if (same_network(network.name, name)) return network.name;
  return name;
}

std::string usual_input(const std::string& network) {
  const auto workload = find_workload(network);
  return workload.ok() ? typed_shape((*workload)->shape.input) : "";
}

/// The shape of a sample: as asked, else the network's usual one.
std::string input_of(const DescribeOptions& options) {
  return options.script.inputs.empty() ? usual_input(options.workload)
                                       : options.script.inputs.front();
}

// Of a network that does not run here only what its file says can be told.
Status check_known(const DescribeOptions& options, Phase phase) {
  if (options.measured)
    return Error{
        Code::unavailable,
        fmt::format("'{}' does not run here: it is known from its file alone", options.workload),
        "leave --measured out, or give it as script:FILE (TorchScript)"};
  const auto known = network_memory(options.workload, phase, input_of(options));
  return known.ok() ? Status() : known.error();
}

// One of ours: --input is the shape of a sample.
Status read_shape(const DescribeOptions& options, StepOptions& step) {
  FLYBALL_CHECK(options.scope.check(Target::network, options.workload));
  if (options.script.inputs.size() > 1)
    return Error{Code::invalid_argument, fmt::format("'{}' takes one --input", options.workload),
                 ""};
  const auto found = find_workload(options.workload);
  if (!found.ok())
    return is_known_network(options.workload) ? check_known(options, step.phase) : found.error();
  if (options.script.inputs.empty()) return {};
  const TensorShape& usual = (*found)->shape.input;
  auto tensor = parse_drawn_tensor(options.script.inputs.front(), "input");
  if (!tensor) return tensor.error().within("--input");
  if (tensor->spec.shape.rank() != usual.rank())
    return Error{Code::invalid_argument,
                 fmt::format("--input {}: '{}' takes {}", options.script.inputs.front(),
                             options.workload, usual.text()),
                 "give the shape of one sample, such as 3x224x224, or the tokens of a row"};
  step.shape = tensor->spec.shape;
  return {};
}

Status read_script(const DescribeOptions& options, StepOptions& step) {
  FLYBALL_ASSIGN(const ScriptRequest script,
                 read_script_options(options.script, options.workload, ""));
  if (script.drawn.empty())
    return Error{Code::invalid_argument,
                 fmt::format("what '{}' takes is not known", options.workload),
                 "say it with --input, such as --input 3x224x224"};
  script.tell(step);
  for (const DrawnTensor& tensor : script.drawn) step.batch.push_back(tensor.spec);
  step.shape = step.batch.front().shape;
  step.classes = 1;
  // Without a loss of its own it is trained on cross-entropy with labels.
  if (script.loss.empty() && options.script.targets.empty())
    step.batch.push_back({"label", DType::int64, {}});
  return {};
}

/// The memory that a question is about.
struct MemoryRoom {
  double bytes = 0;                      ///< for the network and its minibatches
  std::string what;                      ///< "4.00 GB", "orin_nano"
  std::vector<std::string> sources;      ///< of the figures behind it
  std::optional<TwinBoard> simulates{};  ///< where the board is simulated
};

Result<MemoryRoom> room_of_kind(const std::string& name) {
  FLYBALL_ASSIGN(const BoardCapacity capacity, board_capacity(name));
  return MemoryRoom{capacity.left_bytes(), name, capacity.sources};
}

// What is left of what --device names: a kind of board by its bare name, or as the registry has it.
Result<MemoryRoom> room_of_device(const std::string& device, const std::string& root) {
  if (may_name_absent_board(device)) return room_of_kind(device);
  FLYBALL_ASSIGN(const auto board, open_named_board(device, root));
  if (const TwinBoard* twin = board->twin())
    return MemoryRoom{twin->capacity.left_bytes(), twin->id, twin->capacity.sources, *twin};
  // A table says which board it was measured on.
  if (!board->live()) return room_of_kind(board->info().device.name);
  if (board->info().name.kind == BoardName::Kind::cuda)
    return Error{
        Code::unavailable,
        fmt::format("how much memory of {} is left is not asked", board->info().name.text()),
        "say how much there is with --memory 24GB, or name a kind of GPU: twin:rtx3090"};
  FLYBALL_ASSIGN(const std::filesystem::path place, root_folder(root));
  const auto left = available_memory(place);
  if (!left)
    return Error{Code::unavailable, "this kernel does not tell how much memory is left",
                 "say how much there is with --memory 4GB"};
  return MemoryRoom{static_cast<double>(*left), "this machine", {}};
}

// --memory, else what is left of the named board.
Result<std::optional<MemoryRoom>> room_for(const DescribeOptions& options) {
  if (options.memory > 0) {
    const auto bytes = static_cast<double>(options.memory);
    const std::string what =
        bytes < 1e9 ? number(bytes * 1e-6) + " MB" : fmt::format("{:.2f} GB", bytes * 1e-9);
    return std::optional(MemoryRoom{bytes, what, {}});
  }
  if (options.device.empty()) return std::optional<MemoryRoom>();
  FLYBALL_ASSIGN(MemoryRoom room, room_of_device(options.device, options.root));
  return std::optional(std::move(room));
}

std::string simulated_input(const std::string& network, Phase phase) {
  const std::string input = tabled_network(network, phase).input;
  return input.empty() ? usual_input(network) : input;
}

/// What is known of a network of ours; another input, a script, or --measured: counted in a step.
Result<LayerTable> layers_of(const DescribeOptions& options, const StepOptions& step,
                             CountRules rules) {
  const std::string& name = options.workload;
  if (!options.measured)
    if (auto known = network_layers(name, step.phase, static_cast<double>(options.samples()),
                                    input_of(options), rules)) {
      known->workload = name;
      return *std::move(known);
    }
  return describe_step(name, step, rules);
}

Result<NetworkMemory> memory_of(const DescribeOptions& options, const StepOptions& step) {
  if (!options.measured)
    if (auto known = network_memory(options.workload, step.phase, input_of(options))) return known;
  StepOptions small = step;
  small.batch_size = 1;
  std::optional<size_t> minibatch;
  // What a minibatch holds is the network's to say.
  const BatchMaker batches = [&minibatch, drawn = drawn_batches()](
                                 const Stepper& stepper, int64_t samples) -> Result<BatchView> {
    FLYBALL_ASSIGN(const BatchView batch, drawn(stepper, samples));
    size_t bytes = 0;
    for (const TensorView& tensor : batch.tensors)
      bytes += static_cast<size_t>(tensor.shape.elements()) * dtype_bytes(tensor.dtype);
    minibatch = bytes / static_cast<size_t>(samples);
    return batch;
  };
  FLYBALL_ASSIGN(MemoryModel model, measure_memory(options.workload, small, batches));
  return NetworkMemory{std::move(model), static_cast<double>(minibatch.value_or(0))};
}

/// Of a process of Flyball's; on a simulated board of the program that is simulated there.
MemoryVerdict verdict_of(const DescribeOptions& options, const NetworkMemory& network, Phase phase,
                         MemoryRoom room) {
  const auto samples = static_cast<double>(options.samples());
  MemoryVerdict verdict{network.need(samples, room.bytes), std::move(room.what),
                        "a process of Flyball's", std::move(room.sources)};
  auto workload = known_twin_workload(options.workload, phase);
  if (!room.simulates || !workload || input_of(options) != simulated_input(options.workload, phase))
    return verdict;
  keep_requests_at_hand(*workload, {});  // as `tune` does
  const auto twin = Twin::make(*room.simulates, *workload);
  if (!twin) return verdict;
  verdict.need = twin->memory({.mode = {}, .batch_size = samples});
  verdict.who = "a Python program";
  if (!workload->data.resident)
    verdict.who += fmt::format(" with {:g} loader workers", workload->loader_workers);
  return verdict;
}

Status check_onnx(const DescribeOptions& options, Phase phase, CountRules rules) {
  if (phase == Phase::train && rules == CountRules::exact)
    return Error{Code::invalid_argument, "an ONNX file holds the forward pass alone",
                 "describe it with --phase infer, or the training of script:FILE (TorchScript)"};
  return options.scope.check(Target::onnx, options.workload);
}

// A file as it is read: nothing runs, and memory is not measured.
Status describe_onnx(const DescribeOptions& options) {
  FLYBALL_ASSIGN(const Phase phase, parse_phase(options.phase.empty() ? "infer" : options.phase));
  FLYBALL_ASSIGN(const CountRules rules, parse_count_rules(options.rules));
  FLYBALL_CHECK(check_onnx(options, phase, rules));
  OnnxOptions asked;
  if (options.batch_size) asked.batch_size = *options.batch_size;
  for (const std::string& input : options.script.inputs) {
    auto tensor = parse_drawn_tensor(input, "input");
    if (!tensor) return tensor.error().within("--input");
    asked.samples.emplace_back(tensor->spec.shape.begin(), tensor->spec.shape.end());
  }
  // By `pagoda` one sample is what is counted.
  const std::string file = read_source(options.workload).name;
  if (rules == CountRules::pagoda) asked.batch_size = 1;
  FLYBALL_ASSIGN(const OnnxNetwork network, read_onnx(file, asked));
  LayerTable table{options.workload, phase, static_cast<double>(network.batch_size), rules, {}};
  if (rules == CountRules::pagoda) {
    table.batch_size = static_cast<double>(options.batch_size.value_or(1));
    table.layers = count_pagoda(network.graph, phase, table.batch_size);
  } else {
    table.layers = count_exact(network.graph);
  }
  if (options.json) {
    print_json(layer_table_json(table));
    return {};
  }
  fmt::print("{}", layer_table_text(table, options.all, ""));
  return {};
}

/// On a simulated board a network has the input that it is simulated with.
void take_simulated_input(DescribeOptions& options) {
  const std::string input = tabled_network(options.workload, Phase::train).input;
  if (!options.device.starts_with("twin:") || !options.script.inputs.empty() || input.empty() ||
      !is_known_network(options.workload))
    return;
  options.script.inputs = {input};
  fmt::print(stderr, "flyball: note: {} is simulated with an input of {}: so it is described\n",
             options.workload, input);
}

Status fits(const DescribeOptions& options) {
  FLYBALL_ASSIGN(const Phase phase, parse_phase(options.phase.empty() ? "train" : options.phase));
  return describe_fits({spelt(options.workload), phase, options.batch_size, options.json});
}

// "3×224×224", "128 tokens": what one sample is that the figures are of.
std::string sample_text(const DescribeOptions& options, const StepOptions& step) {
  const bool script = read_source(options.workload).kind == NamedSource::Kind::script;
  if (script) return step.shape.text();
  std::string text;
  for (const char c : input_of(options)) text += c == 'x' ? "×" : std::string(1, c);
  return text.empty() || text.find("×") != std::string::npos ? text : text + " tokens";
}

// The answer is no where a batch size that was named does not fit, or no batch size does.
bool does_not_fit(const DescribeOptions& options, const MemoryAnswer& memory) {
  if (!memory.verdict) return false;
  const MemoryNeed& need = memory.verdict->need;
  return need.largest_batch == 0 || (options.batch_size && !need.fits());
}

Status describe_target(DescribeOptions options, Context& context) {
  if (options.fits) return fits(options);
  if (options.workload.empty())
    return Error{Code::invalid_argument, "describe needs a network",
                 "name one of `flyball workloads`, or ask about all of them with --fits"};
  const NamedSource::Kind kind = read_source(options.workload).kind;
  if (kind == NamedSource::Kind::onnx) return describe_onnx(options);
  StepOptions step;
  FLYBALL_ASSIGN(step.phase, parse_phase(options.phase.empty() ? "train" : options.phase));
  if (kind == NamedSource::Kind::network) {
    options.workload = spelt(options.workload);
    take_simulated_input(options);
  }
  FLYBALL_ASSIGN(const CountRules rules, parse_count_rules(options.rules));
  step.batch_size = options.samples();
  FLYBALL_CHECK(kind == NamedSource::Kind::script ? read_script(options, step)
                                                  : read_shape(options, step));
  FLYBALL_ASSIGN(auto room, room_for(options));
  FLYBALL_ASSIGN(const LayerTable table, layers_of(options, step, rules));
  FLYBALL_ASSIGN(NetworkMemory network, memory_of(options, step));
  MemoryAnswer memory{std::move(network), static_cast<double>(options.samples())};
  if (room) memory.verdict = verdict_of(options, memory.network, step.phase, *std::move(room));
  if (does_not_fit(options, memory)) context.exit_code = 1;
  if (options.json) {
    auto document = layer_table_json(table);
    add_memory_json(document, memory);
    if (options.measured) document["memory"]["steps"] = memory_model_json(memory.network.model);
    print_json(document);
    return {};
  }
  fmt::print("{}\n{}", layer_table_text(table, options.all, sample_text(options, step)),
             memory_text(memory));
  return {};
}

}  // namespace

void add_describe(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "describe", "Tell what a network computes in one minibatch, operator by operator");
  auto options = std::make_shared<DescribeOptions>();
  command->add_option(
      "workload,--workload", options->workload,
      "Network of `flyball workloads` or of --fits, script:FILE (TorchScript) or onnx:FILE");
  takes_one_of(command->add_option(
                   "--phase", options->phase,
                   "Phase; default: train, of onnx:FILE, which holds no backward pass, infer"),
               {"train", "infer"});
  command
      ->add_option("--batch-size", options->batch_size,
                   "Samples of a minibatch; default of onnx:FILE: what the file says")
      ->check(CLI::Range(1, 65536))
      ->default_str(std::to_string(usual_batch_size));
  CLI::Option* rules =
      takes_one_of(command->add_option("--rules", options->rules, "How operators count"),
                   {"exact", "pagoda"})
          ->capture_default_str();
  CLI::Option* memory = add_size(
      *command, "--memory", [options = options.get()](uint64_t bytes) { options->memory = bytes; },
      "Say whether it fits into so much memory, and which is the largest batch that does");
  CLI::Option* device = add_device_option(
      *command, options->device,
      {.refused = {"cuda"},
       .otherwise = "or a kind of board by name, such as orin_nano: the same for it",
       .may_be_absent = true});
  add_root_option(*command, options->root);
  add_board_name(*command);
  CLI::Option* root = command->get_option("--root");
  options->scope.exclude(
      {Target::onnx}, {memory, device},
      {.remedy = "memory is measured in a step: give script:FILE (TorchScript)"});
  const AddedOptions script = add_script_options(*command, options->script);
  options->scope.exclude({Target::network, Target::onnx}, {script.begin() + 1, script.end()},
                         {.remedy = only_scripts});
  CLI::Option* all =
      command->add_flag("--all", options->all, "Show every layer, not the largest alone");
  CLI::Option* measured = command->add_flag(
      "--measured", options->measured,
      "Run the steps here instead of telling what is known; --json has every block of memory");
  options->scope.exclude({Target::onnx}, {measured}, {.remedy = "an ONNX file is read, not run"});
  CLI::Option* fits = command->add_flag("--fits", options->fits,
                                        "Show which board has the memory for which network");
  for (CLI::Option* other : {memory, device, measured, rules, root, all}) fits->excludes(other);
  for (CLI::Option* other : script) fits->excludes(other);
  memory->excludes(device);
  add_json_flag(*command, options->json);
  command->footer(
      "--input: of one sample; of our networks its shape alone, such as 3x32x32 or 384 (tokens).\n"
      "Example:\n  flyball describe resnet18 --phase infer --batch-size 1\n"
      "  flyball describe script:model.pt --input 3x224x224 --phase infer\n"
      "  flyball describe onnx:model.onnx --rules pagoda --json");
  set_action(*command, context, [options, &context] { return describe_target(*options, context); });
}

}  // namespace flyball::cli
