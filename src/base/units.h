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

inline Joules operator*(Watts power, Seconds time) {
  return {power.value * time.value};
}
inline Watts operator/(Joules energy, Seconds time) {
  return {energy.value / time.value};
}

// As people write them. A bare number has no unit to be guessed: it is refused, and the two units
// that were probably meant are named.

/// "30W", "800mW", "0.03kW".
Result<Watts> parse_watts(std::string_view text);
/// "10ms", "90s", "5min", "2h", "250us".
Result<Seconds> parse_seconds(std::string_view text);
/// "5J", "3kJ", "2Wh", "120mWh".
Result<Joules> parse_joules(std::string_view text);
/// "16B", "64KiB", "2GiB", "1MB" in bytes.
Result<double> parse_bytes(std::string_view text);

/// "850 ms", "12.4 s", "5 min 10 s": a duration as a person reads it.
std::string format_seconds(Seconds time);
/// The same, rounded up: a limit that may be typed from it is kept by what took so long.
std::string upper_seconds(Seconds time);
/// A limit as it was typed: "5 min 0 s", "148.61 s".
std::string limit_seconds(Seconds limit);

}  // namespace flyball
