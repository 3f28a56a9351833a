#include "base/units.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "base/figure.h"
#include "base/text.h"

namespace flyball {
namespace {

struct Unit {
  std::string_view suffix;
  double factor;
};

// The first two units are those that a bare number probably means.
Result<double> parse_quantity(std::string_view text, std::string_view what,
                              std::span<const Unit> units) {
  const std::string_view trimmed = trim(text);
  const size_t split = trimmed.find_first_not_of("+-.0123456789eE");
  const std::string_view number = trimmed.substr(0, split);
  const std::string_view suffix =
      split == std::string_view::npos ? "" : trim(trimmed.substr(split));
  const auto value = parse_double(number);
  if (value && std::isfinite(*value)) {
    if (suffix.empty())
      return Error{Code::invalid_argument, fmt::format("'{}' has no unit", trimmed),
                   fmt::format("say {0}{1} or {0}{2}", trimmed, units[0].suffix, units[1].suffix)};
    for (const Unit& unit : units)
      if (unit.suffix == suffix && std::isfinite(*value * unit.factor)) return *value * unit.factor;
  }
  std::string known;
  for (const Unit& unit : units) known += (known.empty() ? "" : ", ") + std::string(unit.suffix);
  return Error{
      Code::invalid_argument, fmt::format("'{}' is not {}", text, what),
      fmt::format("write a number and a unit ({}), such as {}{}", known, 30, units[0].suffix)};
}

}  // namespace

Result<Watts> parse_watts(std::string_view text) {
  static constexpr Unit units[] = {{"W", 1}, {"mW", 1e-3}, {"kW", 1e3}};
  FLYBALL_ASSIGN(const double value, parse_quantity(text, "a power", units));
  return Watts{value};
}

Result<Seconds> parse_seconds(std::string_view text) {
  static constexpr Unit units[] = {{"ms", 1e-3}, {"s", 1},  {"us", 1e-6},
                                   {"min", 60},  {"m", 60}, {"h", 3600}};
  FLYBALL_ASSIGN(const double value, parse_quantity(text, "a duration", units));
  return Seconds{value};
}

Result<Joules> parse_joules(std::string_view text) {
  static constexpr Unit units[] = {{"J", 1},     {"kJ", 1e3},  {"mJ", 1e-3},  {"MJ", 1e6},
                                   {"Wh", 3600}, {"mWh", 3.6}, {"kWh", 3.6e6}};
  FLYBALL_ASSIGN(const double value, parse_quantity(text, "an energy", units));
  return Joules{value};
}

Result<double> parse_bytes(std::string_view text) {
  static constexpr Unit units[] = {
      {"B", 1},    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
      {"kB", 1e3}, {"MB", 1e6},   {"GB", 1e9}};
  return parse_quantity(text, "a size", units);
}

std::string format_seconds(Seconds time) {
  const double s = time.value;
  // The bounds lie where three digits round up to the next unit: never "1e+03 ms" or "60 s".
  if (s < 0.9995e-3) return fmt::format("{:.0f} us", s * 1e6);
  if (s < 0.9995) return fmt::format("{:.3g} ms", s * 1e3);
  if (s < 59.95) return fmt::format("{:.3g} s", s);
  const long whole = std::lround(s);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, (whole % 3600) / 60);
}

std::string upper_seconds(Seconds time) {
  const double s = time.value;
  if (s < 59.95) return format_seconds({s > 0 ? rounded(s, 3, true) : s});
  const double grain = s < 3599.5 ? 1 : 60;
  return format_seconds({grain * std::ceil(s / grain * (1 - 1e-9))});
}

std::string limit_seconds(Seconds limit) {
  const double s = limit.value, grain = s < 3600 ? 1 : 60;
  if (s >= 1 && std::fmod(s, grain) != 0) return as_typed(s) + " s";
  return format_seconds(limit);
}

}  // namespace flyball
