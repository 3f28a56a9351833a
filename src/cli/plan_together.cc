#include "cli/plan_together.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "cli/board.h"
#include "cli/output.h"
#include "device/registry/board.h"
#include "twin/twin.h"

namespace flyball::cli {
namespace {

constexpr double shortest_s = 60;
constexpr double windows = 100;
constexpr size_t filling = 2;  ///< windows

bool simulated(const SharedBoard& shared) {
  return std::ranges::all_of(shared.profilers, [](const auto& role) {
    return role->info().live && role->info().provenance == Provenance::simulated;
  });
}

struct SimulatedRole {
  Twin twin;
  TwinConfiguration configuration;
};

Result<SimulatedRole> role_of(const TwinBoard& board, const Plan& plan, size_t role) {
  const Role& asked = plan.problem->roles[role];
  FLYBALL_ASSIGN(TwinWorkload workload, known_twin_workload(asked.workload, asked.phase));
  FLYBALL_ASSIGN(Twin twin, Twin::make(board, std::move(workload)));
  const Trial trial = plan.problem->candidates->space(role).trial(plan.answer->choice[role],
                                                                  asked.workload, asked.phase);
  FLYBALL_ASSIGN(TwinConfiguration configuration, twin_configuration(trial));
  return SimulatedRole{std::move(twin), std::move(configuration)};
}

double planned_per_s(const Plan& plan, double batch) {
  const Problem& problem = *plan.problem;
  const double window_s = problem.window_ms(1, batch) * 1e-3;
  const double value = objective_value(problem, plan.answer->outcome);
  const double counts = problem.counts(problem.candidates->batch(0, plan.answer->choice[0]));
  if (problem.objective == Objective::throughput) return value / counts;
  if (problem.objective == Objective::minibatches) return value / window_s;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Result<std::optional<Together>> try_together(const PlanOptions& options, const SharedBoard& shared,
                                             const Plan& plan) {
  const Problem& problem = *plan.problem;
  if (!plan.answer || !problem.concurrent() || problem.separate_modes || !simulated(shared))
    return std::optional<Together>();
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  const TwinBoard& twin = *board->twin();
  FLYBALL_ASSIGN(const SimulatedRole train, role_of(twin, plan, 0));
  FLYBALL_ASSIGN(const SimulatedRole serve, role_of(twin, plan, 1));
  const double batch = problem.candidates->batch(1, plan.answer->choice[1]);
  TwinPairOptions pair;
  pair.arrival_per_s = problem.roles[1].rate_hz;
  pair.seconds = std::max(shortest_s, windows * problem.window_ms(1, batch) * 1e-3);
  pair.seed = options.request.seed;
  const auto run =
      simulate_pair(train.twin, train.configuration, serve.twin, serve.configuration, pair);
  Together together;
  together.seconds = pair.seconds;
  together.planned_per_s = planned_per_s(plan, batch);
  if (!run) {
    together.refused = run.error().message;
    return std::optional(together);
  }
  together.train_per_s = run->train_per_s;
  // The first windows fill the loaders.
  const auto& all = run->latency_ms;
  if (all.size() > filling)
    together.latency_ms = *std::max_element(all.begin() + filling, all.end());
  together.late = run->late;
  if (!twin_power_total(twin).empty())
    together.hungrier_w =
        std::max(twin_total_w(twin, run->train.power), twin_total_w(twin, run->serve.power));
  return std::optional(together);
}

std::string together_text(const Together& together) {
  if (!together.refused.empty())
    return fmt::format("both simulated at once: {}\n", together.refused);
  return fmt::format(
      "both simulated at once, in turns, for {} s: {} training minibatches/s{}, longest latency {} "
      "ms{}{}\n",
      number(together.seconds), number(together.train_per_s),
      std::isnan(together.planned_per_s)
          ? ""
          : fmt::format(" (planned {})", number(together.planned_per_s)),
      number(together.latency_ms),
      std::isnan(together.hungrier_w)
          ? ""
          : fmt::format(", {} W while the hungrier runs", number(together.hungrier_w)),
      together.late > 0
          ? fmt::format("; {} requests without an answer in time", number(together.late))
          : "");
}

nlohmann::ordered_json together_json(const std::optional<Together>& together) {
  if (!together) return nullptr;
  return {{"sharing", "interleaved"},
          {"seconds", together->seconds},
          {"refused", together->refused.empty() ? nlohmann::ordered_json()
                                                : nlohmann::ordered_json(together->refused)},
          {"train_per_s", or_null(together->train_per_s)},
          {"planned_per_s", or_null(together->planned_per_s)},
          {"latency_ms", or_null(together->latency_ms)},
          {"late", together->late},
          {"hungrier_w", or_null(together->hungrier_w)},
          {"provenance", provenance_name(Provenance::simulated)}};
}

}  // namespace flyball::cli
