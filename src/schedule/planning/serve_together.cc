#include "schedule/planning/serve_together.h"

#include <algorithm>

#include "schedule/board_readings.h"
#include "schedule/planning/serving_problem.h"

namespace flyball {

Result<std::optional<Together>> serve_together(const SharedBoard& board, const Plan& plan) {
  const Problem& problem = *plan.problem;
  if (!plan.answer || !problem.concurrent() || problem.separate_modes)
    return std::optional<Together>();
  FLYBALL_ASSIGN(const Readings readings, readings_of_board(board));
  const ServingProblem live{&problem, &readings};
  const std::vector<size_t>& choice = plan.answer->choice;
  const auto arrivals = make_arrivals(constant_arrivals(problem.roles[1].rate_hz), 0);
  Simulation asked = live.simulation(choice);
  asked.arrivals = {arrivals.get()};
  asked.seconds = together_seconds(plan);
  Together together;
  together.scheduled = true;
  together.seconds = asked.seconds;
  together.planned_per_s = planned_trainings_per_s(plan);
  const ServingResult result = simulate(std::move(asked));
  const ServiceResult& service = result.services.front();
  together.train_per_s = static_cast<double>(result.trainings.front().minibatches) / result.seconds;
  if (service.answered > 0) together.latency_ms = service.latency.max_ms();
  together.late_pct = 100 * service.late_share();
  together.hungrier_w = live.power_w(choice);
  return std::optional(together);
}

}  // namespace flyball
