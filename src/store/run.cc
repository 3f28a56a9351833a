#include "store/run.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {

const char* run_state_name(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::done:
      return "done";
    case RunState::interrupted:
      return "interrupted";
    case RunState::failed:
      return "failed";
  }
  return "failed";
}

Result<RunState> parse_run_state(const std::string& text) {
  for (const auto state :
       {RunState::running, RunState::done, RunState::interrupted, RunState::failed})
    if (text == run_state_name(state)) return state;
  return Error{Code::corrupt, fmt::format("'{}' is not the state of a run", text),
               "one of running, done, interrupted, failed"};
}

std::vector<TrialComparison> compare_measurements(const std::vector<StoredMeasurement>& first,
                                                  const std::vector<StoredMeasurement>& second) {
  std::vector<TrialComparison> rows;
  const auto row_of = [&](const Trial& trial) -> TrialComparison& {
    const auto known = std::ranges::find(rows, trial, &TrialComparison::trial);
    return known != rows.end() ? *known : rows.emplace_back(TrialComparison{trial, {}, {}});
  };
  for (const StoredMeasurement& stored : first)
    row_of(stored.measurement.trial).first = stored.measurement;
  for (const StoredMeasurement& stored : second)
    row_of(stored.measurement.trial).second = stored.measurement;
  return rows;
}

}  // namespace flyball
