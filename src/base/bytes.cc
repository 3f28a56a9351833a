#include "base/bytes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace flyball {

std::string format_bytes(double bytes) {
  constexpr std::array units = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  // From 999.95 on four digits round up to the next unit.
  for (; std::abs(bytes) >= 999.95 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

}  // namespace flyball
