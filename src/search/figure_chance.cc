#include "search/figure_chance.h"

#include <algorithm>
#include <limits>

#include "problem/choices.h"
#include "space/ranked_space.h"

namespace flyball {
namespace {

// How far each candidate is from its nearest reading, squared; empty unless all of these were
// beyond a limit.
std::vector<double> distances_from_misses(const History& history, size_t role) {
  std::vector<size_t> missed;
  for (const auto& [candidate, record] : history.of_role(role)) {
    if (record.failed()) continue;
    if (record.value().excess <= 0) return {};
    missed.push_back(candidate);
  }
  if (missed.empty()) return {};
  const Space& space = history.problem().candidates->space(role);
  const RankedSpace ranks = rank_axes(space);
  std::vector<double> distances(space.size(), std::numeric_limits<double>::infinity());
  for (size_t here = 0; here < space.size(); ++here)
    for (const size_t candidate : missed)
      distances[here] = std::min(distances[here], ranks.distance(here, candidate));
  return distances;
}

}  // namespace

std::optional<std::vector<size_t>> farthest_from_misses(
    const History& history, const std::function<bool(std::span<const size_t>)>& open) {
  for (size_t role = 0; role < history.problem().roles.size(); ++role) {
    const std::vector<double> distances = distances_from_misses(history, role);
    if (distances.empty()) continue;
    double most = 0;
    std::optional<std::vector<size_t>> farthest;
    for_each_choice(history.problem(), [&](std::span<const size_t> choice) {
      if (distances[choice[role]] <= most || !open(choice)) return;
      most = distances[choice[role]];
      farthest.emplace(choice.begin(), choice.end());
    });
    return farthest;
  }
  return {};
}

std::vector<double> figure_chances(const History& history, size_t role) {
  std::vector<std::pair<size_t, bool>> known;  // candidate, held
  bool any_broken = false;
  for (const auto& [candidate, record] : history.of_role(role)) {
    if (record.failed()) continue;
    known.emplace_back(candidate, record.value().excess <= 0);
    any_broken = any_broken || !known.back().second;
  }
  if (!any_broken) return {};
  const Space& space = history.problem().candidates->space(role);
  const RankedSpace ranks = rank_axes(space);
  std::vector<double> chances;
  for (size_t here = 0; here < space.size(); ++here) {
    double held = 0, all = 0;
    for (const auto& [candidate, holds] : known) {
      const double weight = 1 / std::max(ranks.distance(here, candidate), 1e-12);
      held += holds ? weight : 0;
      all += weight;
    }
    chances.push_back(held / all);
  }
  return chances;
}

}  // namespace flyball
