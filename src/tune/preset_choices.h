// The board's presets as choices of a search, and how many profiles they may take.
#pragma once

#include <span>
#include <vector>

#include "history/recorder.h"
#include "problem/problem.h"
#include "search/baselines.h"

namespace flyball {

/// The presets of the roles' board in their order, each with the default's run settings; a service
/// takes no larger batches than its latency allows. A preset whose mode is not among the roles'
/// configurations has no choice.
std::vector<Baseline> preset_choices(const Problem& problem, std::span<const MeasuredRole> roles);

/// How many of a search's profiles presets may take: one in five, and two at most.
size_t profiles_for_presets(std::span<const Baseline> presets,
                            const std::vector<size_t>& default_choice, size_t profiles);

}  // namespace flyball
