// Ours: constrained Bayesian search. A predictor (with references where there are any) says how
// long each candidate takes and what it draws; the trial with the largest expected gain, its chance
// of being feasible included, is measured next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/choices.h"
#include "search/acquisition.h"
#include "search/design.h"
#include "search/figure_chance.h"
#include "search/registry.h"
#include "search/surfaces.h"

namespace flyball {
namespace {

constexpr size_t first_trials = 2;  // those of a training, whatever references let expect

std::string percent(double value) {
  return fmt::format("{:.{}f} %", value, value < 10 ? 1 : 0);
}

class Flyball : public Strategy {
 public:
  using Strategy::Strategy;

  void reopen() override { go_on(); }

 protected:
  std::optional<Ask> propose() override {
    if (const auto rest = rest_of_choice()) return rest;
    unfinished_.clear();
    profiles_ = history().profiles();
    if (profiles_ >= options().profile_budget) return stop("all profiles were used");
    const bool fitted = fit();
    const auto next = fitted ? best_ask() : design();
    if (!next && stopped().empty()) return stop("there is nothing left to try");
    return next;
  }

 private:
  /// The other workload's trial of a choice that was begun. What the first one took is known now,
  /// so the batch that belongs to it is chosen again: so many whole minibatches fit into a window,
  /// and a little more or less time decides which batch is the best. The mode stays: it is one
  /// profile.
  std::optional<Ask> rest_of_choice() {
    auto rest = first_missing(unfinished_, "the other workload of the same choice");
    if (!rest || !feasible_known() || !fit()) return rest;
    const double best = history().best()->outcome.loss;
    const Candidates& all = *problem().candidates;
    double most = outlook_.expect(problem(), unfinished_, best).gain;
    std::vector<size_t> choice = unfinished_;
    for (size_t other : all.of_mode(rest->role, all.mode_of(rest->role, rest->candidate))) {
      choice[rest->role] = other;
      if (history().find(rest->role, other)) continue;
      const double gain = outlook_.expect(problem(), choice, best).gain;
      if (gain <= most) continue;
      most = gain;
      unfinished_ = choice;
    }
    return first_missing(unfinished_, rest->reason);
  }

  /// Was each workload read in as many configurations as a search begins with? Of a training the
  /// first two tell its loader's part of the time from the GPU's, which references of other
  /// workloads do not; of services alone they place the second one better.
  bool begun() const {
    const auto trains = [](const Role& role) { return !role.serves(); };
    const bool two = std::ranges::any_of(problem().roles, trains) && !options().measured_before;
    const size_t first = two ? first_trials : 1;
    for (size_t role = 0; role < problem().roles.size(); ++role) {
      const auto& trials = history().of_role(role);
      const auto read =
          std::ranges::count_if(trials, [](const auto& trial) { return !trial.second.failed(); });
      // With one mode the batches of a service are tried first, whatever the training offers.
      const Candidates& all = *problem().candidates;
      const size_t needed = all.mode_count() > 1 ? std::min(first, all.size(role)) : 1;
      if (static_cast<size_t>(read) < needed) return false;
    }
    return true;
  }

  bool fit() {
    if (!begun()) return false;
    if (!feasible_known()) return posteriors_of(history(), options()).ok();
    outlook_ = Outlook(history(), options());
    return outlook_.known();
  }

  bool feasible_known() const {
    const auto& known = history().best();
    return known && known->outcome.feasible;
  }

  /// The first trials, while there are too few readings.
  std::optional<Ask> design() {
    const auto point = next_design_point(history());
    if (!point) return {};
    return begin(point->choice, point->reason);
  }

  /// Once something feasible is known, the open choice with the largest expected gain.
  std::optional<Ask> best_ask() {
    if (!feasible_known()) return promising_ask();
    const double best = history().best()->outcome.loss;
    if (const auto gap = gap_within_the_asked(best))
      return stop(
          fmt::format("on nine of ten drawn surfaces at most {:.2g} % more could be gained, within "
                      "the gap of {:g} %",
                      100 * *gap, 100 * options().gap));
    std::vector<size_t> chosen;
    double most = 0;
    bool any_open = false;
    for_each_choice(problem(), [&](std::span<const size_t> choice) {
      if (!open(choice)) return;
      any_open = true;
      const double gain = outlook_.expect(problem(), choice, best).gain;
      if (gain <= most) return;
      most = gain;
      chosen.assign(choice.begin(), choice.end());
    });
    if (!any_open) return stop("everything was measured");
    if (chosen.empty()) return stop("nothing is expected to be better");
    const double percents = 100 * most / (best == 0 ? 1 : std::abs(best));
    if (options().gap == 0 && percents < 100 * options().min_gain)
      return stop(fmt::format("the largest expected gain is {:g} %, below {:g} %",
                              std::floor(100 * percents) / 100, 100 * options().min_gain));
    return begin(chosen, fmt::format("largest expected gain ({})", percent(percents)));
  }

  std::optional<double> gap_within_the_asked(double best) const {
    if (options().gap <= 0) return {};
    const auto outcomes = SurfaceOutcomes::draw(history(), options());
    if (!outcomes.ok()) return {};
    const double gap = possible_gap(*outcomes, best);
    return gap <= options().gap ? std::optional(gap) : std::nullopt;
  }

  /// While nothing feasible is known: what is worth the most over all surfaces that could be the
  /// true ones. One that is right about the misses says of their neighbours that they miss, too.
  std::optional<Ask> promising_ask() {
    const auto outcomes = SurfaceOutcomes::draw(history(), options());
    if (!outcomes.ok()) return stop(outcomes.error().message);
    const auto promise = most_promising(*outcomes, [&](auto choice) { return open(choice); });
    if (!promise) return nearest_ask();
    const auto choice = outcomes->choice(promise->choice);
    return begin({choice.begin(), choice.end()},
                 fmt::format("may meet the budgets ({:.0f} %), and is good where it does",
                             100 * promise->feasible));
  }

  /// Where nothing is likely to meet the budgets: what would need the least of each, by the
  /// predictions, so that the answer can say how near that is.
  std::optional<Ask> nearest_ask() {
    if (auto far = farthest_from_misses(history(), [&](auto choice) { return open(choice); }))
      return begin(*std::move(far),
                   "no trial holds the limits on what is reported; this is farthest from all");
    const Readings expected = known_or_predicted(history(), options());
    for (const Relaxation& relaxation : relaxations(problem(), expected))
      if (open(relaxation.choice))
        return begin(relaxation.choice,
                     fmt::format("nothing is likely to meet the budgets; this would, with {} eased",
                                 constraint_name(relaxation.constraint)));
    const Choice nearest = solve(problem(), expected);
    if (open(nearest.candidates))
      return begin(nearest.candidates,
                   "nothing is likely to meet the budgets; this would be nearest");
    bool any_left = false;
    for_each_choice(problem(), [&](auto choice) { any_left = any_left || open(choice); });
    return stop(any_left ? "nothing is left that is likely to meet the budgets"
                         : "everything was measured");
  }

  std::optional<Ask> begin(std::vector<size_t> choice, const std::string& reason) {
    unfinished_ = std::move(choice);
    return first_missing(unfinished_, reason);
  }

  /// Something left to measure there, nothing failed, and within the profiles?
  bool open(std::span<const size_t> choice) const {
    const size_t missing = history().missing(choice).value_or(0);
    if (missing < 2 || !problem().separate_modes) return missing > 0;
    return profiles_ + missing <= options().profile_budget ||
           history().profiles_with(choice) <= options().profile_budget;
  }

  Outlook outlook_;
  size_t profiles_ = 0;
  std::vector<size_t> unfinished_;  ///< a choice of which a trial is still to be made
};

}  // namespace

std::unique_ptr<Strategy> make_flyball(std::shared_ptr<const Problem> problem,
                                       SearchOptions options) {
  return std::make_unique<Flyball>(std::move(problem), std::move(options));
}

}  // namespace flyball
