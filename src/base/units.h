// Physical quantities that cannot be mixed up, and how people write them.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/status.h"

namespace flyball {

/// A number of one unit; `value` is in the SI unit of the tag.
template <class Tag>
struct Quantity {
  double value = 0;

  auto operator<=>(const Quantity&) const = default;  // NOLINT(modernize-use-nullptr): its mistake
  Quantity operator+(Quantity other) const { return {value + other.value}; }
  Quantity operator-(Quantity other) const { return {value - other.value}; }
  Quantity operator*(double factor) const { return {value * factor}; }
  Quantity operator/(double divisor) const { return {value / divisor}; }
  double operator/(Quantity other) const { return value / other.value; }
};

using Watts = Quantity<struct WattsTag>;
using Joules = Quantity<struct JoulesTag>;
using Seconds = Quantity<struct SecondsTag>;
using Hertz = Quantity<struct HertzTag>;

inline Joules operator*(Watts power, Seconds time) {
  return {power.value * time.value};
}
inline Watts operator/(Joules energy, Seconds time) {
  return {energy.value / time.value};
}

/// "30W", "800mW", "0.03kW"; a bare number is watts.
Result<Watts> parse_watts(std::string_view text);
/// "10ms", "90s", "5min", "2h", "250us"; a bare number is seconds.
Result<Seconds> parse_seconds(std::string_view text);
/// "5J", "3kJ", "2Wh", "120mWh"; a bare number is joules.
Result<Joules> parse_joules(std::string_view text);
/// "16", "64KiB", "2GiB", "1MB" in bytes.
Result<double> parse_bytes(std::string_view text);

/// "850 ms", "12.4 s", "5 min 10 s": a duration as a person reads it.
std::string format_seconds(Seconds time);

}  // namespace flyball
