// For tests: a hint of an answer followed as it is typed.
#pragma once

#include <fmt/format.h>

#include "answers/infeasible.h"
#include "base/units.h"
#include "tune/request.h"

namespace flyball::testing_follow {

/// The value as the command line reads it.
inline double typed(const Advice& advice) {
  const std::string text = fmt::format("{:.12g}{}", advice.value, advice.unit);
  if (advice.unit == "W") return parse_watts(text)->value;
  if (advice.unit == "J") return parse_joules(text)->value;
  if (advice.unit == "s" || advice.unit == "ms") return parse_seconds(text)->value;
  return advice.value;
}

/// `service`: which of the services it is of.
inline Request follow(Request request, const Advice& advice, size_t service = 0) {
  const double value = typed(advice);
  if (advice.flag == "--profiles") request.profiles = static_cast<size_t>(value);
  if (advice.flag == "--power-budget") request.power_budget_w = value;
  if (advice.flag == "--time-budget") request.time_budget_s = value;
  if (advice.flag == "--energy-budget") request.energy_budget_j = value;
  if (advice.figure == "slowdown") request.slowdown = 1 + value / 100;
  if (advice.flag == "--latency") request.latencies_ms[service] = value * 1e3;
  if (advice.flag == "--rate") request.rates_hz[service] = value;
  return request;
}

}  // namespace flyball::testing_follow
