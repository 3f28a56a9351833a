#include "problem/preference.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/figure.h"
#include "base/units.h"

namespace flyball {

std::string Preference::text() const {
  if (kind == Kind::latency) return "latency";
  return kind == Kind::training ? "training" : number(ms_of_percent) + "ms";
}

double ClientMargin::of_ms(double latency_ms) const {
  return std::min(std::max(share * latency_ms, least_ms), latency_ms / 2);
}

Status check_margin(const ClientMargin& margin, std::span<const double> latencies_ms) {
  if (margin.share > 0) return {};
  for (const double latency_ms : latencies_ms)
    if (margin.least_ms > latency_ms / 2)
      return Error{Code::invalid_argument,
                   fmt::format("a margin of {:g} ms leaves less than half of the latency budget of "
                               "{:g} ms",
                               margin.least_ms, latency_ms),
                   fmt::format("--margin takes at most {:g}ms of it", latency_ms / 2)};
  return {};
}

Result<Preference> parse_preference(const std::string& text) {
  if (text == "latency") return Preference{};
  if (text == "training") return Preference{.kind = Preference::Kind::training};
  const auto time = parse_seconds(text);
  if (time.ok() && time->value > 0)
    return Preference{.kind = Preference::Kind::exchange, .ms_of_percent = time->value * 1e3};
  return Error{
      Code::invalid_argument, fmt::format("'{}' is no preference", text),
      "latency, training, or the median latency that 1 % of training is worth, such as 5ms"};
}

}  // namespace flyball
