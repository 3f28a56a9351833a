#include "store/run.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

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
                                                  const std::vector<StoredMeasurement>& second,
                                                  size_t* compared) {
  const auto before = [compared](const Trial* a, const Trial* b) {
    if (compared) ++*compared;
    const auto key = [](const Trial& t) {
      return std::tie(t.job.workload, t.job.phase, t.job.settings, t.mode.values);
    };
    return key(*a) < key(*b);
  };
  std::vector<TrialComparison> rows;
  std::map<const Trial*, size_t, decltype(before)> known(before);
  const auto row_of = [&](const Measurement& m) -> TrialComparison& {
    const auto [at, is_new] = known.try_emplace(&m.trial, rows.size());
    return is_new ? rows.emplace_back(TrialComparison{m.trial, {}, {}}) : rows[at->second];
  };
  for (const StoredMeasurement& stored : first) row_of(stored.measurement).first.push_back(&stored);
  for (const StoredMeasurement& stored : second)
    row_of(stored.measurement).second.push_back(&stored);
  return rows;
}

}  // namespace flyball
