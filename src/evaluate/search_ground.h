// The tables of a sweep as its searches see them, and how far they are.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
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

/// Counts searches for the caller of a sweep; about a hundred calls in all.
class SearchCounter {
 public:
  SearchCounter(const SearchSweep& sweep, size_t all) : sweep_(sweep), all_(all) {}
  void step();

 private:
  const SearchSweep& sweep_;
  size_t all_;
  std::atomic<size_t> done_{0};
  std::mutex mutex_;
};

}  // namespace flyball
