#include "answers/repeats.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/distributions.h"
#include "base/json.h"
#include "space/estimate.h"

namespace flyball {

namespace {

NoisyReading as_reading(double value, double low, double high) {
  const double width = high - low;
  return {value,
          std::isfinite(width) ? width / (2 * normal_quantile(0.95) * value) : unknown_noise};
}

// What is taken at its word, as a table's readings are, has no interval.
Json spread_json(double low, double high) {
  return low == high ? Json(nullptr) : interval_json(low, high);
}

}  // namespace

Configuration pooled(std::span<const Measurement* const> readings) {
  std::vector<NoisyReading> times, powers;
  for (const Measurement* m : readings) {
    times.push_back({m->minibatch_ms, m->noise});
    if (m->power) powers.push_back({m->power->mean_w, m->power->noise});
  }
  Provenance provenance = Provenance::measured;  // of different kinds the weaker one
  for (const Measurement* m : readings) provenance = std::max(provenance, m->provenance);
  Estimate time = pooled(times, provenance);
  const Estimate power = pooled(powers, provenance);
  // What disturbs makes a trial slower, never faster: the fastest reading was possible.
  for (const NoisyReading& reading : times) time.low = std::min(time.low, reading.value);
  return {time.value, time.low, time.high, power.value, power.low, power.high, provenance};
}

Configuration of_owners(const std::map<TrialOwner, std::vector<const Measurement*>>& boards) {
  if (boards.size() == 1) return pooled(boards.begin()->second);
  Provenance provenance =
      Provenance::measured;  // what is simulated for one is not measured for all
  std::vector<NoisyReading> times, powers;
  for (const auto& [board, readings] : boards) {
    const Configuration of = pooled(readings);
    provenance = std::max(provenance, of.provenance);
    times.push_back(as_reading(of.minibatch_ms, of.time_lo, of.time_hi));
    if (of.power_w > 0) powers.push_back(as_reading(of.power_w, of.power_lo, of.power_hi));
  }
  const Estimate time = of_boards(times, provenance), power = of_boards(powers, provenance);
  return {time.value, time.low, time.high, power.value, power.low, power.high, provenance};
}

Json interval_json(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return nullptr;
  return Json::array({low, high});
}

Json trial_intervals(const Measurement& m) {
  if (m.failed()) return {{"minibatch_ms_90", nullptr}, {"power_w_90", nullptr}};
  const Measurement* only[] = {&m};
  const Configuration known = pooled(only);
  return {{"minibatch_ms_90", interval_json(known.time_lo, known.time_hi)},
          {"power_w_90", interval_json(known.power_lo, known.power_hi)}};
}

Json known_json(const Settings& config, const Configuration& known) {
  return {{"config", config},
          {"minibatch_ms", or_null(known.minibatch_ms)},
          {"minibatch_ms_90", spread_json(known.time_lo, known.time_hi)},
          {"power_w", or_null(known.power_w)},
          {"power_w_90", spread_json(known.power_lo, known.power_hi)},
          {"provenance", provenance_name(known.provenance)}};
}

}  // namespace flyball
