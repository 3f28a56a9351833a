// Figures as documents of the page hold them.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "answers/repeats.h"

namespace flyball {

/// A plain number where the spread is not known, else [value, low, high]; null where it is not
/// known.
inline nlohmann::ordered_json quantity(double value, double low, double high) {
  if (!std::isfinite(value)) return nullptr;
  if (!std::isfinite(low) || !std::isfinite(high) || (low == value && high == value)) return value;
  return nlohmann::ordered_json::array({value, low, high});
}

/// The time of one reading, with its interval where it tells one; likewise its power.
inline nlohmann::ordered_json time_of_reading(const Measurement& m) {
  const Measurement* only[] = {&m};
  const Configuration c = pooled(only);
  return quantity(c.minibatch_ms, c.time_lo, c.time_hi);
}
inline nlohmann::ordered_json power_of_reading(const Measurement& m) {
  const Measurement* only[] = {&m};
  const Configuration c = pooled(only);
  return quantity(c.power_w, c.power_lo, c.power_hi);
}

}  // namespace flyball
