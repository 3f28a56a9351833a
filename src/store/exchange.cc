#include "store/exchange.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

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

nlohmann::ordered_json import_request(const WorkloadTable& table) {
  return {{"import", table.title()}};
}

Result<std::optional<StoredRun>> earlier_import(Store& store, const WorkloadTable& table,
                                                const std::string& fingerprint) {
  FLYBALL_ASSIGN(std::vector<StoredRun> runs, store.runs());
  const std::string request = import_request(table).dump();
  for (StoredRun& run : runs)
    if (run.request.fingerprint == fingerprint && run.request.request == request &&
        run.request.device == table.device && run.state == RunState::done)
      return std::optional(std::move(run));
  return std::optional<StoredRun>();
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

}  // namespace flyball
