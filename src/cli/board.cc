#include "cli/board.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <set>

#include "base/os/interrupt.h"
#include "base/text.h"
#include "boards/spec.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/quantities.h"
#include "cli/report_left.h"
#include "cli/tables.h"
#include "data/makers/default_set.h"
#include "data/makers/make.h"
#include "device/power_meter.h"
#include "device/registry/board.h"
#include "module/module.h"
#include "profile/trials/chosen_modes.h"
#include "profile/trials/live_profiler.h"
#include "profile/trials/program_profiler.h"
#include "profile/trials/twin_profiler.h"
#include "space/axis_choice.h"
#include "space/board_fingerprint.h"
#include "space/named_source.h"
#include "workload/stepper.h"
#include "workload/workload.h"

namespace flyball::cli {
namespace {

bool board_is_named = false;  // by --board, whose value is this process's FLYBALL_BOARD

bool stands_for_a_machine(const std::filesystem::path& root) {
  std::error_code unknown;
  return std::filesystem::is_directory(root / "proc", unknown) ||
         std::filesystem::is_directory(root / "sys", unknown);
}

// A table with one workload needs no name for it.
Result<const WorkloadTable*> workload_of(const Table& table, const ProfilerOptions& options) {
  std::optional<Phase> phase;
  if (!options.phase.empty()) {
    FLYBALL_ASSIGN(phase, parse_phase(options.phase));
  }
  if (!options.workload.empty()) return table.find(options.workload, phase);
  return table.only(phase);
}

Result<OpenedProfiler> open_table(const Board& board, const ProfilerOptions& options,
                                  const ModeChoice& modes) {
  FLYBALL_CHECK(options.scope.check(Target::table));
  FLYBALL_ASSIGN(const WorkloadTable* found, workload_of(*board.table(), options));
  FLYBALL_ASSIGN(auto choices, parse_axis_choices(options.axes.texts));
  FLYBALL_ASSIGN(WorkloadTable table, measured_part(*found, board.table()->name, options.accepted));
  choices = as_far_as_there(std::move(choices), options.axes.of_files, table);
  FLYBALL_ASSIGN(TableTrials trials, table_trials(std::move(table), choices, modes));
  OpenedProfiler opened;
  opened.table = std::move(trials.table);
  opened.profiler = std::move(trials.profiler);
  return opened;
}

// By knobs that are closed again: whoever measures opens them once nobody else does, whose settings
// would pass for the board's.
Result<std::vector<Axis>> open_axes(const Board& board, const std::vector<std::string>& texts,
                                    OtherAxes others) {
  FLYBALL_ASSIGN(const auto choices, parse_axis_choices(texts));
  FLYBALL_ASSIGN(const auto device, board.knobs());
  return opened_axes(choices, device->axes(), others);
}

Result<OpenedProfiler> open_program(const Board& board, const ProfilerOptions& options) {
  FLYBALL_CHECK(check_alone(options.workload));
  FLYBALL_CHECK(options.scope.check(Target::program));
  ProgramTrialOptions trial;
  FLYBALL_CHECK(board.check_runs_programs());
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  FLYBALL_ASSIGN(trial.environment, gpu_environment(board.info().name, root));
  trial.argv = options.program;
  trial.presets = board.presets();
  trial.stopping.max_seconds = options.trial_cap_s();
  trial.stopping.min_seconds = std::min(1.0, options.trial_cap_s());
  if (options.trial_seconds) trial.whole_run_limit_s = *options.trial_seconds;
  trial.interrupted = &interrupt_flag();
  trial.wanted_figures = options.wanted_figures;
  FLYBALL_ASSIGN(trial.open, open_axes(board, options.axes.texts, OtherAxes::program));
  OpenedProfiler opened;
  if (!options.dry_run) {
    FLYBALL_ASSIGN(opened.measuring, begin_measuring(options.measuring, Unseen::told_by_result));
  }
  FLYBALL_ASSIGN(auto device, board.knobs(report_left));
  FLYBALL_ASSIGN(opened.profiler, make_program_profiler(std::move(device), board.power(), trial));
  return opened;
}

// A dry run does with a few samples, which go with it, where the usual set was not drawn yet.
Result<std::filesystem::path> data_of(const ProfilerOptions& options, OpenedProfiler& opened) {
  const auto known = find_workload(options.workload);
  std::error_code ignored;
  if (!options.dry_run || !options.data.empty() || !known ||
      std::filesystem::exists(default_dataset_folder((*known)->dataset), ignored))
    return dataset_folder(options.workload, options.data, options.quiet);
  constexpr int64_t few_samples = 64;
  FLYBALL_ASSIGN(TempFolder folder, TempFolder::make());
  opened.drawn = std::make_shared<TempFolder>(std::move(folder));
  const std::filesystem::path data = opened.drawn->path() / "data";
  FLYBALL_CHECK(make_dataset((*known)->dataset, few_samples, data));
  return data;
}

Result<OpenedProfiler> open_live(const Board& board, const ProfilerOptions& options) {
  const NamedSource source = read_source(options.workload);
  if (source.kind == NamedSource::Kind::network || source.is_table())
    FLYBALL_CHECK(find_workload(options.workload));  // before the board is asked for anything
  if (source.kind == NamedSource::Kind::network)
    FLYBALL_CHECK(options.scope.check(Target::network, options.workload));
  LiveOptions live;
  FLYBALL_ASSIGN(live.script, read_script_options(options.script, options.workload, options.data));
  live.workload = options.workload;
  live.seed = options.seed;
  live.cache_bytes = options.cache_bytes;
  live.memory_check = !options.memory.no_check;
  live.runs_nothing = options.dry_run;
  live.memory = options.memory.bytes;
  live.stopping.max_seconds = options.trial_cap_s();
  live.stopping.min_seconds = std::min(1.0, options.trial_cap_s());
  live.interrupted = &interrupt_flag();
  live.board = computing_board(board.info());
  live.presets = board.presets();
  if (!options.phase.empty()) {
    FLYBALL_ASSIGN(live.phase, parse_phase(options.phase));
  }
  live.step.phase = live.phase;
  FLYBALL_CHECK(read_training_options(options.training, options.workload, live.step));
  live.image_size = options.training.image_size;
  FLYBALL_ASSIGN(live.open, open_axes(board, options.axes.texts, OtherAxes::none));
  FLYBALL_CHECK(check_device(live.board.compute));
  auto power = board.power();
  if (options.needs_power) FLYBALL_CHECK(check_power(power->gap()));
  OpenedProfiler opened;
  if (!options.dry_run) {
    FLYBALL_ASSIGN(opened.measuring, begin_measuring(options.measuring, Unseen::told_by_result));
  }
  if (live.script.drawn.empty()) {
    FLYBALL_ASSIGN(live.data, data_of(options, opened));
  }
  FLYBALL_ASSIGN(auto device, board.knobs(report_left));
  FLYBALL_ASSIGN(opened.profiler, make_live_profiler(std::move(device), std::move(power), live));
  return opened;
}

Result<OpenedProfiler> open_twin(const Board& board, const ProfilerOptions& options) {
  FLYBALL_CHECK(options.scope.check(Target::twin));
  TwinTrialOptions twin;
  twin.seed = options.seed;
  twin.accepted = options.accepted;
  twin.batch_fixed = options.batch_fixed;
  twin.memory = options.memory.bytes;
  twin.memory_check = !options.memory.no_check;
  Phase phase = Phase::train;
  if (!options.phase.empty()) {
    FLYBALL_ASSIGN(phase, parse_phase(options.phase));
  }
  FLYBALL_ASSIGN(TwinWorkload workload, known_twin_workload(options.workload, phase));
  FLYBALL_ASSIGN(twin.open, open_axes(board, options.axes.texts, OtherAxes::none));
  OpenedProfiler opened;
  FLYBALL_ASSIGN(opened.profiler, make_twin_profiler(board, std::move(workload), twin));
  return opened;
}

}  // namespace

void add_profiler_options(CLI::App& command, ProfilerOptions& options) {
  command.add_option("workload,--workload", options.workload,
                     "Network, script:FILE (TorchScript), or a workload of the table");
  add_device_option(command, options.device, options.root);
  OptionScope& scope = options.scope;
  scope.exclude(
      {Target::program},
      {takes_one_of(command.add_option("--phase", options.phase, "Phase"), {"train", "infer"})});
  scope.exclude({Target::program, Target::table, Target::twin},
                {add_data_option(command, options.data)});
  add_script_options(command, options.script, scope);
  scope.exclude({Target::program, Target::table, Target::twin},
                add_training_options(command, options.training));
  scope.exclude(
      {Target::program, Target::table, Target::twin},
      {add_size(
          command, "--cache", [&options](uint64_t bytes) { options.cache_bytes = bytes; },
          "Memory for samples of live trials, drawn before the first trial, never evicted")});
  scope.exclude({Target::program, Target::table}, add_memory_options(command, options.memory));
  add_axis_option(command, options.axes);
  add_modes_option(command, options.modes);
  add_accept_option(command, options.accepted);
  scope.exclude({Target::table, Target::twin}, {add_trial_time(command, options.trial_seconds)});
  add_measuring_options(command, options.measuring);
  scope.exclude({Target::program, Target::known}, {add_seed(command, options.seed)},
                {.unless = [&options] { return draws_modes(options.modes); }});
  add_quiet(command, options.quiet);
}

bool draws_modes(const std::string& modes) {
  return modes != "all" && modes != "paper";
}

void add_modes_option(CLI::App& command, std::string& modes) {
  CLI::Option* option =
      offers(command.add_option("--modes", modes,
                                "Power modes to choose from: all, paper (the papers' grid, as near "
                                "as the board lists it), or how many to draw by --seed"),
             {"all", "paper"})
          ->capture_default_str();
  checked_in_files(option, [](const std::string& text) -> Status {
    FLYBALL_CHECK(parse_mode_choice(text, 0));
    return {};
  });
}

namespace {

// One that is typed comes in place of what a file has of it.
void take_axis(AskedAxes& axes, const CLI::Option& option, const std::string& text) {
  const std::string axis = text.substr(0, text.find('='));
  if (takes_default(option))
    axes.of_files.insert(axis);
  else if (axes.of_files.erase(axis) > 0)
    std::erase_if(axes.texts,
                  [&](const std::string& other) { return other.starts_with(axis + "="); });
  axes.texts.push_back(text);
}

// Is there such a kind of board, and such a simulated one?
Status check_board_name(const std::string& text) {
  FLYBALL_ASSIGN(const BoardName name, parse_board(text));
  if (name.kind == BoardName::Kind::twin) FLYBALL_CHECK(open_board(text));
  return {};
}

Status check_axis(const std::string& text) {
  FLYBALL_CHECK(parse_axis_choice(text));
  return {};
}

}  // namespace

void add_axis_option(CLI::App& command, AskedAxes& axes) {
  const auto take = [&axes, &command](const std::string& option, const std::string& text) {
    take_axis(axes, *command.get_option(option), text);
  };
  CLI::Option* option = command.add_option_function<std::vector<std::string>>(
      "--axis",
      [take](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) take("--axis", text);
      },
      "Open or narrow an axis: batch_size=8,16,32 or gpu_mhz=600..1300");
  option->allow_extra_args(false);  // what stands behind it is the workload
  checked_in_files(option, check_axis);
  for (const auto& [name, axis] :
       {std::pair{"--batch-size", axis::batch_size}, std::pair{"--workers", axis::loader_workers}})
    checked_in_files(
        command
            .add_option_function<std::string>(
                name,
                [take, option = std::string(name), of = std::string(axis)](
                    const std::string& values) { take(option, fmt::format("{}={}", of, values)); },
                fmt::format("One value, or several to choose from (8,16,32): the axis {}", axis))
            ->option_text("LIST"),
        [of = std::string(axis)](const std::string& values) {
          return check_axis(fmt::format("{}={}", of, values));
        });
}

Status check_alone(const std::string& workload) {
  if (workload.empty()) return {};
  return Error{Code::invalid_argument,
               fmt::format("'{}' and a program after -- are two things to run", workload),
               "name one of them"};
}

Result<std::filesystem::path> dataset_folder(const std::string& workload, const std::string& named,
                                             bool quiet) {
  if (!named.empty()) return std::filesystem::path(named);
  if (!script_file(workload).empty())
    return Error{Code::invalid_argument, fmt::format("{} needs a dataset", workload),
                 "name its folder with --data, or what its forward takes with --input"};
  FLYBALL_ASSIGN(const Workload* known, find_workload(workload));
  if (const auto module = check_module(); !module) return module.error();  // nothing is drawn then
  return default_dataset(known->dataset, [quiet](const std::string& what) {
    if (!quiet) fmt::print(stderr, "drawing {}\n", what);
  });
}

CLI::Option* add_device_option(CLI::App& command, std::string& device, const DeviceHelp& help) {
  std::vector<std::string> kinds;
  for (const BoardKind& kind : board_kinds())
    if (std::ranges::find(help.refused, kind.name) == help.refused.end())
      kinds.push_back(kind.usage());
  const std::string more = help.otherwise.empty() ? "" : "; " + help.otherwise;
  std::vector<std::string> words;  // without what a user fills in
  for (const std::string& kind : kinds) words.push_back(kind.substr(0, kind.find_first_of(":[")));
  std::ranges::transform(words, words.begin(), [](const std::string& word) {
    return word == "table" || word == "twin" ? word + ":" : word;
  });
  CLI::Option* option =
      offers(command.add_option("--device", device, "Board: " + join(kinds, ", ") + more), words);
  return checked_in_files(option, [absent = help.may_be_absent](const std::string& text) {
    return absent && may_name_absent_board(text) ? Status() : check_board_name(text);
  });
}

void add_device_option(CLI::App& command, std::string& device, std::string& root,
                       const DeviceHelp& help) {
  add_device_option(command, device, help);
  add_root_option(command, root);
  add_board_name(command);
}

void add_board_filter(CLI::App& command, std::string& board) {
  command.add_option("--board", board, "Only of the board of this name, such as orin_agx")
      ->option_text("NAME");
}

void add_root_option(CLI::App& command, std::string& root) {
  command.add_option("--root", root, "Folder that stands for / in what is read and set of a board")
      ->capture_default_str();
}

void add_board_name(CLI::App& command) {
  // What this command starts is on the same board.
  command
      .add_option_function<std::string>(
          "--board",
          [](const std::string& id) {
            ::setenv("FLYBALL_BOARD", id.c_str(), 1);
            board_is_named = true;
          },
          "Name of this board, such as orin_agx, where a container hides its device tree")
      ->check(CLI::Validator(
          [](const std::string& id) {
            return find_board_spec(id) ? ""
                                       : fmt::format("'{}' is no board that is known; {}", id,
                                                     name_hint(id, board_ids()));
          },
          "NAME"))
      ->option_text("NAME");
}

Result<std::filesystem::path> root_folder(const std::string& root) {
  constexpr const char* what_it_is = "name the folder that holds proc, sys and etc of the board";
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::canonical(root, problem);
  if (problem || !std::filesystem::is_directory(folder, problem))
    return Error{Code::not_found, fmt::format("--root: there is no folder '{}'", root), what_it_is};
  if (stands_for_a_machine(folder)) return folder;
  const std::filesystem::path tree = std::filesystem::path(root) / "tree";
  return Error{Code::not_found,
               fmt::format("--root: '{}' holds neither proc nor sys of a machine", root),
               stands_for_a_machine(tree)
                   ? fmt::format("it is a bundle of verify-board, whose files are in --root {}",
                                 tree.string())
                   : what_it_is};
}

Status check_machine_options(const std::string& device, const std::string& root) {
  const char* const option = root != "/" ? "--root" : board_is_named ? "--board" : nullptr;
  const auto name = parse_board(device);
  if (!option || !name) return {};
  if (name->kind != BoardName::Kind::twin && name->kind != BoardName::Kind::table) return {};
  return Error{Code::invalid_argument,
               fmt::format("{} is of this machine, and {} is {}", option, name->text(),
                           name->kind == BoardName::Kind::twin ? "simulated" : "a table"),
               fmt::format("leave {} or --device out", option)};
}

Result<std::unique_ptr<Board>> open_named_board(const std::string& device,
                                                const std::string& root) {
  FLYBALL_CHECK(check_machine_options(device, root));
  FLYBALL_ASSIGN(const std::filesystem::path folder, root_folder(root));
  return open_board(device, folder);
}

std::string compute_place(const BoardInfo& board) {
  if (!board.may_compute_on_gpu) return board.compute;
  const Status gpu = check_device("cuda:0");
  if (gpu.ok()) return "cuda:0";
  fmt::print(stderr, "flyball: ATTENTION: the network runs on the CPU, not on the GPU of {}: {}\n",
             board.device.title, gpu.error().message);
  return board.compute;
}

BoardInfo computing_board(const BoardInfo& board) {
  BoardInfo found = board;
  found.compute = compute_place(board);
  if (board.may_compute_on_gpu)
    found.device.fingerprint = BoardFingerprint{found.device.fingerprint, found.compute}.text();
  return found;
}

Result<OpenedProfiler> open_profiler(const ProfilerOptions& options) {
  FLYBALL_ASSIGN(const ModeChoice choice, parse_mode_choice(options.modes, options.seed));
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  const bool program = !options.program.empty();
  if (!board->live() && !program) return open_table(*board, options, choice);
  if (options.workload.empty() && !program)
    return Error{Code::invalid_argument, "there is no workload to run",
                 "name one of `flyball workloads`, or a program after --"};
  FLYBALL_ASSIGN(OpenedProfiler opened, program         ? open_program(*board, options)
                                        : board->twin() ? open_twin(*board, options)
                                                        : open_live(*board, options));
  FLYBALL_ASSIGN(opened.profiler, with_modes(std::move(opened.profiler), choice));
  return opened;
}

}  // namespace flyball::cli
