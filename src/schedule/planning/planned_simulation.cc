#include "schedule/planning/planned_simulation.h"

#include <utility>

namespace flyball {
namespace {

// The scheduler is told what is known.
void expect(RunningPlan& truth, const RunningPlan& known) {
  for (size_t s = 0; s < truth.services.size(); ++s)
    truth.services[s].expected = known.services[s].minibatch;
  for (size_t t = 0; t < truth.trainings.size(); ++t)
    truth.trainings[t].expected = known.trainings[t].minibatch;
}

/// Hands the planner's changes to the simulation, as they truly turn out.
class SimulatedPlanner {
 public:
  explicit SimulatedPlanner(const PlannedSimulation& planned)
      : planned_(planned), look_ns_(static_cast<int64_t>(planned.options.look_s * 1e9)) {
    ServingPlannerOptions options = planned.options;
    options.began_ns = 0;
    ServingChoice seams;
    seams.change = [this](PlanChange change) { change_ = std::move(change); };
    seams.set_mode = [](size_t) { return Status(); };
    seams.stands = [this] { return *so_far_; };
    planner_.emplace(*planned.truth.problem, planned.known, planned.choice, planned.rates_hz,
                     std::move(seams), options);
  }

  ServingPlanner& planner() { return *planner_; }

  std::optional<PlanChange> look(int64_t now_ns, const ServingResult& so_far) {
    if (now_ns < next_ns_) return std::nullopt;
    next_ns_ = now_ns + look_ns_;
    so_far_ = &so_far;
    planner_->look(now_ns);
    if (!change_) return std::nullopt;
    RunningPlan plan = planned_.truth.plan(planner_->choice());
    expect(plan, change_->plan);
    plan.trainings_per_s = std::move(change_->plan.trainings_per_s);
    change_->plan = std::move(plan);
    return std::exchange(change_, std::nullopt);
  }

 private:
  const PlannedSimulation& planned_;
  int64_t look_ns_, next_ns_ = 0;
  const ServingResult* so_far_ = nullptr;
  std::optional<PlanChange> change_;
  std::optional<ServingPlanner> planner_;
};

}  // namespace

ServingResult simulate_planned(Simulation simulation, const PlannedSimulation& planned) {
  SimulatedPlanner simulated(planned);
  ServingPlanner& planner = simulated.planner();
  expect(simulation.plan,
         ServingProblem{planned.truth.problem, &planned.known}.plan(planned.choice));
  simulation.arrived = [&](size_t service, int64_t now_ns) { planner.arrived(service, now_ns); };
  simulation.ran = [&planner, also = std::move(simulation.ran)](const Decision& what,
                                                                int64_t begin_ns, int64_t end_ns) {
    planner.ran(what, begin_ns, end_ns);
    if (also) also(what, begin_ns, end_ns);
  };
  simulation.replan = [&simulated](int64_t now_ns, const ServingResult& so_far) {
    return simulated.look(now_ns, so_far);
  };
  ServingResult result = simulate(std::move(simulation));
  planner.stop();
  planner.tell(result);
  return result;
}

}  // namespace flyball
