// Figures as findings say them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/units.h"

namespace flyball {

inline std::string seconds(double s) {
  return format_seconds({s});
}

/// "-12.9 %".
inline std::string change(double from, double to) {
  if (!(from > 0)) return "unchanged";
  const double pct = 100 * (to / from - 1);
  return fmt::format("{:+.1f} %", pct);
}

}  // namespace flyball
