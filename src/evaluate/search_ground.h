// The tables of a sweep as its searches see them.
#pragma once

#include <memory>
#include <vector>

#include "evaluate/search_sweep.h"
#include "problem/exact.h"

namespace flyball {

struct SearchGround {
  std::shared_ptr<const Candidates> candidates;
  Readings raw, robust;  ///< robust: without rows of suspicious power
  std::vector<Role> roles;
};
/// Errors: tables of different boards or without a mode in common, no paper mode.
Result<SearchGround> prepare_ground(const SearchSweep& sweep);

/// The sweep's options with the references of each role.
SearchOptions options_of(const SearchSweep& sweep);

}  // namespace flyball
