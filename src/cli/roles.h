// What `--train` and `--infer` name: a workload of a table file, or a network on this machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem/candidates.h"
#include "profile/profiler.h"

namespace flyball::cli {

/// One role on a table or on this machine.
struct RoleBoard {
  std::unique_ptr<Profiler> profiler;
  std::vector<size_t> config;  ///< candidate of the linked space → row of the profiler's space
};

/// Opens each spec: a table file, or a network of `flyball workloads` on this machine.
Result<std::vector<RoleBoard>> open_roles(const std::vector<std::string>& train,
                                          const std::vector<std::string>& infer,
                                          double trial_seconds, Accepted accepted);
/// The candidates of all roles, tied by power mode. Errors: roles on different boards, no mode that
/// all of them have.
Result<std::shared_ptr<const Candidates>> link_roles(std::vector<RoleBoard>& roles);

}  // namespace flyball::cli
