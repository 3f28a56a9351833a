#include "search/figure_chance.h"

#include <algorithm>

#include "space/ranked_space.h"

namespace flyball {

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
