#include "cli/commands/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/json.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/dry_run.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/stored.h"
#include "cli/trace_files.h"
#include "experiment/container_runs.h"
#include "experiment/plug.h"
#include "experiment/runtime_differences.h"
#include "experiment/summary.h"
#include "experiment/twin_runner.h"
#include "report/page.h"
#include "space/compute_place.h"
#include "tune/board_costs.h"
#include "workload/stepper.h"

namespace flyball::cli {
namespace {

Error not_on(const std::string& device, const std::string& hint) {
  return {Code::invalid_argument, fmt::format("an experiment cannot run on {}", device), hint};
}

}  // namespace

Result<ExperimentOptions> experiment_options(const std::string& root, const std::string& out,
                                             const Context& context) {
  ExperimentOptions experiment;
  FLYBALL_ASSIGN(experiment.root, root_folder(root));
  experiment.out = out;
  experiment.command = context.command;
  experiment.note = [](const std::string& text) {
    fmt::print(stderr, "flyball: note: {}\n", text);
  };
  return experiment;
}

Result<BoardInfo> experiment_place(const Board& board, const std::string& device, bool runs) {
  if (!board.live())
    return not_on(device,
                  "leave --device out to run it here, or name a simulated board: twin:BOARD");
  BoardInfo info = board.info();
  if (!runs) {
    if (info.may_compute_on_gpu && check_device("cuda:0").ok()) info.compute = "cuda:0";
    return info;
  }
  info.compute = compute_place(info);
  FLYBALL_CHECK(check_device(info.compute));
  return info;
}

namespace {

struct ExperimentArguments {
  std::string file, out = "out/experiments", data, report, root = "/", device;
  TraceFiles files;
  MeasuringOptions measuring;
  StoreArguments store;
  OptionScope scope;
  double scale = 1;
  bool scale_typed = false;
  bool fresh = false, dry_run = false, json = false, quiet = false;
};

Result<ExperimentOptions> experiment_options(const ExperimentArguments& options,
                                             const Context& context) {
  FLYBALL_ASSIGN(ExperimentOptions experiment,
                 experiment_options(options.root, options.out, context));
  experiment.data = options.data;
  experiment.fresh = options.fresh;
  return experiment;
}

void print_groups(const std::vector<Group>& groups) {
  std::vector<std::string> heads = {"setting",    "epoch",    "E2E s",    "stall s", "compute s",
                                    "overhead s", "ms/batch", "cached %", "read MB", "energy J"};
  const bool cache =
      std::ranges::any_of(groups, [](const Group& group) { return group.settings.cache_pct > 0; });
  if (cache) heads.insert(heads.end(), {"files MB", "own cache MB"});
  const bool gpu = std::ranges::any_of(groups, [](const Group& group) {
    return group.steady().gpu_load_pct || group.steady().gpu_mhz;
  });
  const bool base = std::ranges::any_of(
      groups, [](const Group& group) { return group.steady().base_pct().has_value(); });
  if (base) heads.emplace_back("base load %");
  if (gpu) heads.insert(heads.end(), {"GPU %", "GPU MHz"});
  heads.emplace_back("doubts");
  TextTable table(heads);
  for (const Group& group : groups) {
    const std::string doubts = group.doubts();
    const auto row = [&](const char* which, const EpochAverage& a) {
      std::vector<std::string> cells = {group.label,
                                        which,
                                        number(a.e2e_s),
                                        number(a.stall_s),
                                        number(a.compute_s),
                                        number(a.overhead_s),
                                        number(a.minibatch_ms),
                                        or_dash(a.cached, 3, 100),
                                        or_dash(a.read_bytes, 3, 1e-6),
                                        or_dash(a.energy_j)};
      if (cache)
        cells.insert(cells.end(),
                     {or_dash(a.file_bytes, 3, 1e-6), or_dash(a.cache_bytes, 3, 1e-6)});
      if (base) cells.push_back(or_dash(a.base_pct()));
      if (gpu) cells.insert(cells.end(), {or_dash(a.gpu_load_pct), or_dash(a.gpu_mhz)});
      cells.push_back(or_dash(doubts));
      table.add(std::move(cells));
    };
    row("0", group.first);
    if (group.later) row("1+", *group.later);
  }
  fmt::print("{}", table.str());
}

// Of a figure beside that of bare, in percent, with half of its 90 % interval.
std::string difference_cell(const RuntimeDifference& one, const char* figure) {
  const auto found = std::ranges::find(one.figures, figure, &FigureDifference::figure);
  if (found == one.figures.end()) return "-";
  const RelativeDifference& d = found->difference;
  const std::string half = std::isnan(d.low) ? "" : fmt::format(" ± {:.1f}", 50 * (d.high - d.low));
  return fmt::format("{:+.1f}{}", 100 * (d.ratio - 1), half);
}

void print_runtimes(const std::vector<RuntimeDifference>& differences) {
  if (differences.empty()) return;
  const std::vector<std::pair<const char*, const char*>> figures = {
      {"minibatch_ms", "ms/batch"},    {"minibatch_p50_ms", "p50"}, {"minibatch_p95_ms", "p95"},
      {"stall_ms", "stall"},           {"compute_ms", "compute"},   {"cpu_pct", "CPU"},
      {"peak_memory_bytes", "memory"}, {"gpu_load_pct", "GPU"},     {"energy_j", "energy"}};
  std::vector<std::string> heads = {"% beside bare"};
  for (const auto& [figure, head] : figures) heads.emplace_back(head);
  heads.insert(heads.end(), {"start ms", "bare"});
  TextTable table(heads);
  for (const RuntimeDifference& one : differences) {
    std::vector<std::string> cells = {one.runtime + (one.others.empty() ? "" : ", " + one.others)};
    for (const auto& [figure, head] : figures) cells.push_back(difference_cell(one, figure));
    cells.insert(cells.end(), {or_dash(one.start_ms), or_dash(one.bare_start_ms)});
    table.add(std::move(cells));
  }
  fmt::print("\n{}", table.str());
}

void print_text(const ExperimentResult& result, const std::string& report) {
  const auto groups = groups_of(result);
  const std::string where = cuda_number(result.compute) ? ", networks on " + result.compute : "";
  fmt::print("{}\non {}{}\n\n", result.spec.title, result.device, where);
  print_groups(groups);
  print_runtimes(runtime_differences(result.spec, groups));
  fmt::print("\n");
  for (const Finding& finding : findings_of(result, groups)) fmt::print("- {}\n", finding.text);
  for (const std::string& gap : gaps_of(result)) fmt::print("- gap: {}\n", gap);
  for (const std::string& doubt : doubts_of(result)) fmt::print("- doubt: {}\n", doubt);
  fmt::print("\nreport: {}\n", report);
}

Status join_plug_log(const ExperimentArguments& options, ExperimentResult& result) {
  FLYBALL_ASSIGN(const std::optional<Trace> log, options.files.plug_log());
  return log ? join_plug(result, *log) : Status();
}

Status show(const ExperimentArguments& options, ExperimentResult result, Context& context) {
  // The figures are in the store: a log that fails is said, and the rest is shown.
  const Status joined = join_plug_log(options, result);
  if (!joined.ok()) context.exit_code = report_error(joined.error());
  const std::string report =
      options.report.empty()
          ? (std::filesystem::path(options.out) / result.spec.name / "report.html").string()
          : options.report;
  const Json answer = experiment_json(result);
  FLYBALL_CHECK(
      write_file(report, fill_page(page_document("experiment", context.command, answer))));
  if (options.json)
    print_json(answer);
  else
    print_text(result, report);
  return {};
}

Result<ExperimentSpec> spec_of(const ExperimentArguments& options) {
  FLYBALL_ASSIGN(const ExperimentSpec spec, read_experiment(options.file));
  if (options.scale == 1) return spec;
  if (!options.data.empty() || !spec.data.empty() || spec.dataset.kind.empty()) {
    if (!options.scale_typed) return spec;
    return Error{Code::invalid_argument, "--scale is for a dataset that the experiment makes",
                 "leave it out: a dataset of one's own has the size that it has"};
  }
  return spec.scaled(options.scale);
}

// On a simulated board. What was measured on this machine is left alone.
Status simulate(const ExperimentArguments& options, const Board& board, Context& context) {
  FLYBALL_CHECK(options.scope.check(Target::twin));
  FLYBALL_ASSIGN(const ExperimentSpec spec, spec_of(options));
  FLYBALL_ASSIGN(ExperimentOptions experiment, experiment_options(options, context));
  experiment.interrupted = &interrupt_flag();
  FLYBALL_ASSIGN(ExperimentResult result, simulate_experiment(spec, experiment, board));
  ExperimentArguments own = options;
  if (own.report.empty())
    own.report =
        (std::filesystem::path(options.out) / spec.name / (board.info().device.name + "_twin.html"))
            .string();
  return show(own, std::move(result), context);
}

// The costs of a run by those that the store holds.
void add_costs(const std::vector<RunFigures>& held, size_t left, DryRun& dry) {
  std::vector<double> seconds, joules;
  for (const RunFigures& run : held) {
    double run_s = 0, run_j = 0;
    for (const EpochFigures& epoch : run.epochs) {
      run_s += epoch.e2e_s;
      run_j += epoch.energy_j.value_or(std::nan(""));
    }
    seconds.push_back(run_s);
    if (!std::isnan(run_j)) joules.push_back(run_j);
  }
  dry.seconds = cost_ahead(seconds, left, "runs", "s");
  dry.joules = cost_ahead(joules, left, "runs", "J");
}

Status show_plan_of(const ExperimentArguments& options, const Board& board,
                    const Context& context) {
  FLYBALL_ASSIGN(ExperimentSpec spec, spec_of(options));
  FLYBALL_ASSIGN(ExperimentOptions experiment, experiment_options(options, context));
  DryRun dry;
  if (!board.twin())
    for (const std::string& one : leave_out_runtimes(spec, missing_runtime))
      dry.notes.push_back("left out: " + one);
  dry.device = board.info().device.name;
  dry.title = board.info().device.title;
  dry.profiles = dry.trials = spec.runs().size() * static_cast<size_t>(spec.repeats);
  std::vector<RunFigures> held;
  if (board.twin()) {
    FLYBALL_CHECK(options.scope.check(Target::twin));
    // It takes no time, and says what the board has not.
    FLYBALL_ASSIGN(const ExperimentResult simulated, simulate_experiment(spec, experiment, board));
    dry.profiles = dry.trials = simulated.runs.size();
    for (const std::string& one : simulated.left_out) dry.notes.push_back("left out: " + one);
    dry.seconds = dry.joules = {0, "runs are simulated, and kept nowhere"};
  } else {
    FLYBALL_ASSIGN(experiment.board, experiment_place(board, options.device, true));
    SeenStore seen = look_at_store(options.store);
    experiment.store = seen.store ? &*seen.store : nullptr;
    if (!seen.unread.empty()) dry.notes.push_back(seen.unread);
    FLYBALL_ASSIGN(held, held_runs(spec, experiment));
    add_costs(held, dry.trials - (options.fresh ? 0 : held.size()), dry);
  }
  dry.roles = {{spec.fixed.workload, spec.fixed.phase, dry.trials, held.size()}};
  for (const Varied& varied : spec.vary) {
    std::vector<std::string> values;
    for (const SettingValue& value : varied.values) values.push_back(setting_text(value));
    dry.notes.push_back("varies " + varied.name + ": " + join(values, ", "));
  }
  return print_dry_run(dry, options.json);
}

Status run(const ExperimentArguments& options, Context& context) {
  FLYBALL_CHECK(options.files.check());
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (options.dry_run) return show_plan_of(options, *board, context);
  if (board->twin()) return simulate(options, *board, context);
  FLYBALL_ASSIGN(const ExperimentSpec spec, spec_of(options));
  FLYBALL_ASSIGN(ExperimentOptions experiment, experiment_options(options, context));
  FLYBALL_ASSIGN(experiment.board, experiment_place(*board, options.device, true));
  FLYBALL_ASSIGN(auto store, options.store.open());
  experiment.store = store ? &*store : nullptr;
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.measuring));
  // The session that was waited for may have had settings of its own.
  FLYBALL_ASSIGN(const auto now, open_named_board(options.device, options.root));
  experiment.board.device.settings = now->info().device.settings;
  experiment.interrupted = &interrupt_flag();
  if (store)
    experiment.idle_w = [&](const std::string& total) -> std::optional<double> {
      const auto idle = idle_of_present_mode(*store, *now, experiment.root, total);
      // A doubtful one would stand in every row.
      if (!idle || !*idle || !idle_doubts((*idle)->idle).empty()) return {};
      return (*idle)->idle.power_w;
    };
  Progress progress(options.quiet);
  experiment.progress = [&](size_t done, size_t total, const std::string& what) {
    progress.show_share(done, total, what);
  };
  auto result = run_experiment(spec, experiment);
  progress.finish();
  if (!result) return result.error();
  return show(options, *std::move(result), context);
}

Status report(const ExperimentArguments& options, Context& context) {
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  if (board->twin())
    return Error{Code::invalid_argument,
                 fmt::format("there is nothing to report of experiments on {}", options.device),
                 fmt::format("what is simulated is not kept: `flyball experiment run {}` shows it",
                             shell_word(options.file))};
  FLYBALL_ASSIGN(const ExperimentSpec spec, spec_of(options));
  FLYBALL_ASSIGN(ExperimentOptions experiment, experiment_options(options, context));
  FLYBALL_ASSIGN(experiment.board, experiment_place(*board, options.device, false));
  FLYBALL_ASSIGN(Store store, open_stored(options.store.place));
  experiment.store = &store;
  FLYBALL_ASSIGN(ExperimentResult result, load_experiment(spec, experiment));
  return show(options, std::move(result), context);
}

void add_common(CLI::App& command, ExperimentArguments& options) {
  command.add_option("file", options.file, "The experiment, e.g. experiments/workers.toml")
      ->required();
  options.scope.exclude({Target::twin},
                        {command.add_option("--data", options.data,
                                            "Dataset folder, instead of the experiment's own")});
  writes(command.add_option("--out", options.out,
                            "Folder of reports and made datasets; results.jsonl of an earlier "
                            "version there is taken into the store"),
         "FOLDER")
      ->capture_default_str();
  writes(command.add_option("--report", options.report,
                            "Where the report is written, instead of OUT/NAME/report.html"));
  CLI::Option* scale =
      command
          .add_option(
              "--scale", options.scale,
              "Scale of the set and the memory that the file names: 0.25 is a quarter of both")
          ->check(CLI::Range(0.001, 1000.0));
  options.scope.exclude({Target::twin}, {note_given(scale, options.scale_typed)});
  add_device_option(command, options.device, options.root, {.refused = {"table"}});
  options.files.add_plug_options(command);
  add_json_flag(command, options.json);
}

}  // namespace

void add_experiment(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("experiment", "Find where a training run's time and energy go, and why");
  command->require_subcommand(1);
  command->footer("Example:\n  flyball experiment run experiments/workers.toml");
  auto options = std::make_shared<ExperimentArguments>();
  CLI::App* runner = command->add_subcommand("run", "Measure what is missing, and report");
  add_common(*runner, *options);
  add_fresh(*runner, options->fresh);
  add_dry_run(*runner, options->dry_run);
  add_measuring_options(*runner, options->measuring);
  add_quiet(*runner, options->quiet);
  add_store_options(*runner, options->store);
  options->scope.exclude({Target::twin},
                         {runner->get_option("--store"), runner->get_option("--no-store")});
  runner->footer(
      "Each run is in the store before the next one starts: after a kill the same command goes "
      "on.\n"
      "Example:\n  flyball experiment run experiments/cache.toml --data photos");
  CLI::App* reporter = command->add_subcommand("report", "Report what was measured before");
  add_common(*reporter, *options);
  add_store_option(*reporter, options->store.place);
  reporter->footer("Example:\n  flyball experiment report experiments/workers.toml --json");
  add_experiment_findings(*command, context);
  add_experiment_benchmark(*command, context);
  set_action(*runner, context, [options, &context] { return run(*options, context); });
  set_action(*reporter, context, [options, &context] { return report(*options, context); });
}

}  // namespace flyball::cli
