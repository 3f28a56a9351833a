#include "answers/repeats.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/json.h"
#include "space/estimate.h"

namespace flyball {

namespace {

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
