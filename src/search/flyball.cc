// Ours: constrained Bayesian search. A predictor (with references where there are any) says how
// long each candidate takes and what it draws; the trial with the largest expected gain, its chance
// of being feasible included, is measured next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/choices.h"
#include "search/acquisition.h"
#include "search/design.h"
#include "search/registry.h"
#include "space/ranked_space.h"

namespace flyball {
namespace {

constexpr size_t first_trials = 2;  // those of a training, whatever references let expect
constexpr double hopeless = 1e-4;   // chance of being feasible that is none
/// Trials, the two first ones included, from which on misses are evidence against their
/// neighbourhood; which reaches about one step on an axis of seven values.
constexpr size_t misses_learned = 4;
constexpr double near_rank = 0.2;

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
    const auto next = fitted ? best_prospect() : design();
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
    const auto& known = history().best();
    if (!rest || !known || !known->outcome.feasible || !fit()) return rest;
    const Candidates& all = *problem().candidates;
    double most =
        acquisition_value(problem(), outlook_.posteriors(), unfinished_, known->outcome.loss).gain;
    std::vector<size_t> choice = unfinished_;
    for (size_t other : all.of_mode(rest->role, all.mode_of(rest->role, rest->candidate))) {
      choice[rest->role] = other;
      if (history().find(rest->role, other)) continue;
      const double gain =
          acquisition_value(problem(), outlook_.posteriors(), choice, known->outcome.loss).gain;
      if (gain <= most) continue;
      most = gain;
      unfinished_ = choice;
    }
    return first_missing(unfinished_, rest->reason);
  }

  /// Was each workload read in as many configurations as a search begins with? Of a training the
  /// first two tell its loader's part of the time from the GPU's, which references do not; of
  /// services alone they place the second one better.
  bool begun() const {
    const auto trains = [](const Role& role) { return !role.serves(); };
    const size_t first = std::ranges::any_of(problem().roles, trains) ? first_trials : 1;
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
    outlook_ = Outlook(history(), options());
    return outlook_.known();
  }

  /// The first trials, while there are too few readings.
  std::optional<Ask> design() {
    const auto point = next_design_point(history());
    if (!point) return {};
    return begin(point->choice, point->reason);
  }

  /// The best of the open choices: largest gain once something feasible is known; before that the
  /// largest gain among those that are safe enough, and the more trials failed to be feasible, the
  /// safer it has to be.
  std::optional<Ask> best_prospect() {
    const auto& known = history().best();
    const bool feasible = known && known->outcome.feasible;
    const double best = feasible ? known->outcome.loss : loss_of_the_safest();
    const double required =
        feasible ? 0 : 1 - std::pow(0.5, static_cast<double>(history().tried()));
    std::vector<size_t> chosen, safest;
    AcquisitionValue most, safe;
    // The first miss or two are the model's to learn from.
    const bool varied = !feasible && history().readings_made() >= misses_learned;
    if (varied && ranks_.empty())
      for (size_t role = 0; role < problem().roles.size(); ++role)
        ranks_.push_back(rank_axes(problem().candidates->space(role)));
    double most_promise = 0, safety = 0;
    for_each_choice(problem(), [&](std::span<const size_t> choice) {
      if (!open(choice)) return;
      const AcquisitionValue acquisition = outlook_.expect(problem(), choice, best);
      const double varied_by = varied ? novelty(choice) : 1;
      if (acquisition.feasible * varied_by >= required &&
          acquisition.gain * varied_by > most_promise) {
        most = acquisition;
        most_promise = acquisition.gain * varied_by;
        chosen.assign(choice.begin(), choice.end());
      }
      if (acquisition.feasible * varied_by > safety || safest.empty()) {
        safe = acquisition;
        safety = acquisition.feasible * varied_by;
        safest.assign(choice.begin(), choice.end());
      }
    });
    if (safest.empty()) return stop("everything was measured");
    const double scale = best == 0 || best == unlimited ? 1 : std::abs(best);
    if (feasible) {
      const double gap =
          options().gap > 0 ? possible_gap(problem(), outlook_.posteriors(), best) : unlimited;
      if (gap <= options().gap)
        return stop(
            fmt::format("by the 90 % intervals at most {:.2g} % more could be gained, within "
                        "the gap of {:g} %",
                        100 * gap, 100 * options().gap));
      if (chosen.empty()) return stop("nothing is expected to be better");
      if (options().gap == 0 && most.gain < options().min_gain * scale)
        return stop(fmt::format("the largest expected gain is {:.2f} %, below {:g} %",
                                100 * most.gain / scale, 100 * options().min_gain));
      return begin(chosen,
                   fmt::format("largest expected gain ({})", percent(100 * most.gain / scale)));
    }
    if (safe.feasible < hopeless) return nearest_prospect();
    if (chosen.empty())
      return begin(safest,
                   fmt::format("most likely to meet the budgets ({:.0f} %)", 100 * safe.feasible));
    return begin(chosen, fmt::format("likely to meet the budgets ({:.0f} %), and good",
                                     100 * most.feasible));
  }

  /// Where nothing is likely to meet the budgets: what would need the least of each, by the
  /// predictions, so that the answer can say how near that is.
  std::optional<Ask> nearest_prospect() {
    Readings expected;
    for (const Posterior& posterior : outlook_.posteriors()) {
      std::vector<Reading>& readings = expected.emplace_back();
      for (size_t i = 0; i < posterior.log_ms.size(); ++i)
        readings.push_back({std::exp(posterior.log_ms[i]),
                            posterior.has_power() ? std::exp(posterior.log_w[i]) : not_measured});
    }
    for (const Relaxation& relaxation : relaxations(problem(), expected))
      if (open(relaxation.choice))
        return begin(relaxation.choice,
                     fmt::format("nothing is likely to meet the budgets; this would, with {} eased",
                                 constraint_name(relaxation.constraint)));
    const Choice nearest = solve(problem(), expected);
    if (open(nearest.candidates))
      return begin(nearest.candidates,
                   "nothing is likely to meet the budgets; this would be nearest");
    return stop("nothing is left that is likely to meet the budgets");
  }

  /// How far a choice lies from all that was tried, from 0 (there) to 1 (far).
  /// While nothing feasible is known, misses make their neighbours unlikely, whatever the model
  /// says: near ones tell little of where the feasible set may be, another batch size much.
  double novelty(std::span<const size_t> choice) const {
    double farthest = 0;
    for (size_t role = 0; role < choice.size(); ++role) {
      double nearest = unlimited;
      for (const auto& [candidate, record] : history().of_role(role))
        if (!record.failed())
          nearest = std::min(nearest, ranks_[role].distance(choice[role], candidate));
      farthest = std::max(farthest, nearest);
    }
    return 1 - std::exp(-farthest / (2 * near_rank * near_rank));
  }

  std::optional<Ask> begin(std::vector<size_t> choice, const std::string& reason) {
    unfinished_ = std::move(choice);
    return first_missing(unfinished_, reason);
  }

  /// Something left to measure there, nothing failed, and within the profiles?
  bool open(std::span<const size_t> choice) const {
    size_t missing = 0;
    for (size_t role = 0; role < choice.size(); ++role) {
      const Record* record = history().find(role, choice[role]);
      if (record && record->failed()) return false;
      missing += !record;
    }
    if (missing < 2 || !problem().separate_modes) return missing > 0;
    return profiles_ + missing <= options().profile_budget ||
           history().profiles_with(choice) <= options().profile_budget;
  }

  /// While nothing feasible is known: what the choice most likely to be feasible would cost.
  double loss_of_the_safest() const {
    double safety = -1, loss = unlimited;
    for_each_choice(problem(), [&](std::span<const size_t> choice) {
      const AcquisitionValue acquisition = outlook_.expect(problem(), choice, unlimited);
      if (acquisition.feasible < safety ||
          (acquisition.feasible == safety && acquisition.loss >= loss))
        return;
      safety = acquisition.feasible;
      loss = acquisition.loss;
    });
    return loss;
  }

  Outlook outlook_;
  std::vector<RankedSpace> ranks_;  ///< by role, once needed
  size_t profiles_ = 0;
  std::vector<size_t> unfinished_;  ///< a choice of which a trial is still to be made
};

}  // namespace

std::unique_ptr<Strategy> make_flyball(std::shared_ptr<const Problem> problem,
                                       SearchOptions options) {
  return std::make_unique<Flyball>(std::move(problem), std::move(options));
}

}  // namespace flyball
