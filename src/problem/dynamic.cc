#include "problem/dynamic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problem/choices.h"

namespace flyball {
namespace {

/// The best choice of each mode in one window, and what it costs.
struct Stage {
  std::vector<Choice> best;     ///< by mode; empty candidates where none is feasible
  std::vector<double> cost;     ///< of the window
  std::vector<double> power_w;  ///< of that choice; NaN where it is not known
};

/// Training counts minibatches, power and energy count joules, the rest milliseconds of requests.
double weight_of(const Problem& problem, const RateWindow& window) {
  const bool per_second =
      counts_training(problem.objective) || problem.objective == Objective::power;
  return per_second ? window.seconds : window.seconds * window.rate_hz;
}

/// What changing the mode takes out of the board: the larger power of both modes, and what the
/// change itself costs. Nothing where a power is not known.
std::optional<double> joules_of_switch(const Problem& problem, double from_w, double to_w) {
  if (std::isnan(from_w) || std::isnan(to_w)) return {};
  return std::max(from_w, to_w) * problem.switch_ms * 1e-3 + problem.switch_j;
}

/// Modes are compared by what is known of it.
double counted_joules(const Problem& problem, double from_w, double to_w) {
  return joules_of_switch(problem, from_w, to_w).value_or(problem.switch_j);
}

/// Of changing the mode at the start of a window, which is long enough for it.
double cost_of_switch(const Problem& problem, const RateWindow& window, double to_loss,
                      double from_w, double to_w, double idle_w) {
  const double seconds = problem.switch_ms * 1e-3;
  if (seconds > window.seconds) return unlimited;
  if (counts_training(problem.objective)) return -to_loss * seconds;
  const double joules = counted_joules(problem, from_w, to_w);
  // The window is counted at the new mode's power from its start.
  if (problem.objective == Objective::power) return joules - to_w * seconds;
  // Idle power is counted of the whole window, and the switch takes the place of some of it.
  if (problem.objective == Objective::energy) return joules - idle_w * seconds;
  // Requests that arrive during the switch wait for half of it on average.
  return window.rate_hz * seconds * problem.switch_ms / 2;
}

Result<Stage> stage_of(const Problem& problem, const Readings& readings, const RateWindow& window,
                       size_t number) {
  if (!(window.rate_hz > 0) || !(window.seconds > 0))
    return Error{Code::invalid_argument,
                 fmt::format("window {} lasts {:g} s at {:g} requests/s", number, window.seconds,
                             window.rate_hz),
                 "both must be above zero"};
  Problem now = problem;
  now.roles.back().rate_hz = window.rate_hz;
  // n per window depends on the rate; per second it is comparable between windows.
  if (now.objective == Objective::minibatches) now.objective = Objective::throughput;
  Stage stage;
  stage.best.resize(problem.candidates->mode_count());
  for_each_choice(now, [&](std::span<const size_t> choice) {
    const Outcome found = outcome_of(now, readings, choice);
    Choice& best = stage.best[problem.candidates->mode_of(0, choice[0])];
    if (!found.feasible || (!best.candidates.empty() && !found.better_than(best.outcome))) return;
    best = {{choice.begin(), choice.end()}, found};
  });
  bool any = false;
  for (const Choice& best : stage.best) {
    const bool open = !best.candidates.empty();
    any = any || open;
    stage.cost.push_back(open ? best.outcome.loss * weight_of(now, window) : unlimited);
    stage.power_w.push_back(open ? power_of(readings, best.candidates) : not_measured);
  }
  if (any) return stage;
  return infeasible_error(now, readings)
      .within(fmt::format("window {} ({:g} requests/s), among the profiles made", number,
                          window.rate_hz));
}

/// What the windows so far cost, how often the mode changed, and what they draw.
struct Path {
  double cost = unlimited;
  size_t switches = 0;
  double joules = 0;  ///< NaN where some power is not known
  double ties = 0;    ///< Outcome::tie by seconds

  /// A switch that gains nothing but a last digit is not made; equals compare as outcomes do.
  bool better_than(const Path& other) const {
    const double digit = other.cost == unlimited ? 0 : 1e-9 * std::abs(other.cost);
    if (cost < other.cost - digit) return true;
    if (cost > other.cost + digit || cost == unlimited) return false;
    if (switches != other.switches) return switches < other.switches;
    if (clearly_less(joules, other.joules)) return true;
    return !clearly_less(other.joules, joules) && clearly_less(ties, other.ties);
  }

  /// By more than a last digit; no where one of them is not known.
  static bool clearly_less(double a, double b) { return a < (1 - 1e-9) * b; }
};

/// One window in this mode behind that path.
Path then(const Path& path, const Stage& stage, const RateWindow& window, size_t mode) {
  return {path.cost + stage.cost[mode], path.switches,
          path.joules + stage.power_w[mode] * window.seconds,
          path.ties + stage.best[mode].outcome.tie * window.seconds};
}

size_t cheapest(const std::vector<Path>& paths) {
  size_t best = 0;
  for (size_t m = 1; m < paths.size(); ++m)
    if (paths[m].better_than(paths[best])) best = m;
  return best;
}

/// Totals as the caller reads them.
double value_of(const Problem& problem, std::span<const RateWindow> windows, double total) {
  double weight = 0;
  for (const RateWindow& window : windows) weight += weight_of(problem, window);
  return (counts_training(problem.objective) ? 0 - total : total) / weight;  // none is 0, not -0
}

}  // namespace

Result<DynamicPlan> plan_dynamic(const Problem& problem, const Readings& readings,
                                 std::span<const RateWindow> windows) {
  if (windows.empty() || problem.separate_modes || !problem.roles.back().serves())
    return Error{Code::invalid_argument,
                 "a dynamic plan needs windows, a serving workload, and one mode for all workloads",
                 "give at least one window as RATE:SECONDS"};
  std::vector<Stage> stages;
  for (size_t w = 0; w < windows.size(); ++w) {
    FLYBALL_ASSIGN(Stage stage, stage_of(problem, readings, windows[w], w + 1));
    stages.push_back(std::move(stage));
  }
  // total[m]: the best so far when the last window runs in mode m; came[w][m]: the mode before.
  std::vector<Path> total;
  for (size_t m = 0; m < stages[0].cost.size(); ++m)
    total.push_back(then({.cost = 0}, stages[0], windows[0], m));
  std::vector<Path> unchanged = total;
  std::vector<std::vector<size_t>> came(1, std::vector<size_t>(total.size()));
  std::iota(came[0].begin(), came[0].end(), size_t{0});
  for (size_t w = 1; w < stages.size(); ++w) {
    const Stage& now = stages[w];
    std::vector<Path> next(total.size());
    std::vector<size_t>& before = came.emplace_back(total.size());
    for (size_t m = 0; m < total.size(); ++m) {
      unchanged[m].cost += now.cost[m];
      before[m] = m;
      if (now.cost[m] == unlimited) continue;
      Path least = total[m];
      for (size_t from = 0; from < total.size(); ++from) {
        if (total[from].cost == unlimited || from == m) continue;
        const double added = cost_of_switch(problem, windows[w], now.best[m].outcome.loss,
                                            stages[w - 1].power_w[from], now.power_w[m],
                                            problem.idle_w.empty() ? 0 : problem.idle_w[m]);
        const Path switched{
            total[from].cost + added, total[from].switches + 1,
            total[from].joules +
                counted_joules(problem, stages[w - 1].power_w[from], now.power_w[m]),
            total[from].ties};
        if (!switched.better_than(least)) continue;
        least = switched;
        before[m] = from;
      }
      next[m] = then(least, now, windows[w], m);
    }
    if (next[cheapest(next)].cost == unlimited)
      return Error{Code::infeasible,
                   fmt::format("window {} lasts {:g} s, less than the {:g} s that a switch takes, "
                               "and no profiled mode serves it and the one before",
                               w + 1, windows[w].seconds, problem.switch_ms * 1e-3),
                   "join short windows, give the true --switch-cost, or allow more --profiles"};
    total = std::move(next);
  }
  DynamicPlan plan;
  size_t mode = cheapest(total);
  plan.value = value_of(problem, windows, total[mode].cost);
  if (const double kept = unchanged[cheapest(unchanged)].cost; kept != unlimited)
    plan.static_value = value_of(problem, windows, kept);
  plan.windows.resize(windows.size());
  for (size_t w = windows.size(); w-- > 0;) {
    const size_t before = came[w][mode];
    plan.windows[w] = {windows[w], stages[w].best[mode], before != mode};
    if (before != mode) {
      ++plan.switches;
      plan.windows[w].switch_j =
          joules_of_switch(problem, stages[w - 1].power_w[before], stages[w].power_w[mode]);
    }
    mode = before;
  }
  return plan;
}

}  // namespace flyball
