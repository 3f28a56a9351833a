#include "search/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "search/acquisition.h"
#include "search/trial_chance.h"

namespace flyball {
namespace {

/// The default and one that a strategy begins with: they tell a model more.
constexpr size_t profiles_first = 2;
constexpr double likely_enough = 0.25;  // chance of meeting the limits that is worth a trial

bool is_tried(const History& history, const std::vector<size_t>& choice) {
  for (size_t role = 0; role < choice.size(); ++role)
    if (!history.find(role, choice[role])) return false;
  return true;
}

size_t known_before(const History& history, const SearchOptions& options) {
  return static_cast<size_t>(std::ranges::count_if(options.baselines, [&](const Baseline& one) {
    return !one.choice.empty() && one.choice != options.default_choice &&
           is_tried(history, one.choice);
  }));
}

}  // namespace

size_t profiles_needed(std::span<const Baseline> baselines,
                       const std::vector<size_t>& default_choice) {
  std::set<std::vector<size_t>> others;
  for (const Baseline& baseline : baselines)
    if (!baseline.choice.empty() && baseline.choice != default_choice)
      others.insert(baseline.choice);
  return std::min<size_t>(others.size(), 2);
}

const Baseline* best_unmeasured(const History& history, const SearchOptions& options) {
  const Problem& problem = history.problem();
  const auto open = [&](const Baseline& baseline) {
    return !baseline.choice.empty() && !is_tried(history, baseline.choice);
  };
  if (std::ranges::none_of(options.baselines, open)) return nullptr;
  const auto posteriors = posteriors_of(history, options);
  if (!posteriors.ok()) return nullptr;
  std::vector<std::vector<double>> chances;
  for (size_t role = 0; role < problem.roles.size(); ++role)
    chances.push_back(success_chances(history, role));
  const Baseline* best = nullptr;
  double least = unlimited;
  for (const Baseline& baseline : options.baselines) {
    if (baseline.choice.empty()) continue;
    AcquisitionValue expected = acquisition_value(problem, *posteriors, baseline.choice, unlimited);
    expected.feasible *= chance_of(baseline.choice, chances);
    if (expected.feasible < likely_enough || expected.loss >= least) continue;
    least = expected.loss;
    best = &baseline;
  }
  return best && open(*best) ? best : nullptr;
}

std::optional<Ask> BaselineTrials::next(const History& history, const SearchOptions& options,
                                        bool last) {
  if (const auto rest = missing(history)) return rest;
  if (!asked_) asked_ = known_before(history, options);
  if ((last || history.profiles() >= profiles_first) && !std::exchange(in_force_, true)) {
    const auto found = std::ranges::find(options.baselines, true, &Baseline::in_force);
    const Baseline* own = found == options.baselines.end() ? nullptr : &*found;
    if (const auto ask = begin(own, "is in force", history, options)) return ask;
  }
  if (!last || asked_ >= options.baseline_profiles || std::exchange(best_, true)) return {};
  return begin(best_unmeasured(history, options), "is predicted to be the best within the limits",
               history, options);
}

std::optional<Ask> BaselineTrials::missing(const History& history) const {
  for (size_t role = 0; begun_ && role < begun_->choice.size(); ++role)
    if (!history.find(role, begun_->choice[role]))
      return Ask{role, begun_->choice[role], why_, false};
  return {};
}

std::optional<Ask> BaselineTrials::begin(const Baseline* baseline, const char* why,
                                         const History& history, const SearchOptions& options) {
  if (!baseline || asked_ >= options.baseline_profiles) return {};
  begun_ = baseline;
  why_ = fmt::format("{} {}", baseline->name, why);
  const auto ask = missing(history);
  *asked_ += ask.has_value();
  return ask;
}

}  // namespace flyball
