#include "search/figure_chance.h"

#include <algorithm>

namespace flyball {

std::vector<std::vector<double>> axis_ranks(const Space& space) {
  std::vector<std::vector<double>> ranks(space.size());
  for (size_t i = 0; i < space.size(); ++i)
    for (size_t d = 0; d < space.dimensions(); ++d) {
      const std::vector<double>& values = space.axes()[d].values;
      const auto at = std::ranges::lower_bound(values, space.row(i)[d]) - values.begin();
      const auto last = std::max<size_t>(1, values.size() - 1);
      ranks[i].push_back(static_cast<double>(at) / static_cast<double>(last));
    }
  return ranks;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

std::vector<double> figure_chances(const Ledger& ledger, size_t role) {
  std::vector<std::pair<size_t, bool>> known;  // candidate, held
  bool any_broken = false;
  for (const auto& [candidate, record] : ledger.of_role(role)) {
    if (record.failed()) continue;
    known.emplace_back(candidate, record.value().excess <= 0);
    any_broken = any_broken || !known.back().second;
  }
  if (!any_broken) return {};
  const auto ranks = axis_ranks(ledger.problem().candidates->space(role));
  std::vector<double> chances;
  for (const std::vector<double>& here : ranks) {
    double held = 0, all = 0;
    for (const auto& [candidate, holds] : known) {
      const double weight = 1 / std::max(squared_distance(here, ranks[candidate]), 1e-12);
      held += holds ? weight : 0;
      all += weight;
    }
    chances.push_back(held / all);
  }
  return chances;
}

}  // namespace flyball
