#include "base/amounts.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/figure.h"

namespace flyball {

std::string format_bytes(double bytes) {
  constexpr std::array units = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  // From 999.95 on four digits round up to the next unit.
  for (; std::abs(bytes) >= 999.95 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string format_memory(double bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit > 0 && bytes < 99.95 ? 1 : 0, units[unit]);
}

std::string format_joules(double joules) {
  // The bounds lie where four digits round up to five.
  const double size = std::abs(joules);
  if (!(size >= 9999.5)) return number(joules, 4) + " J";
  if (size < 9999.5e3) return number(joules / 1e3, 4) + " kJ";
  return number(joules / 1e6, 4) + " MJ";
}

}  // namespace flyball
