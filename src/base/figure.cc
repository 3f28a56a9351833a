#include "base/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flyball {

std::string number(double value, int digits) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  // What rounds to more than the digits would be said in powers of ten.
  const bool whole = size >= 1000 || size >= std::pow(10, digits) - 0.5;
  if (whole && size < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string decimals(double value, int count) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, count);
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string or_dash(const std::optional<double>& value, int digits, double scale) {
  return value ? number(scale * *value, digits) : "-";
}

double rounded(double value, int digits, bool up) {
  const double near = std::stod(fmt::format("{:.{}g}", value, digits));
  if (up ? near >= value : near <= value) return near;
  const double unit = std::pow(10, std::floor(std::log10(value)) + 1 - digits);
  return std::stod(fmt::format("{:.{}g}", up ? near + unit : near - unit, digits + 1));
}

std::string as_typed(double limit) {
  return fmt::format("{:.12g}", limit);
}

std::string upper_figure(double value, int digits, double limit) {
  if (!std::isfinite(value) || value <= 0) return number(value, digits);
  const int whole = 1 + static_cast<int>(std::floor(std::log10(value)));
  const double up = rounded(value, std::max(digits, whole), true);
  return as_typed(value <= limit ? std::min(up, limit) : up);
}

}  // namespace flyball
