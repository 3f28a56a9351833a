#include "search/surfaces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <tuple>
#include <utility>

#include "problem/choices.h"
#include "search/acquisition.h"
#include "search/trial_chance.h"

namespace flyball {
namespace {

constexpr size_t most_choices = 5'000, screened_choices = 4'096;

/// Time and power of a role's candidates, and whether they fail or break limits of their own, by
/// surface.
class RoleSurfaces {
 public:
  /// Of `candidates` alone, ascending.
  static Result<RoleSurfaces> draw(const History& history, size_t role,
                                   std::vector<size_t> candidates, const SearchOptions& options,
                                   size_t count) {
    RoleSurfaces surfaces;
    FLYBALL_ASSIGN(surfaces.draws_, draws_of(history, role, candidates, options, count));
    for (auto* logs : {&surfaces.draws_.log_ms, &surfaces.draws_.log_w})
      for (float& value : *logs) value = std::exp(value);
    surfaces.chances_ = trial_chances(history, role);
    surfaces.known_.resize(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i)
      if (const Record* record = history.find(role, candidates[i]); record && !record->failed())
        surfaces.known_[i] = record->value();
    surfaces.candidates_ = std::move(candidates);
    return surfaces;
  }

  /// Its place among those that were drawn.
  size_t place_of(size_t candidate) const {
    return static_cast<size_t>(std::ranges::lower_bound(candidates_, candidate) -
                               candidates_.begin());
  }
  Reading at(size_t place, size_t surface) const {
    if (known_[place]) return *known_[place];
    const size_t count = draws_.count, i = place * count + surface;
    Reading reading{draws_.log_ms[i], draws_.log_w.empty() ? not_measured : draws_.log_w[i]};
    // What fails at a chance fails at every smaller one: neighbours go together.
    const double level = (static_cast<double>(surface) + 0.5) / static_cast<double>(count);
    if (!chances_.empty() && chances_[candidates_[place]] < level) reading.excess = 1;
    return reading;
  }

 private:
  std::vector<size_t> candidates_;
  Draws draws_;  // no logarithms any more
  std::vector<std::optional<Reading>> known_;
  std::vector<double> chances_;  // trial_chances(), by candidate of the role
};

/// Those with the largest expected gain over what is known, or while nothing within the limits is
/// known, the likeliest to meet them; each by itself.
std::vector<size_t> screened(const History& history, const SearchOptions& options) {
  const Outlook outlook(history, options);
  const auto& known = history.best();
  const bool feasible = known && known->outcome.feasible;
  using Ranked = std::tuple<double, double, std::vector<size_t>>;
  std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> kept;
  for_each_choice(history.problem(), [&](std::span<const size_t> choice) {
    if (!outlook.known() || !history.missing(choice)) return;
    const AcquisitionValue expected =
        outlook.expect(history.problem(), choice, feasible ? known->outcome.loss : unlimited);
    const double rank = feasible ? expected.gain : expected.feasible;
    if (kept.size() >= screened_choices &&
        std::pair(rank, -expected.loss) <=
            std::pair(std::get<0>(kept.top()), std::get<1>(kept.top())))
      return;
    kept.push({rank, -expected.loss, {choice.begin(), choice.end()}});
    if (kept.size() > screened_choices) kept.pop();
  });
  std::vector<size_t> choices;
  for (; !kept.empty(); kept.pop())
    choices.insert(choices.end(), std::get<2>(kept.top()).begin(), std::get<2>(kept.top()).end());
  return choices;
}

std::vector<size_t> choices_of(const History& history, const SearchOptions& options) {
  std::vector<size_t> all;
  size_t count = 0;
  for_each_choice(history.problem(), [&](std::span<const size_t> choice) {
    if (!history.missing(choice) || ++count > most_choices) return;
    all.insert(all.end(), choice.begin(), choice.end());
  });
  return count <= most_choices ? all : screened(history, options);
}

/// The role's candidates in these choices, each once, ascending.
std::vector<size_t> candidates_in(const std::vector<size_t>& choices, size_t role, size_t roles) {
  std::vector<size_t> candidates;
  for (size_t i = role; i < choices.size(); i += roles) candidates.push_back(choices[i]);
  std::ranges::sort(candidates);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

/// 1 for the least loss of all, ½ for twice as much or, of what is to be large, half of it.
double share_of_best(double loss, double least) {
  if (loss == least) return 1;
  return least < 0 ? std::max(0.0, loss / least) : least / loss;
}

}  // namespace

Result<SurfaceOutcomes> SurfaceOutcomes::draw(const History& history, const SearchOptions& options,
                                              size_t count) {
  const Problem& problem = history.problem();
  SurfaceOutcomes outcomes;
  outcomes.count_ = count;
  outcomes.roles_ = problem.roles.size();
  outcomes.choices_ = choices_of(history, options);
  std::vector<RoleSurfaces> roles;
  for (size_t role = 0; role < problem.roles.size(); ++role) {
    FLYBALL_ASSIGN(
        RoleSurfaces surfaces,
        RoleSurfaces::draw(history, role, candidates_in(outcomes.choices_, role, outcomes.roles_),
                           options, count));
    roles.push_back(std::move(surfaces));
  }
  const size_t choices = outcomes.choices_.size() / roles.size();
  outcomes.losses_.reserve(choices * count);
  std::array<Reading, 2> readings;
  std::array<size_t, 2> places{};
  for (size_t i = 0; i < choices; ++i) {
    const auto choice = outcomes.choice(i);
    for (size_t role = 0; role < roles.size(); ++role)
      places[role] = roles[role].place_of(choice[role]);
    for (size_t surface = 0; surface < count; ++surface) {
      for (size_t role = 0; role < roles.size(); ++role)
        readings[role] = roles[role].at(places[role], surface);
      const Outcome out = outcome(problem, {readings.data(), roles.size()}, choice);
      outcomes.losses_.push_back(out.feasible ? out.loss : unlimited);
    }
  }
  return outcomes;
}

std::vector<double> SurfaceOutcomes::least() const {
  std::vector<double> least(count_, unlimited);
  for (size_t i = 0; i < choices(); ++i)
    for (size_t surface = 0; surface < count_; ++surface)
      least[surface] = std::min(least[surface], losses(i)[surface]);
  return least;
}

std::optional<Promise> most_promising(const SurfaceOutcomes& outcomes,
                                      const std::function<bool(std::span<const size_t>)>& open) {
  const std::vector<double> least = outcomes.least();
  const double share = 1 / static_cast<double>(outcomes.surfaces());
  Promise most;
  for (size_t i = 0; i < outcomes.choices(); ++i) {
    if (!open(outcomes.choice(i))) continue;
    Promise promise{i, 0, 0};
    for (size_t surface = 0; surface < outcomes.surfaces(); ++surface) {
      const double loss = outcomes.losses(i)[surface], best = least[surface];
      if (loss == unlimited) continue;
      promise.feasible += share;
      promise.worth += share * share_of_best(loss, best);
    }
    if (promise.worth > most.worth) most = promise;
  }
  return most.worth > 0 ? std::optional(most) : std::nullopt;
}

double possible_gap(const SurfaceOutcomes& outcomes, double best) {
  std::vector<double> gaps;
  for (double least : outcomes.least())
    gaps.push_back(least >= best ? 0 : best == 0 ? unlimited : (best - least) / std::abs(best));
  // No interpolation: some may be without limit.
  const auto nine = gaps.begin() + static_cast<std::ptrdiff_t>((9 * gaps.size() + 9) / 10 - 1);
  std::ranges::nth_element(gaps, nine);
  return *nine;
}

}  // namespace flyball
