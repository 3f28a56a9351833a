#include "space/ranked_space.h"

#include <algorithm>

#include "base/distinct.h"

namespace flyball {
namespace {

/// `axes`: the values to rank among, ascending.
RankedSpace rank_among(const Space& space, const std::vector<std::vector<double>>& axes) {
  RankedSpace ranks;
  for (const auto& values : axes) ranks.dimensions += values.size() > 1;
  ranks.values.reserve(ranks.dimensions * space.size());
  for (size_t i = 0; i < space.size(); ++i)
    for (size_t d = 0; d < axes.size(); ++d) {
      if (axes[d].size() < 2) continue;
      const auto at = std::ranges::lower_bound(axes[d], space.row(i)[d]) - axes[d].begin();
      ranks.values.push_back(static_cast<double>(at) / static_cast<double>(axes[d].size() - 1));
    }
  return ranks;
}

}  // namespace

double RankedSpace::distance(size_t a, size_t b) const {
  return squared_distance(row(a), row(b));
}

RankedSpace rank_axes(const Space& space) {
  std::vector<std::vector<double>> axes;
  for (const Axis& axis : space.axes()) axes.push_back(axis.values);
  return rank_among(space, axes);
}

RankedSpace rank_axes(const Space& space, const std::vector<bool>& counted) {
  std::vector<std::vector<double>> axes(space.dimensions());
  for (size_t i = 0; i < space.size(); ++i)
    for (size_t d = 0; counted[i] && d < axes.size(); ++d) axes[d].push_back(space.row(i)[d]);
  for (auto& values : axes) make_distinct(values);
  return rank_among(space, axes);
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

}  // namespace flyball
