#include "benchmark/entry_result.h"

#include <algorithm>

#include "base/statistics.h"

namespace flyball {
namespace {

std::optional<double> product(const BenchmarkPower& power, const std::optional<double>& seconds) {
  if (power.total.empty() || !seconds) return {};
  return power.mean_w * *seconds;
}

}  // namespace

std::optional<int> EntryResult::epochs_to_target() const {
  if (provenance == Provenance::simulated)
    return static_cast<int>(epochs.size()) >= entry.epochs ? std::optional(entry.epochs)
                                                           : std::nullopt;
  for (size_t i = 0; i < epochs.size(); ++i)
    if (epochs[i].quality && reaches(entry.quality, *epochs[i].quality, entry.target))
      return static_cast<int>(i) + 1;
  return {};
}

std::optional<double> EntryResult::others_cpu_pct() const {
  double share = 0, seconds = 0;
  for (const BenchmarkEpoch& epoch : epochs)
    if (epoch.others_cpu_pct) {
      share += *epoch.others_cpu_pct * epoch.e2e_s;
      seconds += epoch.e2e_s;
    }
  if (seconds > 0) return share / seconds;
  return {};
}

std::optional<double> EntryResult::time_to_target_s() const {
  const auto needed = epochs_to_target();
  if (!needed) return {};
  double seconds = 0;
  for (int i = 0; i < *needed; ++i) seconds += epochs[static_cast<size_t>(i)].e2e_s;
  return seconds;
}

std::optional<double> EntryResult::epoch_s() const {
  if (epochs.empty()) return {};
  std::vector<double> later;
  for (size_t i = epochs.size() > 1 ? 1 : 0; i < epochs.size(); ++i)
    later.push_back(epochs[i].e2e_s);
  return median(later);
}

std::optional<double> EntryResult::energy_to_target_j() const {
  return product(power, time_to_target_s());
}

std::optional<double> EntryResult::epoch_j() const {
  return product(power, epoch_s());
}

}  // namespace flyball
