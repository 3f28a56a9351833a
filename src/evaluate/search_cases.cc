// Each search of a sweep as a line of CSV.
#include <fmt/format.h>

#include <cmath>

#include "base/csv.h"
#include "evaluate/search_sweep.h"

namespace flyball {
namespace {

std::string field(double value) {
  return std::isfinite(value) ? fmt::format("{:.7g}", value) : "";
}

}  // namespace

std::string cases_csv(std::span<const SearchCase> cases) {
  std::string text =
      csv_line({"strategy", "seed", "tables", "power_budget_w", "time_budget_ms", "energy_budget_j",
                "latency_ms", "rate_hz", "optimum", "robust_optimum", "answer", "power_w",
                "profiles", "trials", "chosen"});
  for (const SearchCase& one : cases) {
    const ProblemSpec& asked = one.asked;
    text += csv_line({one.strategy, fmt::format("{}", one.seed), one.tables,
                      field(asked.budgets.power_w), field(asked.budgets.time_ms),
                      field(asked.budgets.energy_j), field(asked.latency_ms),
                      asked.rate_hz > 0 ? field(asked.rate_hz) : "", field(one.optimum),
                      field(one.robust_optimum), field(one.answer), field(one.power_w),
                      fmt::format("{}", one.profiles), fmt::format("{}", one.trials),
                      one.chosen.empty() ? "" : describe(one.chosen)});
  }
  return text;
}

}  // namespace flyball
