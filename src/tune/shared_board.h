// The workloads that one request is about, tied by the power modes of their board.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "answers/request.h"
#include "tune/session.h"

namespace flyball {

/// Workloads that share a board: training roles first, then serving ones.
struct SharedBoard {
  std::vector<MeasuredRole> roles;
  std::shared_ptr<const Candidates> candidates;
  std::vector<std::unique_ptr<Profiler>> profilers;  ///< of the roles, where they are its own

  const ProfilerInfo& info(size_t role) const { return roles[role].profiler->info(); }
  Workloads workloads() const;
  bool simulated() const;             ///< is it a simulated board, on which all roles are tried?
  std::vector<std::string> left_out;  ///< modes that only one role has, in words
  /// What profilers of the roles lack, and what they left out, each once; and where the answer
  /// hangs on power, how its total compares with others.
  std::vector<std::string> gap_notes(const Problem& problem) const;
};
/// Errors: roles that were measured on different boards, or whose powers are of different totals;
/// an inference of which nobody knows how many requests are in a minibatch; no mode is kept.
Result<SharedBoard> share_board(std::vector<std::unique_ptr<Profiler>> profilers,
                                LinkedModes modes = LinkedModes::common);
/// Of one workload alone; `profiler` outlives it.
Result<SharedBoard> share_board(Profiler& profiler);

}  // namespace flyball
