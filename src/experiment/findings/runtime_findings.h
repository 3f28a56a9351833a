// In words what containers cost beside bare metal.
#pragma once

#include <vector>

#include "experiment/summary.h"

namespace flyball {

/// Of each runtime: whether the time of a minibatch, and its energy where that is measured, differ
/// from those of bare, and how long an empty program takes to start in it.
std::vector<Finding> runtime_findings(const ExperimentSpec& spec, const std::vector<Group>& groups);

}  // namespace flyball
