// ALS: active learning of the best time at every power, reusable for all budgets. The procedure is
// our own (the published Fulcrum abstract names ALS without describing it): ten random modes, then
// rounds of ten, each the candidate with the largest expected improvement averaged over the range
// of power, taking the earlier ones of the round to turn out as predicted. It never looks at the
// budgets, so that one set of profiles answers them all.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/random.h"
#include "search/acquisition.h"
#include "search/posterior.h"
#include "search/registry.h"

namespace flyball {
namespace {

constexpr size_t first_modes = 10, round_size = 10;
constexpr size_t profiles_of_one_batch = 50, profiles_of_several = 150;

/// The best time known at each of a range of power levels, for one role and batch size.
class FrontOf {
 public:
  FrontOf(const History& history, size_t role, double batch,
          std::shared_ptr<const Posterior> posterior)
      : role_(role), posterior_(std::move(posterior)) {
    const Candidates& all = *history.problem().candidates;
    double lowest = unlimited, highest = -unlimited;
    for (size_t i = 0; i < all.size(role); ++i) {
      if (all.batch(role, i) != batch) continue;
      lowest = std::min(lowest, log_w(i));
      highest = std::max(highest, log_w(i));
      if (!history.find(role, i)) open_.push_back(i);
    }
    const size_t count = posterior_->has_power() ? levels : 1;
    for (size_t k = 0; k < count; ++k)
      level_.push_back(lowest + (highest - lowest) * static_cast<double>(k + 1) / levels);
    if (count == 1) level_ = {unlimited};
    best_.assign(level_.size(), unlimited);
    for (size_t i = 0; i < all.size(role); ++i) {
      const Record* record = history.find(role, i);
      if (record && !record->failed() && all.batch(role, i) == batch) take_as_predicted(i);
    }
    gain_.assign(open_.size(), -1);
  }

  size_t role() const { return role_; }

  /// The open candidate with the largest expected improvement, as a share of the time, averaged
  /// over the levels.
  std::pair<size_t, double> most_expected() {
    std::pair<size_t, double> most{0, 0};
    for (size_t at = 0; at < open_.size(); ++at) {
      if (taken_.contains(open_[at])) continue;
      if (gain_[at] < 0) gain_[at] = expected(open_[at]);
      if (gain_[at] > most.second) most = {open_[at], gain_[at]};
    }
    return most;
  }

  /// Counts a candidate at the centre of its posterior (its reading, where it was measured).
  void take_as_predicted(size_t candidate) {
    taken_.insert(candidate);
    const double time = std::exp(posterior_->log_ms[candidate]);
    for (size_t k = 0; k < level_.size(); ++k)
      if (log_w(candidate) <= level_[k]) best_[k] = std::min(best_[k], time);
    std::ranges::fill(gain_, -1);
  }

 private:
  static constexpr size_t levels = 30;

  double log_w(size_t i) const { return posterior_->has_power() ? posterior_->log_w[i] : 0; }

  double expected(size_t i) const {
    double sum = 0;
    for (size_t k = 0; k < level_.size(); ++k) {
      const double within =
          posterior_->has_power()
              ? probability_below(std::exp(level_[k]), posterior_->log_w[i], posterior_->sd_w[i])
              : 1;
      if (within < 1e-3) continue;
      // Where nothing is known yet, being there at all is worth as much as halving the time.
      const double share = best_[k] == unlimited
                               ? 0.5
                               : expected_improvement(best_[k], unlimited, posterior_->log_ms[i],
                                                      posterior_->sd_ms[i]) /
                                     best_[k];
      sum += within * share;
    }
    return sum / static_cast<double>(level_.size());
  }

  size_t role_;
  std::shared_ptr<const Posterior> posterior_;
  std::vector<size_t> open_;
  std::vector<double> level_, best_;  ///< log power, time in ms
  std::vector<double> gain_;          ///< of each open candidate; −1: not known
  std::set<size_t> taken_;
};

class ActiveLearning : public Strategy {
 public:
  ActiveLearning(const std::shared_ptr<const Problem>& asked, SearchOptions with)
      : Strategy(asked, std::move(with)) {
    const Candidates& all = candidates();
    for (size_t role = 0; role < all.roles(); ++role)
      if (all.batches(role).size() > 1) most_ = profiles_of_several;
    most_ = std::min(most_, options().profile_limit);
    draw_first();
  }

 protected:
  std::optional<Ask> propose() override {
    while (true) {
      while (!queue_.empty()) {
        const Ask next = queue_.back();
        queue_.pop_back();
        if (!history().find(next.role, next.candidate)) return next;
      }
      if (history().profiles() >= most_) return stop("all profiles were used");
      plan_round();
      if (queue_.empty())
        return stop(stopped_early_.empty() ? "the predicted fronts are measured" : stopped_early_);
    }
  }

 private:
  const Candidates& candidates() const { return *problem().candidates; }

  void draw_first() {
    const Candidates& all = candidates();
    Random random(options().seed);
    // Without board axes there is one mode, and the run settings of each role are what is drawn.
    if (all.modes().empty()) {
      for (size_t role = 0; role < all.roles(); ++role)
        for (size_t candidate : random.sample(all.size(role), first_modes)) draw(role, candidate);
      return;
    }
    for (size_t mode : random.sample(all.mode_count(), first_modes))
      for (size_t role = 0; role < all.roles(); ++role)
        if (const auto here = all.of_mode(role, mode); !here.empty())
          draw(role, here[random.below(here.size())]);
  }

  void draw(size_t role, size_t candidate) {
    queue_.push_back({role, candidate, "drawn at random, to begin with", false});
  }

  /// One candidate worth measuring, and the improvement expected of it.
  struct Wish {
    size_t role = 0, candidate = 0;
    double value = 0;
  };

  /// All that a round hangs on: readings, trials that failed, and how many may still be made.
  std::string round_key(size_t room) const {
    std::string key = std::to_string(room);
    for (size_t role = 0; role < candidates().roles(); ++role) {
      key += "\n" + prediction_key(history(), role, options());
      for (const auto& [candidate, record] : history().of_role(role))
        if (record.failed()) key += "\nfailed " + std::to_string(candidate);
    }
    return key;
  }

  void plan_round() {
    const size_t room = std::min(round_size, most_ - history().profiles());
    const std::string key = round_key(room);
    if (const auto known = options().cache->rounds.find(key)) {
      queue_ = *known;
      return;
    }
    std::vector<FrontOf> fronts;
    for (size_t role = 0; role < candidates().roles(); ++role) {
      auto posterior = posterior_of(history(), role, options());
      if (!posterior.ok()) {
        stopped_early_ = "the predictor gave up: " + posterior.error().message;
        return;
      }
      const auto shared = std::make_shared<const Posterior>(*std::move(posterior));
      for (double batch : candidates().batches(role))
        fronts.emplace_back(history(), role, batch, shared);
    }
    std::vector<Wish> wishes;
    while (wishes.size() < room) {
      Wish best;
      FrontOf* of = nullptr;
      for (FrontOf& front : fronts)
        if (const auto [candidate, value] = front.most_expected(); value > best.value) {
          best = {front.role(), candidate, value};
          of = &front;
        }
      if (!of) break;
      of->take_as_predicted(best.candidate);
      wishes.push_back(best);
    }
    for (size_t i = wishes.size(); i-- > 0;) add_with_partners(wishes[i]);
    options().cache->rounds.keep(key, std::make_shared<const std::vector<Ask>>(queue_));
  }

  /// A pair is one profile: the other role is measured in the same mode.
  void add_with_partners(const Wish& wish) {
    const size_t mode = candidates().mode_of(wish.role, wish.candidate);
    for (size_t role = 0; role < candidates().roles(); ++role) {
      if (role == wish.role) continue;
      for (size_t partner : candidates().of_mode(role, mode)) {
        const bool only = candidates().of_mode(role, mode).size() == 1;
        if (only) queue_.push_back({role, partner, "the other workload of the same mode", false});
      }
    }
    queue_.push_back(
        {wish.role, wish.candidate, "largest expected improvement over all power levels", false});
  }

  size_t most_ = profiles_of_one_batch;
  std::vector<Ask> queue_;  ///< the last one comes first
  std::string stopped_early_;
};

}  // namespace

std::unique_ptr<Strategy> make_als(std::shared_ptr<const Problem> problem, SearchOptions options) {
  return std::make_unique<ActiveLearning>(std::move(problem), std::move(options));
}

}  // namespace flyball
