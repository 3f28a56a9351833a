#include "answers/repeats.h"

#include <algorithm>
#include <vector>

#include "space/estimate.h"

namespace flyball {

Configuration pooled(std::span<const Measurement* const> readings) {
  std::vector<NoisyReading> times, powers;
  for (const Measurement* m : readings) {
    times.push_back({m->minibatch_ms, m->noise});
    if (m->power) powers.push_back({m->power->mean_w, m->power->noise});
  }
  const Provenance provenance = readings.front()->provenance;
  Estimate time = pooled(times, provenance);
  const Estimate power = pooled(powers, provenance);
  // What disturbs makes a trial slower, never faster: the fastest reading was possible.
  for (const NoisyReading& reading : times) time.low = std::min(time.low, reading.value);
  return {time.value, time.low, time.high, power.value, power.low, power.high, provenance};
}

}  // namespace flyball
