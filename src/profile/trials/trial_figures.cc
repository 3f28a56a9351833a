#include "profile/trials/trial_figures.h"

#include <cmath>
#include <vector>

#include "base/statistics.h"

namespace flyball {

StoppingOptions stopping_of(StoppingOptions stopping, const Trial& trial) {
  const Settings& job = trial.job.settings;
  const auto workers = job.find(axis::loader_workers);
  constexpr double most_workers = 256;
  if (workers != job.end() && workers->second >= 0 && workers->second <= most_workers)
    stopping.round = static_cast<size_t>(workers->second);
  return stopping;
}

void take_times(const StoppingRule& rule, Measurement& m) {
  const TimeSummary summary = rule.summary();
  m.minibatch_ms = summary.value_ms;
  m.noise = std::isfinite(summary.noise) ? summary.noise : unknown_noise;
  std::vector<double> stalls, computes;
  for (const MinibatchTimes& times : m.minibatches) {
    stalls.push_back(times.stall_ms);
    computes.push_back(times.compute_ms);
  }
  m.stall_ms = mean(stalls);
  m.compute_ms = mean(computes);
}

void take_power(PowerMeter& meter, Measurement& m) {
  if (!meter.gap().empty()) return;
  auto power = meter.end();
  if (power)
    m.power = *power;
  else
    m.power_gap = power.error().message;
  if (const auto throttling = meter.throttling()) m.interference.throttled = !throttling->empty();
}

}  // namespace flyball
