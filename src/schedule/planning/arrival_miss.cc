#include "schedule/planning/arrival_miss.h"

#include <fmt/format.h>

#include <cmath>

namespace flyball {
namespace {

std::string words_of(const Problem& problem, std::span<const size_t> choice) {
  const size_t last = problem.roles.size() - 1;  // a service
  const Candidates& all = *problem.candidates;
  const Trial trial = all.space(last).trial(choice[last], "", Phase::infer);
  const std::string batches = fmt::format("batches up to {:g}", all.batch(last, choice[last]));
  return trial.mode.values.empty() ? batches : describe(trial.mode.values) + ", " + batches;
}

// Rounded up: what is told must do.
double rounded_up(double value, double step) {
  return std::ceil(value / step - 1e-9) * step;
}

}  // namespace

Error no_arrival_plan(ArrivalPlanner& planner, const Problem& problem, double percentile,
                      double power_w) {
  Error error{
      Code::infeasible,
      fmt::format("no choice answers {:g} % of these requests within the limits", percentile),
      "allow more latency or power, or a lower --percentile"};
  const auto enough = planner.least_power(power_w);
  if (planner.stopped()) return {Code::interrupted, "interrupted", ""};
  if (enough) {
    const double needed_w = rounded_up(enough->power_w, 0.1);
    error.message += fmt::format(": as simulated it takes {:.1f} W ({}), and {:g} W are allowed",
                                 needed_w, words_of(problem, enough->choice), power_w);
    error.hint =
        fmt::format("allow --power-budget {:.1f}W, more latency or a lower --percentile", needed_w);
  } else if (const auto nearest = planner.nearest(power_w)) {
    error.message +=
        fmt::format(": the nearest ({}) answers {:.3g} %", words_of(problem, nearest->choice),
                    100 * (1 - nearest->late_share));
    if (nearest->latency_ms > nearest->budget_ms)
      error.message += fmt::format(
          "; if none were refused, {:g} % of those of {} would be answered within {:.4g} ms, as "
          "simulated, and {:g} ms are allowed",
          percentile, nearest->service, rounded_up(nearest->latency_ms, 0.1), nearest->budget_ms);
    error.hint = "allow more latency or a lower --percentile, or serve fewer requests";
  } else if (const double load = planner.least_load(); load >= 1) {
    error.message += fmt::format(
        ": they come faster than they can be answered; in the fastest choice they take {:.3g} "
        "times the time that there is",
        load);
    error.hint = "serve fewer requests, or a lighter network";
  }
  if (planner.stopped()) return {Code::interrupted, "interrupted", ""};
  return error;
}

}  // namespace flyball
