#include "search/design.h"

#include <algorithm>
#include <cmath>

#include "problem/choices.h"

namespace flyball {
namespace {

/// Each value as its rank on its axis, 0 … 1; constant axes are left out.
std::vector<std::vector<double>> ranks(const Space& space) {
  std::vector<std::vector<double>> all(space.size());
  for (size_t i = 0; i < space.size(); ++i)
    for (size_t d = 0; d < space.dimensions(); ++d) {
      const std::vector<double>& values = space.axes()[d].values;
      if (values.size() < 2) continue;
      const auto at = std::ranges::lower_bound(values, space.row(i)[d]) - values.begin();
      all[i].push_back(static_cast<double>(at) / static_cast<double>(values.size() - 1));
    }
  return all;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return std::sqrt(sum);
}

double distance_to(const std::vector<double>& point, double target) {
  return distance(point, std::vector<double>(point.size(), target));
}

}  // namespace

std::optional<DesignPoint> next_design_point(const Ledger& ledger) {
  const Problem& problem = ledger.problem();
  const Candidates& all = *problem.candidates;
  const size_t last = all.roles() - 1;
  const auto points = ranks(all.space(last));
  std::vector<const std::vector<double>*> tried;
  for (const auto& [candidate, record] : ledger.of_role(last)) tried.push_back(&points[candidate]);

  // High corner, low corner, centre in turn; beyond that maximin.
  const double targets[] = {1, 0, 0.5};
  const char* reasons[] = {"corner of the space: everything at its highest",
                           "corner of the space: everything at its lowest", "centre of the space"};
  const size_t step = tried.size();
  std::optional<DesignPoint> best;
  double best_score = -1e300;
  for_each_choice(problem, [&](std::span<const size_t> choice) {
    bool missing = false;
    for (size_t role = 0; role < choice.size(); ++role) {
      const Record* record = ledger.find(role, choice[role]);
      if (record && record->failed()) return;
      missing = missing || !record;
    }
    if (!missing) return;
    const std::vector<double>& point = points[choice[last]];
    double score = 1e9;
    if (step < 3) score = -distance_to(point, targets[step]);
    for (const auto* other : tried)
      if (step >= 3) score = std::min(score, distance(point, *other));
    if (score <= best_score) return;
    best_score = score;
    best = DesignPoint{{choice.begin(), choice.end()},
                       step < 3 ? reasons[step] : "farthest from what was measured"};
  });
  return best;
}

}  // namespace flyball
