#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "cli/action.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/stored.h"

namespace flyball::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RunsOptions {
  std::string store;
  bool json = false;
  int64_t first = 0, second = 0;
};

Json run_json(const StoredRun& run) {
  Json answer = run.answer.empty() ? Json(nullptr) : Json::parse(run.answer, nullptr, false);
  Json request = Json::parse(run.request.request, nullptr, false);
  return {{"id", run.id},
          {"command", run.request.command},
          {"device", run.request.device},
          {"fingerprint", run.request.fingerprint},
          {"conditions", or_null(run.request.conditions)},
          {"seed", run.request.seed},
          {"started_utc", run.started_utc},
          {"finished_utc", run.finished_utc.empty() ? Json(nullptr) : Json(run.finished_utc)},
          {"state", run_state_name(run.state)},
          {"measurements", run.measurements},
          {"reused", run.reused},
          {"request", request.is_discarded() ? Json(run.request.request) : request},
          {"answer", answer.is_discarded() ? Json(nullptr) : answer}};
}

Status list_runs(const RunsOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_ASSIGN(const std::vector<StoredRun> runs, store.runs());
  if (options.json) {
    Json list = Json::array();
    for (const StoredRun& run : runs) {
      list.push_back(run_json(run));
      list.back().erase("answer");
    }
    print_json({{"store", store.path().string()}, {"runs", list}});
    return {};
  }
  TextTable table({"run", "started", "state", "device", "trials", "reused", "command"});
  for (const StoredRun& run : runs)
    table.add({fmt::format("{}", run.id), run.started_utc, run_state_name(run.state),
               run.request.device, fmt::format("{}", run.measurements),
               fmt::format("{}", run.reused), run.request.command});
  if (table.empty())
    fmt::print("no runs in {}\n", store.path().string());
  else
    fmt::print("{}", table.str());
  return {};
}

std::vector<std::string> cells(const Measurement& m) {
  const Settings settings = all_settings(m.trial);
  return {m.trial.job.workload,
          phase_name(m.trial.job.phase),
          describe(settings),
          m.failed() ? "failed" : number(m.minibatch_ms),
          m.power ? number(m.power->mean_w) : "-",
          number(100 * m.noise, 2),
          provenance_name(m.provenance),
          m.failed() ? m.failure : m.stop_reason};
}

void print_conditions(const RunRequest& request) {
  fmt::print("machine: {}\n", request.fingerprint);
  if (!request.conditions) fmt::print("the conditions were not kept then\n");
  for (const auto& [name, value] : request.conditions.value_or(Conditions()))
    fmt::print("{}: {}\n", name, value);
  fmt::print("\n");
}

Status show_run(const RunsOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_ASSIGN(const StoredRun run, store.run(options.first));
  FLYBALL_ASSIGN(const auto trials, store.run_measurements(options.first));
  if (options.json) {
    Json json = run_json(run);
    json["trials"] = Json::array();
    for (const StoredMeasurement& trial : trials) {
      const Measurement& m = trial.measurement;
      Json config = Json::object();
      for (const auto& [name, value] : all_settings(m.trial)) config[name] = value;
      json["trials"].push_back({{"id", trial.id},
                                {"config", config},
                                {"minibatch_ms", m.failed() ? Json(nullptr) : Json(m.minibatch_ms)},
                                {"power_w", m.power ? Json(m.power->mean_w) : Json(nullptr)},
                                {"provenance", provenance_name(m.provenance)},
                                {"conditions", or_null(m.conditions)},
                                {"stop_reason", m.stop_reason},
                                {"failure", m.failed() ? Json(m.failure) : Json(nullptr)},
                                {"reused", trial.reused}});
    }
    print_json(json);
    return {};
  }
  fmt::print("run {}: {}\n{}, {}, started {}, {}\n", run.id, run.request.command,
             run.request.device, run_state_name(run.state), run.started_utc,
             run.finished_utc.empty() ? "not finished" : "finished " + run.finished_utc);
  print_conditions(run.request);
  TextTable table({"workload", "phase", "configuration", "minibatch ms", "power W", "noise %",
                   "known", "stopped"});
  for (const StoredMeasurement& trial : trials) table.add(cells(trial.measurement));
  fmt::print("{}", table.str());
  return {};
}

Status compare_runs(const RunsOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_ASSIGN(const auto first, store.run_measurements(options.first));
  FLYBALL_ASSIGN(const auto second, store.run_measurements(options.second));
  const auto value = [](const std::optional<Measurement>& m) {
    return m && !m->failed() ? m->minibatch_ms : std::nan("");
  };
  TextTable table({"configuration", fmt::format("run {} ms", options.first),
                   fmt::format("run {} ms", options.second), "change %"});
  Json list = Json::array();
  for (const TrialComparison& row : compare_measurements(first, second)) {
    const double a = value(row.first), b = value(row.second), change = 100 * (b / a - 1);
    const Settings settings = all_settings(row.trial);
    table.add({describe(settings), number(a), number(b), number(change, 2)});
    Json config = Json::object();
    for (const auto& [name, v] : settings) config[name] = v;
    const auto known = [](double v) { return std::isnan(v) ? Json(nullptr) : Json(v); };
    list.push_back({{"config", config},
                    {"first_ms", known(a)},
                    {"second_ms", known(b)},
                    {"change_pct", known(change)}});
  }
  if (options.json)
    print_json({{"first", options.first}, {"second", options.second}, {"trials", list}});
  else
    fmt::print("{}", table.str());
  return {};
}

Status delete_run(const RunsOptions& options) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  FLYBALL_CHECK(store.delete_run(options.first));
  if (options.json)
    print_json({{"deleted", options.first}});
  else
    fmt::print("run {} and what only it measured are deleted\n", options.first);
  return {};
}

}  // namespace

void add_runs(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("runs", "what was measured before");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball runs list");
  auto options = std::make_shared<RunsOptions>();
  const auto add = [&](const char* name, const char* summary, Status (*run)(const RunsOptions&),
                       int numbers, const char* example) {
    CLI::App* command = group->add_subcommand(name, summary);
    if (numbers > 0) command->add_option("run", options->first, "number of the run")->required();
    if (numbers > 1)
      command->add_option("other", options->second, "number of the other run")->required();
    command->add_option("--store", options->store, "the store");
    add_json_flag(*command, options->json);
    command->footer(std::string("Example:\n  ") + example);
    set_action(*command, context, [options, run] { return run(*options); });
  };
  add("list", "all runs, latest first", list_runs, 0, "flyball runs list");
  add("show", "one run with its trials", show_run, 1, "flyball runs show 3");
  add("compare", "the trials of two runs side by side", compare_runs, 2,
      "flyball runs compare 3 4");
  add("delete", "forget a run", delete_run, 1, "flyball runs delete 3");
}

}  // namespace flyball::cli
