// Configurations that are spread evenly over every axis.
#pragma once

#include <cstdint>
#include <vector>

#include "space/space.h"

namespace flyball {

/// Latin hypercube (McKay, Beckman, Conover 1979): every axis in `count` equal slices of ranks,
/// each met once; the nearest configuration not yet chosen stands for each point. `count` distinct
/// indices of the space, which has that many or more.
std::vector<size_t> latin_hypercube(const Space& space, size_t count, uint64_t seed);

}  // namespace flyball
