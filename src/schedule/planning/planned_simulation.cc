#include "schedule/planning/planned_simulation.h"

namespace flyball {
namespace {

/// Hands the planner's changes to the simulation, as they truly turn out.
class SimulatedBoard {
 public:
  explicit SimulatedBoard(const PlannedSimulation& planned)
      : planned_(planned), look_ns_(static_cast<int64_t>(planned.options.look_s * 1e9)) {
    LivePlannerOptions options = planned.options;
    options.began_ns = 0;
    LivePlanned seams;
    seams.change = [this](LiveChange change) { change_ = std::move(change); };
    seams.set_mode = [](size_t) { return Status(); };
    seams.stands = [this] { return *so_far_; };
    planner_.emplace(*planned.truth.problem, planned.known, planned.choice, planned.rates_hz,
                     std::move(seams), options);
  }

  LivePlanner& planner() { return *planner_; }

  std::optional<PlanChange> look(int64_t now_ns, const LiveResult& so_far) {
    if (now_ns < next_ns_) return std::nullopt;
    next_ns_ = now_ns + look_ns_;
    so_far_ = &so_far;
    planner_->look(now_ns);
    if (!change_) return std::nullopt;
    PlanChange change;
    change.plan = planned_.truth.plan(planner_->choice());
    change.plan.trainings_per_s = change_->trainings_per_s;
    for (size_t s = 0; s < change.plan.services.size(); ++s)
      change.plan.services[s].expected = change_->services[s];
    for (size_t t = 0; t < change.plan.trainings.size(); ++t)
      change.plan.trainings[t].expected = change_->trainings[t];
    change.why = std::move(change_->why);
    change.only_in_gap = change_->only_in_gap;
    change.followed = [follow = *std::move(change_)] {
      if (!follow.mode_is_set()) (void)follow.set_mode();
      follow.followed();
    };
    change_.reset();
    return change;
  }

 private:
  const PlannedSimulation& planned_;
  int64_t look_ns_, next_ns_ = 0;
  const LiveResult* so_far_ = nullptr;
  std::optional<LiveChange> change_;
  std::optional<LivePlanner> planner_;
};

}  // namespace

LiveResult simulate_planned(Simulation simulation, const PlannedSimulation& planned) {
  SimulatedBoard board(planned);
  LivePlanner& planner = board.planner();
  LivePlan known = LiveProblem{planned.truth.problem, &planned.known}.plan(planned.choice);
  for (size_t s = 0; s < known.services.size(); ++s)
    simulation.plan.services[s].expected = std::move(known.services[s].minibatch);
  for (size_t t = 0; t < known.trainings.size(); ++t)
    simulation.plan.trainings[t].expected = std::move(known.trainings[t].minibatch);
  simulation.arrived = [&](size_t service, int64_t now_ns) { planner.arrived(service, now_ns); };
  simulation.ran = [&planner, also = std::move(simulation.ran)](const Decision& what,
                                                                int64_t begin_ns, int64_t end_ns) {
    planner.ran(what, begin_ns, end_ns);
    if (also) also(what, begin_ns, end_ns);
  };
  simulation.replan = [&board](int64_t now_ns, const LiveResult& so_far) {
    return board.look(now_ns, so_far);
  };
  LiveResult result = simulate(std::move(simulation));
  planner.stop();
  planner.tell(result);
  return result;
}

}  // namespace flyball
