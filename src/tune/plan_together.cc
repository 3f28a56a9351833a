#include "tune/plan_together.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "device/registry/board.h"
#include "twin/twin.h"

namespace flyball {
namespace {

constexpr double shortest_s = 60;
constexpr double windows = 100;
constexpr size_t filling = 2;  ///< windows

struct SimulatedRole {
  Twin twin;
  TwinConfiguration configuration;
};

Result<SimulatedRole> role_of(const TwinBoard& board, const Plan& plan, size_t role) {
  const Role& asked = plan.problem->roles[role];
  FLYBALL_ASSIGN(TwinWorkload workload, known_twin_workload(asked.workload, asked.phase));
  keep_requests_at_hand(workload, plan.problem->candidates->space(role).axes());
  FLYBALL_ASSIGN(Twin twin, Twin::make(board, std::move(workload)));
  const Trial trial = plan.problem->candidates->space(role).trial(plan.answer->choice[role],
                                                                  asked.workload, asked.phase);
  FLYBALL_ASSIGN(TwinConfiguration configuration, twin_configuration(trial));
  return SimulatedRole{std::move(twin), std::move(configuration)};
}

/// Of batches whose first request took so long, each other one a gap less: the share that was late.
double late_pct(std::span<const double> latency_ms, double batch, const Role& role) {
  const double gap_ms = 1e3 / role.rate_hz;
  double late = 0;
  for (const double first_ms : latency_ms)
    if (first_ms > role.latency_ms)
      late += std::min(batch, std::ceil((first_ms - role.latency_ms) / gap_ms));
  return 100 * late / (batch * static_cast<double>(latency_ms.size()));
}

}  // namespace

double planned_trainings_per_s(const Plan& plan) {
  const Problem& problem = *plan.problem;
  const double batch = problem.candidates->batch(1, plan.answer->choice[1]);
  const double window_s = problem.window_ms(1, batch) * 1e-3;
  const double value = objective_value(problem, plan.answer->outcome);
  const double counts = problem.counts(problem.candidates->batch(0, plan.answer->choice[0]));
  if (problem.objective == Objective::throughput) return value / counts;
  if (problem.objective == Objective::minibatches) return value / window_s;
  return std::numeric_limits<double>::quiet_NaN();
}

double together_seconds(const Plan& plan) {
  const double batch = plan.problem->candidates->batch(1, plan.answer->choice[1]);
  return std::max(shortest_s, windows * plan.problem->window_ms(1, batch) * 1e-3);
}

Result<std::optional<Together>> try_together(const TwinBoard& board, const Plan& plan,
                                             uint64_t seed) {
  const Problem& problem = *plan.problem;
  if (!plan.answer || !problem.concurrent() || problem.separate_modes)
    return std::optional<Together>();
  FLYBALL_ASSIGN(const SimulatedRole train, role_of(board, plan, 0));
  FLYBALL_ASSIGN(const SimulatedRole serve, role_of(board, plan, 1));
  const double batch = problem.candidates->batch(1, plan.answer->choice[1]);
  TwinPairOptions pair;
  pair.arrival_per_s = problem.roles[1].rate_hz;
  pair.seconds = together_seconds(plan);
  pair.seed = seed;
  const auto run =
      simulate_pair(train.twin, train.configuration, serve.twin, serve.configuration, pair);
  Together together;
  together.seconds = pair.seconds;
  together.planned_per_s = planned_trainings_per_s(plan);
  if (!run) {
    together.refused = run.error().message;
    return std::optional(together);
  }
  together.train_per_s = run->train_per_s;
  // The first windows fill the loaders.
  const auto& all = run->latency_ms;
  if (all.size() > filling) {
    const std::span served(all.begin() + filling, all.end());
    together.latency_ms = std::ranges::max(served);
    together.late_pct = late_pct(served, batch, problem.roles[1]);
  }
  together.late = run->late;
  if (!twin_power_total(board).empty())
    together.hungrier_w =
        std::max(twin_total_w(board, run->train.power), twin_total_w(board, run->serve.power));
  return std::optional(together);
}

}  // namespace flyball
