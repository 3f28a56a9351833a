#include "search/design.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "predict/rows.h"
#include "problem/choices.h"
#include "search/trial_chance.h"
#include "space/ranked_space.h"

namespace flyball {
namespace {

/// Could any reading make it meet the latency budgets? A batch that gathers for longer never does.
bool may_be_in_time(const Problem& problem, size_t role, size_t candidate) {
  const Role& asked = problem.roles[role];
  if (!asked.serves()) return true;
  return problem.wait_ms(role, problem.candidates->batch(role, candidate)) < asked.latency_ms;
}

double distance(std::span<const double> a, std::span<const double> b) {
  return std::sqrt(squared_distance(a, b));
}

double distance_to(std::span<const double> point, double target) {
  return distance(point, std::vector<double>(point.size(), target));
}

double nearness(double distance) {
  return 1 / (1 + distance);
}

/// Roughly where on all axes together a training draws its power budget, by its first trial: the
/// power of a mode is taken to be 0.3 + 0.7 x² of the highest one's. Nothing without power.
std::optional<double> rank_of_budget(const History& history, const RankedSpace& points) {
  const auto& [candidate, record] = *std::ranges::find_if(
      history.of_role(0), [](const auto& trial) { return trial.second.tried; });
  const double drawn = record.value().power_w, budget = history.problem().budgets.power_w;
  if (!(drawn > 0) || budget == unlimited || points.dimensions == 0) return {};
  const double x = mean(points.row(candidate));
  const double share = (budget / drawn * (0.3 + 0.7 * x * x) - 0.3) / 0.7;
  return std::clamp(std::sqrt(std::max(0.0, share)), 0.1, 0.9);
}

/// The second trial of a training: the fewest cores and, on the other axes, about what its power
/// budget allows; so that it tells a loader's part of the time from the GPU's. Nothing where the
/// cores cannot be chosen.
std::optional<std::vector<double>> second_of_training(const History& history, const Space& space,
                                                      const RankedSpace& points) {
  const auto axes = varying_axes(space);
  const auto cores = std::ranges::find(axes, axis::cpu_cores, &Axis::name);
  const auto rank = rank_of_budget(history, points);
  if (cores == axes.end() || !rank || axes.size() != points.dimensions) return {};
  std::vector<double> target(axes.size(), *rank);
  target[static_cast<size_t>(cores - axes.begin())] = 0;
  return target;
}

}  // namespace

std::optional<DesignPoint> next_design_point(const History& history) {
  const Problem& problem = history.problem();
  const Candidates& all = *problem.candidates;
  const size_t last = all.roles() - 1;
  std::vector<bool> in_question(all.size(last));
  for (size_t i = 0; i < all.size(last); ++i) in_question[i] = may_be_in_time(problem, last, i);
  const RankedSpace points = rank_axes(all.space(last), in_question);
  std::vector<size_t> tried;
  for (const auto& [candidate, record] : history.of_role(last))
    if (record.tried) tried.push_back(candidate);
  std::vector<std::vector<double>> chances;
  for (size_t role = 0; role < all.roles(); ++role)
    chances.push_back(success_chances(history, role));

  // High corner, a third of the way up, two thirds in turn; beyond that maximin. Not the lowest
  // corner: it is so slow that little is learned there of the modes that budgets choose among.
  const double targets[] = {1, 0.35, 0.65};
  const char* reasons[] = {"to begin with: everything at its highest",
                           "to begin with: everything a third of the way up",
                           "to begin with: everything two thirds of the way up"};
  const size_t step = tried.size();
  std::optional<std::vector<double>> second;
  if (step == 1 && all.roles() == 1 && !problem.roles[0].serves())
    second = second_of_training(history, all.space(0), points);
  const bool any_failed =
      std::ranges::any_of(chances, [](const auto& of_role) { return !of_role.empty(); });
  std::optional<DesignPoint> best;
  double best_score = -1e300;
  for_each_choice(problem, [&](std::span<const size_t> choice) {
    bool missing = false;
    // Roles that may have a mode each begin in one, too: it is one profile.
    if (choice.size() == 2 && all.mode_of(0, choice[0]) != all.mode_of(1, choice[1])) return;
    for (size_t role = 0; role < choice.size(); ++role) {
      const Record* record = history.find(role, choice[role]);
      if (record && record->failed()) return;
      if (!may_be_in_time(problem, role, choice[role])) return;
      missing = missing || !record;
    }
    if (!missing) return;
    const std::span<const double> point = points.row(choice[last]);
    double score = 1e9;
    if (step < 3) score = nearness(distance_to(point, targets[step]));
    if (second) score = nearness(distance(point, *second));
    for (size_t other : tried)
      if (step >= 3) score = std::min(score, distance(point, points.row(other)));
    score *= chance_of(choice, chances);
    if (score <= best_score) return;
    best_score = score;
    best = DesignPoint{{choice.begin(), choice.end()},
                       second     ? "to begin with: few cores, clocks about as the budget allows"
                       : step < 3 ? reasons[step]
                                  : "farthest from what was measured"};
    if (any_failed) best->reason += ", weighed by what failed";
  });
  return best;
}

}  // namespace flyball
