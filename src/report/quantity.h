// Figures with their spread, as documents have them.
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

/// [low, high]; null where they are not known.
inline nlohmann::ordered_json interval_json(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return nullptr;
  return nlohmann::ordered_json::array({low, high});
}

}  // namespace flyball
