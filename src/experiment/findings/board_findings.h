// In words what experiments show of the board: DVFS off and on (E5), power modes (E7), its GPU.
#pragma once

#include <vector>

#include "experiment/summary.h"

namespace flyball {

/// Time and energy with clocks free against clocks pinned, all else being equal, and how long each
/// clock ran where.
void dvfs_findings(const ExperimentSpec& spec, const std::vector<Group>& groups,
                   std::vector<Finding>& list);
/// How busy the GPU was that networks computed on, from the least to the most busy setting; nothing
/// where its load is not known.
void gpu_finding(const std::vector<Group>& groups, std::vector<Finding>& list);
/// The fastest and the thriftiest mode, and those that no other one beats in both, all else being
/// equal.
void mode_findings(const ExperimentSpec& spec, const std::vector<Group>& groups,
                   std::vector<Finding>& list);

/// Modes that no other one beats in time and energy: by energy ascending, each faster than all
/// before (POMACS 6(3), section 5.6). Without energies none.
std::vector<const Group*> pareto_modes(const std::vector<Group>& groups);

}  // namespace flyball
