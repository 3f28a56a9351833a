#include "store/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "space/table_hash.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

// The axes of a trial in the order a reader expects: run settings, then the mode.
std::vector<Axis> axes_of(const Trial& trial) {
  std::vector<Axis> axes;
  for (const auto& [name, value] : trial.job.settings) {
    axes.push_back(named_axis(name));
    axes.back().scope = Scope::run;
  }
  for (const auto& [name, value] : trial.mode.values) {
    axes.push_back(named_axis(name));
    axes.back().scope = Scope::board;
  }
  return axes;
}

bool same_axes(const Space& space, const std::vector<Axis>& axes) {
  return std::ranges::equal(space.axes(), axes, {}, &Axis::name, &Axis::name);
}

bool same_workload(const WorkloadTable& table, const Measurement& m,
                   const std::vector<Axis>& axes) {
  return table.device == m.device && table.workload == m.trial.job.workload &&
         table.phase == m.trial.job.phase && same_axes(table.space, axes);
}

WorkloadTable& table_for(std::vector<WorkloadTable>& tables, const Measurement& m) {
  const std::vector<Axis> axes = axes_of(m.trial);
  const std::string total = m.power ? m.power->total : "";
  for (WorkloadTable& table : tables) {
    if (!same_workload(table, m, axes)) continue;
    // A table that holds no power yet takes the total of the first reading.
    if (m.power && !table.has_power()) table.power_total = total;
    if (!m.power || table.power_total == total) return table;
  }
  WorkloadTable& added = tables.emplace_back();
  added.device = m.device;
  added.workload = m.trial.job.workload;
  added.phase = m.trial.job.phase;
  added.power_total = total;
  added.space = Space(axes);
  return added;
}

bool same_import(const StoredRun& run, const RunRequest& request) {
  return run.request.fingerprint == request.fingerprint && run.request.request == request.request &&
         run.request.device == request.device && run.state == RunState::done;
}

// What of the file was not taken, and why. "" where all was.
std::string kept_answer(const Imported& imported) {
  if (imported.notes.empty() && imported.ignored_columns.empty()) return "";
  return Json{{"ignored", imported.ignored_columns}, {"notes", imported.notes}}.dump();
}

}  // namespace

std::vector<Measurement> measurements_of(const WorkloadTable& table, const std::string& fingerprint,
                                         const std::string& started_utc) {
  std::vector<Measurement> measurements(table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    Measurement& m = measurements[i];
    m.trial = table.space.trial(i, table.workload, table.phase);
    m.device = table.device;
    m.fingerprint = fingerprint;
    m.conditions = Conditions();  // the fingerprint is all that is known of them
    m.provenance = table.known(i);
    m.minibatch_ms = table.minibatch_ms[i];
    m.started_utc = started_utc;
    m.origin = Origin::imported;
    m.stop_reason = "read from a table";
    if (std::isnan(table.power_w[i])) {
      m.power_gap = "the table gives no power for this row";
      continue;
    }
    m.power.emplace();
    m.power->mean_w = table.power_w[i];
    m.power->total = table.power_total;
  }
  return measurements;
}

Result<TablesTaken> take_in(Store& store, const Imported& imported, const std::string& command) {
  TablesTaken taken;
  for (const WorkloadTable& table : imported.table.workloads) {
    FLYBALL_ASSIGN(const std::vector<StoredRun> runs, store.runs());
    const std::string fingerprint = table_fingerprint(table);
    const RunRequest request{command, Json{{"import", table.title()}}.dump(), table.device,
                             fingerprint, 0};
    const auto earlier =
        std::ranges::find_if(runs, [&](const StoredRun& run) { return same_import(run, request); });
    if (earlier != runs.end()) {
      taken.there.push_back({table.title(), *earlier});
      continue;
    }
    const auto measurements = measurements_of(table, fingerprint, wall_clock_utc());
    FLYBALL_ASSIGN([[maybe_unused]] const int64_t run,
                   store.add_run(request, measurements, kept_answer(imported)));
    taken.rows += measurements.size();
    taken.titles.push_back(table.title());
  }
  return taken;
}

std::vector<WorkloadTable> tables_of(std::span<const StoredMeasurement> measurements) {
  std::vector<WorkloadTable> tables;
  for (const StoredMeasurement& stored : measurements) {
    const Measurement& m = stored.measurement;
    if (m.failed()) continue;
    WorkloadTable& table = table_for(tables, m);
    const Settings settings = all_settings(m.trial);
    std::vector<double> config;
    for (const Axis& axis : table.space.axes()) config.push_back(settings.at(axis.name));
    table.add(config, m.minibatch_ms,
              m.power_w().value_or(std::numeric_limits<double>::quiet_NaN()), m.provenance);
  }
  return tables;
}

Error no_minibatches(const LeftOutTrials& left_out) {
  return {Code::not_found,
          fmt::format("of these measurements {} are all that there are, and a table's times are "
                      "those of minibatches",
                      left_out.words()),
          "`flyball runs show --json` has their times; a program that marks its minibatches "
          "(flyball.minibatch) is measured minibatch by minibatch"};
}

Status check_one_file(std::span<const WorkloadTable> tables) {
  const auto total = [](const WorkloadTable& table) {
    return table.power_total.empty() ? std::string("one without a name") : table.power_total;
  };
  for (const WorkloadTable& table : tables) {
    if (!same_axes(table.space, tables.front().space.axes()))
      return Error{Code::invalid_argument, "these measurements have different axes",
                   "choose one workload or one run with --workload, --board or --run"};
    for (const WorkloadTable& other : tables)
      if (other.title() == table.title() && other.power_total != table.power_total)
        return Error{Code::invalid_argument,
                     fmt::format("powers of {} are of different totals: {}, and {}", table.title(),
                                 total(table), total(other)),
                     "choose one run with --run; no table mixes them"};
  }
  return {};
}

size_t count_conditions(std::span<const StoredMeasurement> measurements) {
  std::set<std::pair<std::string, std::optional<Conditions>>> distinct;
  for (const StoredMeasurement& stored : measurements) {
    const Measurement& m = stored.measurement;
    if (m.conditions != Conditions()) distinct.emplace(m.fingerprint, m.conditions);
  }
  return distinct.size();
}

std::vector<std::string> boards_of(std::span<const StoredMeasurement> measurements) {
  std::map<std::string, std::string> names;  // by whose store it is
  for (const StoredMeasurement& stored : measurements) names[stored.board] = stored.board_name;
  std::vector<std::string> sorted;
  for (const auto& [board, name] : names) sorted.push_back(name);
  std::ranges::sort(sorted);
  return sorted;
}

size_t count_doubtful(std::span<const StoredMeasurement> measurements) {
  return static_cast<size_t>(
      std::ranges::count_if(measurements, [](const StoredMeasurement& stored) {
        return !stored.measurement.failed() && !trial_doubts(stored.measurement).empty();
      }));
}

}  // namespace flyball
