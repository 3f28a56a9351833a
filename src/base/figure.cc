#include "base/figure.h"

#include <fmt/format.h>

#include <cmath>

namespace flyball {

std::string number(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (std::abs(value) >= 1000 && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

}  // namespace flyball
