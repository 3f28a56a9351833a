// The Pareto front: what no other configuration beats in both figures.
#pragma once

#include <span>
#include <vector>

namespace flyball {

/// Indices of the points that no other point beats, both figures to be small, ascending in `cost`.
/// Rule of the characterisation study: sort by cost, keep a point iff its time is strictly below
/// the best kept so far. Points with a NaN are left out; equal points count once.
std::vector<size_t> pareto_front(std::span<const double> cost, std::span<const double> time);

}  // namespace flyball
