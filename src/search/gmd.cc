// GMD, the gradient search of AutoCITE/Fulcrum: profile the median mode and one step along each
// axis, then follow the axis with the steepest time per watt by halving (methods of the paper, with
// the two quirks of the published code that its counts need).
#include <algorithm>
#include <cmath>
#include <limits>

#include "search/lookup.h"
#include "search/mode_grid.h"
#include "search/registry.h"

namespace flyball {
namespace {

constexpr int max_tries = 15;
constexpr size_t max_counted = 25;  // profiles of the concurrent problem's last resort

/// What GMD sees of one mode; for two workloads the power is the larger one.
struct Visit {
  size_t mode = 0;
  std::vector<Reading> readings;  ///< one per role
  double power = 0;
};

class Gmd : public Strategy {
 public:
  Gmd(const std::shared_ptr<const Problem>& asked, SearchOptions with)
      : Strategy(asked, std::move(with)),
        grid_(problem().candidates->modes(),
              {axis::cpu_cores, axis::gpu_mhz, axis::cpu_mhz, axis::mem_mhz}) {}

 protected:
  std::optional<Ask> propose() override {
    Lookup lookup(history());
    visits_.clear();
    run(lookup);
    if (lookup.wants()) return lookup.wants();
    return stop("the gradient search ended");
  }

 private:
  const Candidates& all() const { return *problem().candidates; }
  double budget() const { return problem().budgets.power_w; }
  size_t served() const { return all().roles() - 1; }

  void run(Lookup& lookup) {
    if (problem().concurrent()) return concurrent(lookup);
    if (problem().roles.size() == 2) return concurrent_at(lookup, smallest_batch());
    const bool serves = problem().roles[0].serves();
    if (!climb(lookup, smallest_batch(), serves ? 0.2 : 1.0, false) || !serves) return;
    if (!history().best() || !history().best()->outcome.feasible) larger_batch(lookup);
  }

  double smallest_batch() const { return all().batches(served()).front(); }

  /// All roles in one mode; the last one at the given batch size. Nothing when it has to be asked.
  std::optional<Visit> visit(Lookup& lookup, const GridPosition& at, double batch,
                             const char* reason) {
    const auto mode = grid_.mode(at);
    Visit found;
    if (!mode)
      return Visit{0, std::vector<Reading>(all().roles(), {unlimited, unlimited}), unlimited};
    found.mode = *mode;
    for (size_t role = 0; role < all().roles(); ++role) {
      const auto candidate =
          role == served() ? all().at(role, *mode, batch) : all().first_of(role, *mode);
      const auto reading =
          candidate ? lookup.read(role, *candidate, reason) : Reading{unlimited, unlimited};
      if (!reading) return {};
      found.power = std::max(found.power, reading->power_w);
      found.readings.push_back(*reading);
    }
    if (std::ranges::find(visits_, found.mode, &Visit::mode) == visits_.end())
      visits_.push_back(found);
    return found;
  }

  struct Pair {
    Visit first, second;
  };

  /// |Δt/ΔP| of the workload with the larger power at the current mode; 0 where power hardly
  /// changes.
  static double slope(const Pair& pair, const Visit& current, double least_watts) {
    size_t role = 0;
    for (size_t r = 1; r < current.readings.size(); ++r)
      if (current.readings[r].power_w > current.readings[role].power_w) role = r;
    const Reading &a = pair.first.readings[role], &b = pair.second.readings[role];
    const double watts = std::abs(b.power_w - a.power_w);
    if (!(watts >= least_watts) || watts == unlimited) return 0;
    return std::abs((b.minibatch_ms - a.minibatch_ms) / watts);
  }

  /// The pseudo-code's lines 1–12. False when a reading has to be asked for first. `before`: line
  /// 11 decides by the power before the move (a quirk of the published concurrent search).
  bool climb(Lookup& lookup, double batch, double least_watts, bool before) {
    GridPosition at = grid_.median();
    const auto base = visit(lookup, at, batch, "the median mode");
    if (!base) return false;
    const bool down = !holds(base->power, budget());
    std::vector<Pair> pairs;
    for (size_t d = 0; d < grid_.dimensions(); ++d) {
      GridPosition aside = at;
      aside[d] = down ? 0 : grid_.length(d) - 1;
      const auto other = visit(lookup, aside, batch, "one axis at its end, for the slopes");
      if (!other) return false;
      pairs.push_back({*base, *other});
    }
    std::vector<Remaining> remaining;
    for (size_t d = 0; d < grid_.dimensions(); ++d) remaining.emplace_back(grid_.length(d));
    std::vector<bool> retired(grid_.dimensions(), false);
    Visit current = *base;
    for (int tries = 1; tries < max_tries; ++tries) {
      size_t steepest = 0;
      double most = 0;
      for (size_t d = 0; d < grid_.dimensions(); ++d) {
        const double s = retired[d] ? 0 : slope(pairs[d], current, least_watts);
        if (s > most) most = s, steepest = d;
      }
      if (most == 0) return true;
      const bool up = current.power < budget();
      remaining[steepest].move(at[steepest], up);
      if (remaining[steepest].values.size() <= 1) retired[steepest] = true;
      const auto next = visit(lookup, at, batch, "half-way along the steepest axis");
      if (!next) return false;
      current = *next;
      const bool raises_first = before ? up : current.power < budget();
      (raises_first ? pairs[steepest].second : pairs[steepest].first) = current;
    }
    return true;
  }

  double latency(const Visit& at, double batch) const {
    return problem().wait_ms(served(), batch) + at.readings[served()].minibatch_ms;
  }
  bool in_time(const Visit& at, double batch) const {
    return holds(latency(at, batch), problem().roles[served()].latency_ms);
  }
  bool sustains(const Visit& at, double batch) const {
    return holds(at.readings[served()].minibatch_ms, problem().window_ms(served(), batch));
  }

  void sort_by_time(std::vector<Visit>& visits) const {
    std::ranges::stable_sort(visits, {},
                             [&](const Visit& at) { return at.readings[served()].minibatch_ms; });
  }

  /// Inference, when a batch of one meets the budgets nowhere but for the arrival rate.
  void larger_batch(Lookup& lookup) {
    if (all().batches(0).size() < 2) return;
    const double first = smallest_batch(), batch = all().batches(0)[1];
    std::vector<Visit> hopeful;
    for (const Visit& at : visits_)
      if (holds(at.power, budget()) && in_time(at, first)) hopeful.push_back(at);
    sort_by_time(hopeful);
    for (const Visit& at : hopeful) {
      const auto candidate = all().at(0, at.mode, batch);
      if (!candidate) continue;
      const auto reading = lookup.read(0, *candidate, "a larger batch, to sustain the rate");
      if (!reading) return;
      const Visit tried{at.mode, {*reading}, reading->power_w};
      if (holds(tried.power, budget()) && in_time(tried, batch) && sustains(tried, batch)) return;
    }
  }

  void concurrent(Lookup& lookup) {
    const auto& batches = all().batches(served());
    const auto fastest = grid_.mode(grid_.highest());
    if (!fastest) return;
    size_t probes = 0;
    for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
      const auto candidate = all().at(served(), *fastest, *batch);
      if (!candidate) continue;
      const auto reading =
          lookup.read(served(), *candidate, "the largest batch that the fastest mode can serve");
      if (!reading) return;
      ++probes;
      Visit probe{*fastest, std::vector<Reading>(all().roles(), *reading), 0};
      if (!in_time(probe, *batch) || !sustains(probe, *batch)) continue;
      visits_.clear();
      if (climb(lookup, *batch, 1.0, true)) smaller_batches(lookup, *batch, probes);
      return;
    }
  }

  /// Two inferences (not in the paper): the same climb at the smallest batch sizes.
  void concurrent_at(Lookup& lookup, double batch) { climb(lookup, batch, 0.2, true); }

  /// The concurrent search's last resort, where no visited mode is feasible at its batch size.
  void smaller_batches(Lookup& lookup, double reached, size_t probes) {
    if (std::ranges::any_of(visits_, [&](const Visit& at) { return feasible(at, reached); }))
      return;
    size_t counted = probes + visits_.size();
    std::vector<Visit> hopeful;
    for (const Visit& at : visits_)
      if (sustains(at, reached)) hopeful.push_back(at);
    sort_by_time(hopeful);
    const auto& batches = all().batches(served());
    for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
      if (*batch >= reached) continue;
      for (const Visit& at : hopeful) {
        const auto candidate = all().at(served(), at.mode, *batch);
        if (!candidate) continue;
        const auto reading = lookup.read(served(), *candidate, "a smaller batch, to be in time");
        if (!reading) return;
        Visit tried = at;
        tried.readings[served()] = *reading;
        tried.power = std::max(at.readings[0].power_w, reading->power_w);
        if (feasible(tried, *batch)) return;
        if (++counted >= max_counted) break;
      }
    }
  }

  bool feasible(const Visit& at, double batch) const {
    return holds(at.power, budget()) && in_time(at, batch) && sustains(at, batch);
  }

  ModeGrid grid_;
  std::vector<Visit> visits_;  ///< distinct modes in the order of visit
};

}  // namespace

std::unique_ptr<Strategy> make_gmd(std::shared_ptr<const Problem> problem, SearchOptions options) {
  return std::make_unique<Gmd>(std::move(problem), std::move(options));
}

}  // namespace flyball
