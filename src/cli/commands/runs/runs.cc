#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "cli/action.h"
#include "cli/commands.h"
#include "cli/commands/runs/runs_experiment.h"
#include "cli/commands/runs/runs_export.h"
#include "cli/commands/runs/runs_spread.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/stored.h"
#include "report/comparison.h"
#include "report/page.h"
#include "report/run_report.h"
#include "space/trial_facts.h"
#include "tune/board_costs.h"

namespace flyball::cli {
namespace {

struct RunsOptions {
  std::string store, report, command;
  bool json = false;
  int64_t first = 0, second = 0;  ///< 0: not named
};

Status list_runs(const RunsOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_ASSIGN(const std::vector<StoredRun> runs, runs_and_facts(store));
  if (options.json) {
    Json list = Json::array();
    for (const StoredRun& run : runs) {
      list.push_back(stored_run_json(run));
      list.back().erase("answer");
    }
    print_json({{"store", store.path().string()}, {"runs", list}});
    return {};
  }
  std::vector<std::string> header = {"run",    "started", "state", "device", "workload",
                                     "trials", "reused",  "best",  "choice", "command"};
  const bool collected =
      std::ranges::any_of(runs, [](const StoredRun& run) { return run.origin.has_value(); });
  if (collected) header.insert(header.begin() + 1, "of");
  TextTable table(header);
  for (const StoredRun& run : runs) {
    const RunSummary summary = summary_of(run);
    std::vector<std::string> row = {fmt::format("{}", run.id),     run.started_utc,
                                    run_state_name(run.state),     run.request.device,
                                    or_dash(summary.workload),     fmt::format("{}", run.rows()),
                                    fmt::format("{}", run.reused), or_dash(summary.best),
                                    or_dash(summary.choice),       run.request.command};
    if (collected)
      row.insert(row.begin() + 1,
                 run.origin ? fmt::format("{} {}", run.origin->name, run.origin->run) : "-");
    table.add(std::move(row));
  }
  if (table.empty())
    fmt::print("no runs in {}\n", store.path().string());
  else
    fmt::print("{}", table.str());
  return {};
}

/// Whose each trial is: the workload, of two services of one network the one that the answer names.
std::vector<std::string> names_of(const StoredRun& run,
                                  const std::vector<StoredMeasurement>& trials) {
  const Json answer = Json::parse(run.answer, nullptr, false);
  Json profiled = answer.is_object() ? answer.value("profiled", Json::array()) : Json::array();
  std::vector<std::string> names;
  for (const StoredMeasurement& trial : trials) {
    const Measurement& m = trial.measurement;
    std::string& name = names.emplace_back(m.trial.job.workload);
    const Json config(all_settings(m.trial)), time = or_null(m.minibatch_ms);
    const auto told = std::ranges::find_if(profiled, [&](const Json& one) {
      return one.is_object() && one.contains("service") && one.value("config", Json()) == config &&
             one.value("minibatch_ms", Json()) == time;
    });
    if (told == profiled.end()) continue;
    name = told->value("service", name);
    *told = nullptr;  // readings of both may be equal: each names one trial
  }
  return names;
}

std::vector<std::string> cells(const std::string& name, const Measurement& m,
                               const StoredIdle* idle) {
  const Settings settings = all_settings(m.trial);
  return {name,
          phase_name(m.trial.job.phase),
          describe(settings),
          m.failed() ? "failed" : number(m.minibatch_ms),
          m.power ? number(m.power->mean_w) : "-",
          idle ? fmt::format("{} ({:.0f} %)", number(idle->idle.power_w),
                             100 * idle->idle.power_w / m.power->mean_w)
               : "-",
          tells_noise(m) ? number(100 * m.noise, 2) : "-",
          provenance_name(m.provenance),
          m.failed() ? m.failure : m.stop_reason,
          or_dash(also_known(m))};
}

void print_conditions(const RunRequest& request) {
  fmt::print("machine: {}\n", request.fingerprint);
  if (!request.conditions) fmt::print("the conditions were not kept then\n");
  for (const auto& [name, value] : request.conditions.value_or(Conditions()))
    fmt::print("{}: {}\n", name, value);
  fmt::print("\n");
}

// What a run without trials answered: a switch's cost, idle power, a joined log.
void print_answer(const StoredRun& run) {
  const Json answer = Json::parse(run.answer, nullptr, false);
  if (!answer.is_object()) {
    fmt::print("it has no trials and no answer\n");
    return;
  }
  TextTable table({"answer", ""});
  for (const auto& [name, value] : answer.items())
    if (!value.is_structured())
      table.add({name, value.is_string() ? value.get<std::string>() : value.dump()});
  fmt::print("it has no trials; {} has the rest of its answer\n\n{}",
             fmt::format("flyball runs show {} --json", run.id), table.str());
}

Status show_run(const RunsOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_ASSIGN(const ShownRun shown, run_or_fact(store, options.first));
  const auto& [run, trials, experiment_runs] = shown;
  FLYBALL_ASSIGN(const BoardCosts costs, board_costs(store));
  if (options.json) {
    print_json(stored_run_json(run, trials, costs, experiment_runs));
    return write_report(options.report, run_report(run, trials, costs, experiment_runs), true);
  }
  fmt::print("run {}: {}\n{}, {}, started {}, {}\n", run.id, run.request.command,
             run.request.device, run_state_name(run.state), run.started_utc,
             run.finished_utc.empty() ? "not finished" : "finished " + run.finished_utc);
  if (const RunSummary summary = summary_of(run); !summary.best.empty())
    fmt::print("answer: {}{}\n", summary.best,
               summary.choice.empty() ? "" : fmt::format(" at {}", summary.choice));
  if (run.origin) fmt::print("of: {}, run {} there\n", run.origin->name, run.origin->run);
  if (!run.request.record.empty()) fmt::print("record: {}\n", run.request.record);
  print_conditions(run.request);
  if (trials.empty()) {
    if (experiment_runs.empty())
      print_answer(run);
    else
      print_experiment_runs(experiment_runs);
    return write_report(options.report, run_report(run, trials, costs, experiment_runs), false);
  }
  TextTable table({"workload", "phase", "configuration", "minibatch ms", "power W", "of it idle",
                   "noise %", "known", "stopped", "also known"});
  const std::vector<std::string> names = names_of(run, trials);
  for (size_t i = 0; i < trials.size(); ++i)
    table.add(cells(names[i], trials[i].measurement, idle_of(costs, trials[i])));
  fmt::print("{}", table.str());
  return write_report(options.report, run_report(run, trials, costs), false);
}

void print_comparison(const RunComparison& comparison) {
  fmt::print("{}\n", comparison.words());
  for (const std::string& difference : comparison.differences)
    fmt::print("they do not compare: {}\n", difference);
  if (comparison.common == 0) return;
  TextTable table({"workload", "configuration", fmt::format("run {} ms", comparison.first.id),
                   fmt::format("run {} ms", comparison.second.id), "change %", "difference"});
  for (const ComparedTrial& row : comparison.trials) {
    const auto value = [](const std::optional<ComparedSide>& side) {
      return number(side ? side->known.minibatch_ms : std::nan(""));
    };
    table.add({row.trial.job.workload, describe(all_settings(row.trial)), value(row.first),
               value(row.second), number(row.change_pct, 2), remark_of(row)});
  }
  fmt::print("\n{}", table.str());
}

// Runs that are not named: the latest, against the one before it that measured the same
// workload on the same board.
Status name_runs(Store& store, RunsOptions& options) {
  if (options.second > 0) return {};
  FLYBALL_ASSIGN(const std::vector<StoredRun> runs, runs_and_facts(store));
  const auto measured =
      std::ranges::find_if(runs, [](const StoredRun& run) { return run.measurements > 0; });
  if (measured == runs.end())
    return Error{Code::not_found, "there are no runs with trials in " + store.path().string(),
                 "flyball tune makes one"};
  const int64_t latest = options.first > 0 ? options.first : measured->id;
  FLYBALL_ASSIGN(options.first, earlier_run(runs, latest));
  options.second = latest;
  return {};
}

Status compare_two(const RunsOptions& asked) {
  RunsOptions options = asked;
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_CHECK(name_runs(store, options));
  FLYBALL_ASSIGN(const ShownRun first, run_or_fact(store, options.first));
  FLYBALL_ASSIGN(const ShownRun second, run_or_fact(store, options.second));
  const RunComparison comparison = compare_runs(first.run, first.trials, second.run, second.trials);
  const Json document = to_json(comparison);
  if (options.json)
    print_json(document);
  else
    print_comparison(comparison);
  return write_report(options.report, page_document("comparison", options.command, document),
                      options.json);
}

Status delete_run(const RunsOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_ASSIGN(const KeptOfRun kept, store.delete_run(options.first));
  if (options.json) {
    print_json({{"deleted", options.first}, {"kept_trials", kept.trials}, {"kept_for", kept.runs}});
    return {};
  }
  fmt::print("run {} and what only it measured are deleted\n", options.first);
  if (kept.trials == 0) return {};
  const bool one = kept.runs.size() == 1;
  fmt::print("{} of its trials stay{}: run{} {} rel{} on {}\n", kept.trials,
             kept.trials == 1 ? "s" : "", one ? "" : "s", fmt::join(kept.runs, ", "),
             one ? "ies" : "y", kept.trials == 1 ? "it" : "them");
  return {};
}

Status check_store(const RunsOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_CHECK(store.check());
  FLYBALL_ASSIGN(const std::vector<StoredRun> runs, runs_and_facts(store));
  MeasurementFilter all;
  all.failed = true;
  FLYBALL_ASSIGN(const std::vector<StoredMeasurement> measurements, store.measurements(all));
  if (options.json)
    print_json({{"store", store.path().string()},
                {"runs", runs.size()},
                {"measurements", measurements.size()}});
  else
    fmt::print("the store {} is whole: {} run{}, {} measurement{}\n", store.path().string(),
               runs.size(), runs.size() == 1 ? "" : "s", measurements.size(),
               measurements.size() == 1 ? "" : "s");
  return {};
}

}  // namespace

void add_runs(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("runs", "Show what was measured before");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball runs list");
  auto options = std::make_shared<RunsOptions>();
  const auto add = [&](const char* name, const char* summary, Status (*run)(const RunsOptions&),
                       const char* example) {
    CLI::App* command = group->add_subcommand(name, summary);
    add_store_option(*command, options->store);
    add_json_flag(*command, options->json);
    command->footer(std::string("Example:\n  ") + example);
    set_action(*command, context, [options, run, &context] {
      options->command = context.command;
      return run(*options);
    });
    return command;
  };
  add("list", "List all runs, latest first", list_runs, "flyball runs list");
  CLI::App* show = add("show", "Show one run with its trials", show_run, "flyball runs show 3");
  CLI::App* compare = add("compare", "Show the trials of two runs side by side", compare_two,
                          "flyball runs compare 3 4\n  flyball runs compare --report both.html");
  add("check", "Read the whole store, and say whether it is damaged", check_store,
      "flyball runs check");
  CLI::App* forget = add("delete", "Forget a run", delete_run, "flyball runs delete 3");
  for (CLI::App* command : {show, forget})
    command->add_option("run", options->first, "Number of the run")->required();
  compare->add_option("run", options->first,
                      "Number of a run; alone: the later one, against the run before it that "
                      "measured the same workload on the same board; none: the latest");
  compare->add_option("other", options->second, "Number of the other run");
  for (CLI::App* command : {show, compare}) add_report_option(*command, options->report);
  add_runs_spread(*group, context);
  add_runs_export(*group, context);
}

}  // namespace flyball::cli
