// Boards share the samples by their speed, so that all finish together: energy = work × Σ power ÷
// Σ speed, of which the ratio is made least by Dinkelbach's steps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fleet/pick.h"
#include "fleet/planner.h"

namespace flyball {
namespace {

constexpr double faster_counts = 1e-9;  // of two plans of one energy the faster one
constexpr int ratio_steps = 40;

class Shared {
 public:
  Shared(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
         const FleetLimits& limits)
      : question_(question), kinds_(kinds) {
    for (const FleetKind& kind : kinds) add(kind);
    problem_.count = std::min(limits.count.value_or(problem_.boards()), problem_.boards());
    if (limits.power_w) problem_.most_u = *limits.power_w - idle_w_;
    if (limits.deadline_s) problem_.most_v = -question.samples() / *limits.deadline_s;
  }

  FleetSolution fastest() {
    problem_.weight_u = 0;
    problem_.weight_v = 1;
    const PickAnswer answer = solve();
    if (!answer.pick || !(answer.pick->v < 0)) return {.exact = answer.exact};
    return {plan_of(*answer.pick), -question_.samples() / std::min(answer.bound, answer.pick->v),
            answer.exact};
  }

  FleetSolution weakest() {
    problem_.weight_u = 1;
    problem_.weight_v = 0;
    // Without a deadline any speed does, but for none at all.
    problem_.most_v = std::min(problem_.most_v, -slowest_);
    const PickAnswer answer = solve();
    if (!answer.pick || !(answer.pick->v < 0)) return {.exact = answer.exact};
    return {plan_of(*answer.pick), std::min(answer.bound, answer.pick->u) + idle_w_, answer.exact};
  }

  FleetSolution thriftiest() {
    problem_.weight_u = 0;
    problem_.weight_v = 1;
    PickAnswer answer = solve();
    if (!answer.pick || !(answer.pick->v < 0)) return {.exact = answer.exact};
    Pick best = *answer.pick;
    for (const PickEffort effort : {PickEffort::quick, PickEffort::thorough})
      for (int step = 0; step < ratio_steps; ++step) {
        weigh(ratio(best) * (1 + faster_counts));
        answer = solve_pick(problem_, best, effort);
        if (answer.pick->counts == best.counts) break;
        best = *answer.pick;
      }
    const double least = answer.exact ? ratio(best) : least_ratio(ratio(best));
    return {plan_of(best), std::min(least, ratio(best)) * question_.samples(), answer.exact};
  }

 private:
  void add(const FleetKind& kind) {
    const double idle = question_.unused_idles ? idle_of(kind) : 0;
    PickKind one{kind.boards, {}};
    for (const FleetMode& mode : kind.front) {
      const double speed = samples_per_s(question_, mode);
      one.options.push_back({std::max(0.0, mode.power_w - idle), -speed});
      if (kind.boards > 0) slowest_ = std::min(slowest_, speed);
    }
    problem_.kinds.push_back(std::move(one));
    idle_w_ += static_cast<double>(kind.boards) * idle;
  }

  PickAnswer solve(const std::optional<Pick>& known = {}) const {
    if (problem_.most_u < 0) return {.exact = true};
    return solve_pick(problem_, known);
  }

  void weigh(double joules_per_sample) {
    problem_.weight_u = 1;
    problem_.weight_v = joules_per_sample;
  }
  double ratio(const Pick& pick) const { return (pick.u + idle_w_) / -pick.v; }

  /// Of boards that may be divided between modes, from a ratio that is not below it.
  double least_ratio(double from) {
    for (int step = 0; step < ratio_steps; ++step) {
      weigh(from);
      const auto relaxation = relax(problem_);
      if (!relaxation || relaxation->bound + idle_w_ >= -1e-9 * (std::abs(from) + idle_w_))
        return from;
      double u = 0, v = 0;
      for (size_t kind = 0; kind < problem_.kinds.size(); ++kind)
        for (size_t i = 0; i < problem_.kinds[kind].options.size(); ++i) {
          u += relaxation->counts[kind][i] * problem_.kinds[kind].options[i].u;
          v += relaxation->counts[kind][i] * problem_.kinds[kind].options[i].v;
        }
      const double next = (u + idle_w_) / -v;
      if (!(next < from * (1 - 1e-12))) return next;
      from = next;
    }
    return 0;
  }

  FleetPlan plan_of(const Pick& pick) const {
    FleetPlan plan;
    plan.time_s = question_.samples() / -pick.v;
    double idle_w = idle_w_;
    for (size_t kind = 0; kind < kinds_.size(); ++kind)
      for (size_t i = 0; i < pick.counts[kind].size(); ++i) {
        const size_t boards = pick.counts[kind][i];
        if (boards == 0) continue;
        const FleetMode& mode = kinds_[kind].front[i];
        const double watts = static_cast<double>(boards) * mode.power_w;
        plan.groups.push_back({kind, i, boards, samples_per_s(question_, mode) * plan.time_s,
                               plan.time_s, watts * plan.time_s});
        plan.boards += boards;
        plan.power_w += watts;
        if (question_.unused_idles) idle_w -= static_cast<double>(boards) * idle_of(kinds_[kind]);
      }
    if (question_.unused_idles) plan.power_w += idle_w;
    plan.waiting_j = question_.unused_idles ? std::max(0.0, idle_w) * plan.time_s : 0;
    plan.energy_j = plan.power_w * plan.time_s;
    return plan;
  }

  const FleetQuestion& question_;
  const std::vector<FleetKind>& kinds_;
  PickProblem problem_;
  double idle_w_ = 0;                                         ///< of all boards, if none ran
  double slowest_ = std::numeric_limits<double>::infinity();  ///< [samples/s] of any board's modes
};

}  // namespace

FleetSolution plan_shared_work(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
                               FleetObjective objective, const FleetLimits& limits) {
  Shared shared(question, kinds, limits);
  switch (objective) {
    case FleetObjective::time:
      return shared.fastest();
    case FleetObjective::power:
      return shared.weakest();
    case FleetObjective::energy:
      return shared.thriftiest();
  }
  return {};
}

}  // namespace flyball
