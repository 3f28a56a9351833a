// Configurations by the ranks of their values, so that all axes count alike.
#pragma once

#include <span>
#include <vector>

#include "space/space.h"

namespace flyball {

/// Every value as its rank on its axis, from 0 to 1; axes with one value are left out. Row-major.
struct RankedSpace {
  size_t dimensions = 0;
  std::vector<double> values;

  std::span<const double> row(size_t index) const {
    return {values.data() + index * dimensions, dimensions};
  }
  double distance(size_t a, size_t b) const;  ///< Euclidean, squared
};
RankedSpace rank_axes(const Space& space);
/// Ranks among the values of the `counted` rows (one entry for each row): the others may lie
/// beyond 1, and axes on which the counted rows agree are left out.
RankedSpace rank_axes(const Space& space, const std::vector<bool>& counted);

/// Euclidean, squared; points of equally many dimensions.
double squared_distance(std::span<const double> a, std::span<const double> b);

}  // namespace flyball
