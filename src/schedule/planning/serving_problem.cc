#include "schedule/planning/serving_problem.h"

#include <cmath>

namespace flyball {

double ServingProblem::power_w(std::span<const size_t> choice) const {
  const Candidates& all = *problem->candidates;
  double largest_w = power_of(*readings, choice);
  for (size_t role = 0; role < choice.size(); ++role) {
    if (!problem->roles[role].serves()) continue;
    for (const size_t other : all.of_mode(role, all.mode_of(role, choice[role])))
      if (all.batch(role, other) < all.batch(role, choice[role]))
        if (const double own_w = (*readings)[role][other].power_w; own_w > largest_w)
          largest_w = own_w;
  }
  return largest_w;
}

double ServingProblem::planned_trainings(std::span<const size_t> choice) const {
  if (!problem->concurrent()) return 0;
  const double batch = problem->candidates->batch(1, choice[1]);
  const double window_ms = problem->window_ms(1, batch);
  return 1e3 / window_ms *
         minibatches_per_window(window_ms, (*readings)[1][choice[1]].minibatch_ms,
                                (*readings)[0][choice[0]].minibatch_ms);
}

RunningPlan ServingProblem::plan(std::span<const size_t> choice) const {
  const Candidates& all = *problem->candidates;
  RunningPlan plan;
  plan.mode = all.mode_of(0, choice[0]);
  plan.mode_text = describe(all.modes().settings(plan.mode));
  plan.idle_w = problem->idle_w.empty() ? not_measured : problem->idle_w[plan.mode];
  for (size_t role = 0; role < problem->roles.size(); ++role) {
    const Reading& reading = (*readings)[role][choice[role]];
    JobTimeline job{.minibatch = DurationModel(), .power_w = reading.power_w};
    if (!problem->roles[role].serves()) {
      job.minibatch.expect(1, reading.minibatch_ms * 1e6);
      plan.trainings.push_back(std::move(job));
      plan.trainings_per_s.push_back(planned_trainings(choice));
      continue;
    }
    const auto largest = static_cast<int64_t>(std::llround(all.batch(role, choice[role])));
    for (const size_t other : all.of_mode(role, all.mode_of(role, choice[role]))) {
      const auto batch = static_cast<int64_t>(std::llround(all.batch(role, other)));
      const double batch_ms = (*readings)[role][other].minibatch_ms;
      if (batch <= largest && batch_ms > 0) job.minibatch.expect(batch, batch_ms * 1e6);
    }
    plan.services.push_back(std::move(job));
    plan.largest_batch.push_back(largest);
  }
  return plan;
}

Simulation ServingProblem::simulation(std::span<const size_t> choice) const {
  Simulation asked;
  for (const Role& role : problem->roles) {
    if (!role.serves()) {
      asked.trainings.push_back({.name = role.workload});
      continue;
    }
    const double latency_ms = std::min(role.latency_ms, 1e9);
    asked.services.push_back(
        {.name = role.workload,
         .latency_ns = static_cast<int64_t>(std::llround(latency_ms * 1e6)),
         .queue = queue,
         .rate_hz = role.rate_hz,
         .margin_ns = static_cast<int64_t>(std::llround(problem->margin.of_ms(latency_ms) * 1e6))});
  }
  asked.preference = problem->preference;
  asked.plan = plan(choice);
  for (size_t s = 0; s < asked.services.size(); ++s)
    asked.services[s].largest_batch = asked.plan.largest_batch[s];
  return asked;
}

}  // namespace flyball
