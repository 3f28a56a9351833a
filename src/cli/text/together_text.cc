#include "cli/text/together_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/figure.h"
#include "base/json.h"
#include "cli/output.h"
#include "problem/problem.h"
#include "space/measurement.h"

namespace flyball::cli {
namespace {

std::string beyond_text(const Together& together, double budget_ms) {
  if (!(together.late_pct > 0)) return "";
  return fmt::format(
      "  {} % of the requests so miss the {} ms that were asked for: the plan rests on what each "
      "role does alone\n",
      number(together.late_pct), as_typed(budget_ms));
}

std::string over_budget_text(const Together& together, double budget_w) {
  if (std::isnan(together.hungrier_w) || holds(together.hungrier_w, budget_w)) return "";
  return fmt::format(
      "  that is above the {} W that were asked for: the plan rests on what each "
      "role does alone\n",
      as_typed(budget_w));
}

}  // namespace

std::string together_text(const Together& together, const Plan& plan) {
  if (!together.refused.empty())
    return fmt::format("both simulated at once: {}\n", together.refused);
  const double budget_ms = plan.problem->roles[1].latency_ms;
  return fmt::format(
             "both simulated at once, {}, for {} s: {} training minibatches/s{}, longest latency "
             "{}{} ms{}{}\n",
             together.scheduled ? "as `flyball serve` runs them" : "in turns",
             number(together.seconds), number(together.train_per_s),
             std::isnan(together.planned_per_s)
                 ? ""
                 : fmt::format(" (planned {})", number(together.planned_per_s)),
             number(together.latency_ms), std::isinf(budget_ms) ? "" : " of " + as_typed(budget_ms),
             std::isnan(together.hungrier_w) ? ""
                                             : fmt::format(", {} W while the hungrier runs",
                                                           upper_figure(together.hungrier_w, 3)),
             together.late > 0
                 ? fmt::format("; {} requests without an answer at the end", number(together.late))
                 : "") +
         beyond_text(together, budget_ms) +
         over_budget_text(together, plan.problem->budgets.power_w);
}

Json together_json(const std::optional<Together>& together) {
  if (!together) return nullptr;
  return {{"sharing", together->scheduled ? "scheduled" : "interleaved"},
          {"seconds", together->seconds},
          {"refused", together->refused.empty() ? Json() : Json(together->refused)},
          {"train_per_s", or_null(together->train_per_s)},
          {"planned_per_s", or_null(together->planned_per_s)},
          {"latency_ms", or_null(together->latency_ms)},
          {"late", together->scheduled ? Json() : Json(together->late)},
          {"late_pct", or_null(together->late_pct)},
          {"hungrier_w", or_null(together->hungrier_w)},
          {"provenance", provenance_name(Provenance::simulated)}};
}

}  // namespace flyball::cli
