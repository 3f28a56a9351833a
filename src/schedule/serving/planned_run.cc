#include "schedule/serving/planned_run.h"

#include "base/clock.h"
#include "profile/trials/mode_watch.h"

namespace flyball {
namespace {

constexpr double settled_s = 3;  // after a switch: whole laps of LivePower are of the mode

}  // namespace

Result<double> set_planned_mode(const ServingPlan& plan, HeldMode& held) {
  const Stopwatch watch;
  const PowerMode mode = plan.mode();
  FLYBALL_CHECK(held.set(mode));
  settle(held.knobs(), mode, 0);
  return watch.milliseconds();
}

Status check_power_budget(double budget_w, const Board& board) {
  if (budget_w == unlimited || board.power()->gap().empty()) return {};
  return Error{Code::unavailable, "a power budget cannot be kept: no power is read here",
               "`flyball doctor` says why; leave --power-budget out"};
}

std::unique_ptr<ServingPlanner> start_planner(const ServeRequest& request, const ServingPlan& plan,
                                              PlannedRun run) {
  Problem problem = plan.problem;
  problem.switch_ms = run.switch_ms;
  if (run.held) {
    run.planned.set_mode = [held = run.held, all = problem.candidates](size_t mode) {
      return held->set(all->modes().trial(mode, "", Phase::infer).mode);
    };
    run.planned.mode_stands = [held = run.held] { return held->stands(); };
  }
  ServingPlannerOptions watch;
  watch.replan.percentile = request.percentile;
  watch.replan.seed = request.plan.seed;
  watch.mode_is_set = run.held && request.rates_known();
  watch.queue = request.queue;
  watch.measure = request.measure;
  watch.visit.settle_s = settled_s;
  watch.began_ns = run.began_ns;
  auto planner =
      std::make_unique<ServingPlanner>(std::move(problem), plan.readings, plan.choice.choice,
                                       request.planned_rates_hz(), std::move(run.planned), watch);
  planner->start();
  return planner;
}

}  // namespace flyball
