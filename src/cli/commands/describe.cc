#include <fmt/format.h>

#include "cli/action.h"
#include "cli/commands.h"
#include "cli/describe_text.h"
#include "cli/output.h"
#include "cli/script_options.h"
#include "cost/layer_json.h"
#include "workload/trace.h"
#include "workload/workload.h"

namespace flyball::cli {
namespace {

struct DescribeOptions {
  std::string workload, phase = "train", rules = "exact";
  int64_t batch_size = 16;
  ScriptOptions script;
  bool json = false, all = false;
};

// One of ours: --input is the shape of a sample.
Status read_shape(const DescribeOptions& options, StepOptions& step) {
  FLYBALL_ASSIGN(const Workload* workload, find_workload(options.workload));
  if (!options.script.targets.empty() || !options.script.loss.empty())
    return Error{Code::invalid_argument,
                 fmt::format("--target and --loss say nothing to '{}'", options.workload),
                 "they are for script:FILE; Flyball's networks know their own"};
  if (options.script.inputs.empty()) return {};
  if (options.script.inputs.size() > 1)
    return Error{Code::invalid_argument, fmt::format("'{}' takes one --input", options.workload),
                 ""};
  auto tensor = parse_drawn_tensor(options.script.inputs.front(), "input");
  if (!tensor) return tensor.error().within("--input");
  if (tensor->spec.shape.rank() != workload->shape.input.rank())
    return Error{Code::invalid_argument,
                 fmt::format("--input {}: '{}' takes {}", options.script.inputs.front(),
                             options.workload, workload->shape.input.text()),
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

Status describe(const DescribeOptions& options) {
  StepOptions step;
  FLYBALL_ASSIGN(step.phase, parse_phase(options.phase));
  FLYBALL_ASSIGN(const CountRules rules, parse_count_rules(options.rules));
  step.batch_size = options.batch_size;
  FLYBALL_CHECK(script_file(options.workload).empty() ? read_shape(options, step)
                                                      : read_script(options, step));
  FLYBALL_ASSIGN(const LayerTable table, describe_step(options.workload, step, rules));
  if (options.json)
    print_json(layer_table_json(table));
  else
    fmt::print("{}", layer_table_text(table, options.all));
  return {};
}

}  // namespace

void add_describe(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "describe", "what a network computes in one minibatch, operator by operator");
  auto options = std::make_shared<DescribeOptions>();
  command
      ->add_option("workload,--workload", options->workload,
                   "network of `flyball workloads`, or script:FILE (TorchScript)")
      ->required();
  command->add_option("--phase", options->phase, "train or infer")->capture_default_str();
  command->add_option("--batch-size,--batch", options->batch_size, "samples of a minibatch")
      ->capture_default_str();
  command->add_option("--rules", options->rules, "how operators count: exact or pagoda")
      ->capture_default_str();
  add_script_options(*command, options->script);
  command->add_flag("--all", options->all, "every layer, not the largest alone");
  add_json_flag(*command, options->json);
  command->footer(
      "--input: of one sample; of our networks its shape alone, such as 3x32x32 or 384 (tokens).\n"
      "Example:\n  flyball describe resnet18 --phase infer --batch-size 1\n"
      "  flyball describe script:model.pt --input 3x224x224 --phase infer");
  set_action(*command, context, [options] { return describe(*options); });
}

}  // namespace flyball::cli
