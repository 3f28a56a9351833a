// Figures as documents of the page hold them.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace flyball {

/// A plain number where the spread is not known, else [value, low, high]; null where it is not
/// known.
inline nlohmann::ordered_json quantity(double value, double low, double high) {
  if (!std::isfinite(value)) return nullptr;
  if (!std::isfinite(low) || !std::isfinite(high) || (low == value && high == value)) return value;
  return nlohmann::ordered_json::array({value, low, high});
}

/// A mean with its 90 % interval; `noise` is its relative standard error, a fraction.
inline nlohmann::ordered_json with_noise(double value, double noise) {
  constexpr double z90 = 1.645;  // standard errors
  return quantity(value, value * (1 - z90 * noise), value * (1 + z90 * noise));
}

}  // namespace flyball
