// A cache that keeps what was read last.
#pragma once

#include <cmath>

namespace flyball {

/// What it hits of a set that it has room for `share` of (0 to 1), where each pass takes the set in
/// another order. A sample is still there if no more than the room was read in between: with U of
/// the pass before it then and V after it now, U·V ≥ 1 − share, whose probability is this.
inline double lru_hits(double share) {
  return share < 1 ? share + (1 - share) * std::log(1 - share) : 1;
}

}  // namespace flyball
