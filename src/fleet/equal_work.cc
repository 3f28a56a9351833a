// Each of `count` boards does all of the work. Boards that finish first wait in their lowest mode
// until the last one has finished, so the time of a plan is that of one of its modes: each such
// time is tried.
#include <algorithm>
#include <limits>

#include "base/distinct.h"
#include "fleet/pick.h"
#include "fleet/planner.h"

namespace flyball {
namespace {

constexpr double no_time = std::numeric_limits<double>::infinity();
constexpr double time_rounding = 1e-9;

class Equal {
 public:
  Equal(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
        const FleetLimits& limits)
      : question_(question), kinds_(kinds), limits_(limits) {
    for (const FleetKind& kind : kinds) {
      boards_ += kind.boards;
      if (question.unused_idles) idle_w_ += static_cast<double>(kind.boards) * idle_of(kind);
      for (const FleetMode& mode : kind.front) times_.push_back(time_of(mode));
    }
    count_ = limits.count.value_or(boards_);
    make_distinct(times_);
    if (limits.deadline_s)
      std::erase_if(times_, [&](double t) { return t > *limits.deadline_s * (1 + time_rounding); });
  }

  /// The first time at which boards of least power keep the limits.
  FleetSolution fastest() {
    for (const double time : times_) {
      const auto pick = least(time, 1, 0);
      if (pick && fits(*pick)) return {plan_of(*pick), time, true};
    }
    return {.exact = true};
  }

  FleetSolution weakest() {
    if (times_.empty()) return {.exact = true};
    const auto pick = least(times_.back(), 1, 0);
    if (!pick || !fits(*pick)) return {.exact = true};
    const FleetPlan plan = plan_of(*pick);
    return {plan, plan.power_w, true};
  }

  FleetSolution thriftiest() {
    FleetSolution best{.bound = no_time, .exact = true};
    for (const double time : times_) {
      const auto free = least(time, 0, 1);
      if (!free) continue;
      const double at_least = free->v + idle_w_ * time;
      if (best.plan && !(at_least < best.plan->energy_j)) continue;
      if (fits(*free))
        take(best, *free, at_least, true);
      else
        search(best, time);
    }
    return best.plan ? best : FleetSolution{.exact = best.exact};
  }

 private:
  double time_of(const FleetMode& mode) const {
    return question_.minibatches() * mode.minibatch_ms * 1e-3;
  }
  bool fits(const Pick& pick) const {
    return !limits_.power_w || pick.u + idle_w_ <= *limits_.power_w * (1 + time_rounding);
  }

  /// u: power; v: energy until `time`. Both beside what boards draw that are on anyway.
  PickOption option(const FleetKind& kind, const FleetMode& mode, double time) const {
    const double idle = idle_of(kind), run = time_of(mode);
    const double on = question_.unused_idles ? idle : 0;
    return {std::max(0.0, mode.power_w - on), mode.power_w * run + idle * (time - run) - on * time};
  }

  PickProblem problem_at(double time, std::vector<std::vector<size_t>>& modes) const {
    PickProblem problem;
    problem.count = count_;
    problem.exactly = true;
    problem.weight_v = 1;
    if (limits_.power_w) problem.most_u = *limits_.power_w - idle_w_;
    for (const FleetKind& kind : kinds_) {
      problem.kinds.push_back({kind.boards, {}});
      modes.emplace_back();
      for (size_t i = 0; i < kind.front.size(); ++i)
        if (time_of(kind.front[i]) <= time * (1 + time_rounding)) {
          problem.kinds.back().options.push_back(option(kind, kind.front[i], time));
          modes.back().push_back(i);
        }
    }
    return problem;
  }

  /// `count` boards with the least of it, without a limit on power; counts are by mode of the
  /// front.
  std::optional<Pick> least(double time, double weight_u, double weight_v) const {
    struct Best {
      double cost;
      size_t kind, mode;
      PickOption option;
    };
    std::vector<Best> best;
    for (size_t kind = 0; kind < kinds_.size(); ++kind) {
      Best one{no_time, kind, 0, {}};
      for (size_t i = 0; i < kinds_[kind].front.size(); ++i) {
        if (time_of(kinds_[kind].front[i]) > time * (1 + time_rounding)) continue;
        const PickOption added = option(kinds_[kind], kinds_[kind].front[i], time);
        const double cost = weight_u * added.u + weight_v * added.v;
        if (cost < one.cost) one = {cost, kind, i, added};
      }
      if (one.cost < no_time) best.push_back(one);
    }
    std::ranges::stable_sort(best, {}, &Best::cost);
    Pick pick;
    for (const FleetKind& kind : kinds_) pick.counts.emplace_back(kind.front.size(), 0);
    size_t left = count_;
    for (const Best& one : best) {
      const size_t taken = std::min(left, kinds_[one.kind].boards);
      pick.counts[one.kind][one.mode] = taken;
      pick.u += static_cast<double>(taken) * one.option.u;
      pick.v += static_cast<double>(taken) * one.option.v;
      left -= taken;
    }
    if (left > 0) return std::nullopt;
    return pick;
  }

  void take(FleetSolution& best, const Pick& pick, double bound, bool exact) const {
    const FleetPlan plan = plan_of(pick);
    best.bound = std::min(best.bound, bound);
    best.exact = best.exact && exact;
    if (!best.plan || plan.energy_j < best.plan->energy_j) best.plan = plan;
    best.bound = std::min(best.bound, best.plan->energy_j);
  }

  /// The limit on power binds at this time.
  void search(FleetSolution& best, double time) const {
    const auto weakest = least(time, 1, 0);
    if (!weakest || !fits(*weakest)) return;
    std::vector<std::vector<size_t>> modes;
    const PickProblem problem = problem_at(time, modes);
    const auto relaxation = relax(problem);
    if (!relaxation) return;
    const double at_least = relaxation->bound + idle_w_ * time;
    if (best.plan && !(at_least < best.plan->energy_j * (1 - time_rounding))) return;
    const PickAnswer answer = solve_pick(problem);
    if (!answer.pick) {
      take(best, *weakest, at_least, false);
      return;
    }
    Pick pick = *answer.pick;
    for (size_t kind = 0; kind < kinds_.size(); ++kind) {
      std::vector<size_t> counts(kinds_[kind].front.size(), 0);
      for (size_t i = 0; i < modes[kind].size(); ++i)
        counts[modes[kind][i]] = answer.pick->counts[kind][i];
      pick.counts[kind] = std::move(counts);
    }
    take(best, pick, answer.exact ? no_time : at_least, answer.exact);
  }

  FleetPlan plan_of(const Pick& pick) const {
    FleetPlan plan;
    double idle_w = idle_w_;
    for (size_t kind = 0; kind < kinds_.size(); ++kind)
      for (size_t i = 0; i < pick.counts[kind].size(); ++i) {
        const size_t boards = pick.counts[kind][i];
        if (boards == 0) continue;
        const double run = time_of(kinds_[kind].front[i]);
        plan.groups.push_back({kind, i, boards, question_.samples(), run, 0});
        plan.time_s = std::max(plan.time_s, run);
        plan.boards += boards;
        plan.power_w += static_cast<double>(boards) * kinds_[kind].front[i].power_w;
        if (question_.unused_idles) idle_w -= static_cast<double>(boards) * idle_of(kinds_[kind]);
      }
    for (FleetGroup& group : plan.groups) {
      const auto boards = static_cast<double>(group.boards);
      const double run_j = boards * kinds_[group.kind].front[group.mode].power_w * group.finished_s;
      const double wait_j = boards * idle_of(kinds_[group.kind]) * (plan.time_s - group.finished_s);
      group.energy_j = run_j + wait_j;
      plan.energy_j += group.energy_j;
      plan.waiting_j += wait_j;
    }
    if (question_.unused_idles) {
      plan.power_w += idle_w;
      plan.waiting_j += std::max(0.0, idle_w) * plan.time_s;
      plan.energy_j += std::max(0.0, idle_w) * plan.time_s;
    }
    return plan;
  }

  const FleetQuestion& question_;
  const std::vector<FleetKind>& kinds_;
  const FleetLimits& limits_;
  size_t boards_ = 0, count_ = 0;
  double idle_w_ = 0;  ///< of all boards, if none ran
  std::vector<double> times_;
};

}  // namespace

FleetSolution plan_equal_work(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
                              FleetObjective objective, const FleetLimits& limits) {
  Equal equal(question, kinds, limits);
  if (objective == FleetObjective::energy) return equal.thriftiest();
  FleetSolution solution = objective == FleetObjective::time ? equal.fastest() : equal.weakest();
  if (!solution.plan) return solution;
  // Of all plans with this time or power the one of least energy.
  FleetLimits reached = limits;
  if (objective == FleetObjective::time)
    reached.deadline_s = solution.plan->time_s;
  else
    reached.power_w = solution.plan->power_w;
  const FleetSolution thrifty = Equal(question, kinds, reached).thriftiest();
  if (thrifty.plan) solution.plan = thrifty.plan;
  return solution;
}

}  // namespace flyball
