#include "store/stored_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace flyball {
namespace {

// The fingerprint is all that is known of it.
bool of_a_table(const Measurement& m) {
  return m.origin == Origin::imported || m.origin == Origin::table;
}

// What a table answered is no measurement beside the row that was imported of it, nor beside the
// same answer to another run.
void leave_out_copies(std::vector<StoredMeasurement>& all) {
  using Row = std::tuple<std::string, std::string, Phase, Settings, Settings>;
  const auto row_of = [](const Measurement& m) {
    const Job& job = m.trial.job;
    return Row(m.fingerprint, job.workload, job.phase, job.settings, m.trial.mode.values);
  };
  std::set<Row> known;
  for (const StoredMeasurement& stored : all)
    if (stored.measurement.origin == Origin::imported) known.insert(row_of(stored.measurement));
  std::erase_if(all, [&](const StoredMeasurement& stored) {
    return stored.measurement.origin == Origin::table &&
           !known.insert(row_of(stored.measurement)).second;
  });
}

}  // namespace

bool stands_alone(const Measurement& m) {
  return !m.failed() && !m.interference.throttled.value_or(false) && m.interference.by.empty();
}

bool counts(const Measurement& m, Accepted accepted) {
  return stands_alone(m) && accepted(m.provenance);
}

void LeftOutTrials::add(const Measurement& m, Accepted accepted) {
  if (m.failed() || counts(m, accepted)) return;
  if (!m.interference.by.empty())
    ++disturbed;
  else if (m.interference.throttled.value_or(false))
    ++throttled;
  else if (m.provenance == Provenance::simulated)
    ++simulated;
  else
    ++predicted;
}

std::string LeftOutTrials::words() const {
  std::vector<std::string> parts;
  const auto tell = [&](size_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  tell(disturbed, "disturbed");
  tell(throttled, "throttled");
  tell(simulated, "simulated");
  tell(predicted, "predicted");
  tell(whole_runs, "whole-run");
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  if (!text.empty()) text += " trials";
  if (other_conditions > 0)
    text += fmt::format("{}{} under other conditions than the latest", text.empty() ? "" : ", ",
                        other_conditions);
  return text;
}

StoredTrials counted(std::vector<StoredMeasurement> measurements, Accepted accepted) {
  StoredTrials kept;
  for (StoredMeasurement& stored : measurements) {
    kept.left_out.add(stored.measurement, accepted);
    if (counts(stored.measurement, accepted)) kept.trials.push_back(std::move(stored));
  }
  return kept;
}

Result<StoredTrials> stored_trials(Store& store, const MeasurementFilter& filter,
                                   Accepted accepted) {
  FLYBALL_ASSIGN(std::vector<StoredMeasurement> all, store.measurements(filter));
  leave_out_copies(all);
  return counted(std::move(all), accepted);
}

StoredTrials of_minibatches(StoredTrials all) {
  all.left_out.whole_runs += std::erase_if(
      all.trials, [](const StoredMeasurement& stored) { return stored.measurement.whole_run(); });
  return all;
}

StoredTrials of_latest_conditions(StoredTrials all) {
  // Numbers follow the order in which stores were collected, times that of the trials.
  const auto when = [](const StoredMeasurement& stored) {
    return std::tie(stored.measurement.started_utc, stored.id);
  };
  const StoredMeasurement* latest = nullptr;
  for (const StoredMeasurement& stored : all.trials)
    if (!of_a_table(stored.measurement) && (!latest || when(stored) > when(*latest)))
      latest = &stored;
  if (!latest) return all;
  const std::string fingerprint = latest->measurement.fingerprint;
  const auto conditions = latest->measurement.conditions;
  all.left_out.other_conditions += std::erase_if(all.trials, [&](const StoredMeasurement& stored) {
    const Measurement& m = stored.measurement;
    return !of_a_table(m) && (m.fingerprint != fingerprint || m.conditions != conditions);
  });
  return all;
}

}  // namespace flyball
