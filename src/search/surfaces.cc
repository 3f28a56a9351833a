#include "search/surfaces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "base/statistics.h"
#include "problem/choices.h"
#include "search/acquisition.h"
#include "search/figure_chance.h"

namespace flyball {
namespace {

constexpr size_t most_choices = 20'000, screened_choices = 4'096;

/// Time and power of a role's candidates, and whether their figures hold, by surface.
struct RoleSurfaces {
  size_t count = 0;
  std::vector<float> ms, w;     // candidates × count; `w` empty when no power was measured
  std::vector<double> chances;  // that figures hold, by candidate; empty: all do

  Reading at(size_t candidate, size_t surface) const {
    const size_t i = candidate * count + surface;
    Reading reading{ms[i], w.empty() ? not_measured : w[i]};
    // What fails at a chance fails at every smaller one: figures of neighbours go together.
    const double level = (static_cast<double>(surface) + 0.5) / static_cast<double>(count);
    if (!chances.empty() && chances[candidate] < level) reading.excess = 1;
    return reading;
  }
};

void to_linear(std::vector<float>& logs) {
  for (float& value : logs) value = std::exp(value);
}

RoleSurfaces linear(Draws draws) {
  to_linear(draws.log_ms);
  to_linear(draws.log_w);
  return {draws.count, std::move(draws.log_ms), std::move(draws.log_w), {}};
}

/// The likeliest choices to meet the limits, each by itself.
std::vector<size_t> likeliest(const History& history, const SearchOptions& options) {
  const Outlook outlook(history, options);
  using Ranked = std::pair<double, std::vector<size_t>>;
  std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> kept;
  for_each_choice(history.problem(), [&](std::span<const size_t> choice) {
    const double chance =
        outlook.known() ? outlook.expect(history.problem(), choice, unlimited).feasible : 0;
    if (kept.size() >= screened_choices && chance <= kept.top().first) return;
    kept.push({chance, {choice.begin(), choice.end()}});
    if (kept.size() > screened_choices) kept.pop();
  });
  std::vector<size_t> choices;
  for (; !kept.empty(); kept.pop())
    choices.insert(choices.end(), kept.top().second.begin(), kept.top().second.end());
  return choices;
}

std::vector<size_t> choices_of(const History& history, const SearchOptions& options) {
  std::vector<size_t> all;
  size_t count = 0;
  for_each_choice(history.problem(), [&](std::span<const size_t> choice) {
    if (++count <= most_choices) all.insert(all.end(), choice.begin(), choice.end());
  });
  return count <= most_choices ? all : likeliest(history, options);
}

}  // namespace

Result<SurfaceOutcomes> SurfaceOutcomes::draw(const History& history, const SearchOptions& options,
                                              size_t count) {
  const Problem& problem = history.problem();
  std::vector<RoleSurfaces> roles;
  for (size_t role = 0; role < problem.roles.size(); ++role) {
    FLYBALL_ASSIGN(Draws draws, draws_of(history, role, options, count));
    roles.push_back(linear(std::move(draws)));
    roles.back().chances = figure_chances(history, role);
  }
  SurfaceOutcomes outcomes;
  outcomes.count_ = count;
  outcomes.roles_ = roles.size();
  outcomes.choices_ = choices_of(history, options);
  const size_t choices = outcomes.choices_.size() / roles.size();
  outcomes.losses_.reserve(choices * count);
  std::array<Reading, 2> readings;
  for (size_t i = 0; i < choices; ++i)
    for (size_t surface = 0; surface < count; ++surface) {
      const auto choice = outcomes.choice(i);
      for (size_t role = 0; role < roles.size(); ++role)
        readings[role] = roles[role].at(choice[role], surface);
      const Outcome out = outcome(problem, {readings.data(), roles.size()}, choice);
      outcomes.losses_.push_back(out.feasible ? out.loss : unlimited);
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
      promise.worth += share / (1 + (best == 0 ? 0 : (loss - best) / std::abs(best)));
    }
    if (promise.worth > most.worth) most = promise;
  }
  return most.worth > 0 ? std::optional(most) : std::nullopt;
}

double possible_gap(const SurfaceOutcomes& outcomes, double best) {
  std::vector<double> gaps;
  for (double least : outcomes.least())
    gaps.push_back(least >= best ? 0 : best == 0 ? unlimited : (best - least) / std::abs(best));
  return quantile(gaps, 0.9);
}

}  // namespace flyball
