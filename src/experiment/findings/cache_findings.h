// In words what caches did, and what would help.
#pragma once

#include <vector>

#include "experiment/summary.h"

namespace flyball {

/// Of each group: what page cache and sample cache held, and what was read from the disk. Where a
/// group has a sample cache and another is like it without one, both side by side.
std::vector<Finding> cache_findings(const ExperimentSpec& spec, const std::vector<Group>& groups);

/// Of each group that waits for data in epochs 1 and later: how much memory would hold the set, and
/// what a faster disk or more workers could bring instead. Bounds, not predictions: what it says of
/// a remedy that was not measured follows from the stall and from how busy the disk was.
std::vector<Finding> remedy_findings(const ExperimentSpec& spec, const std::vector<Group>& groups);

}  // namespace flyball
