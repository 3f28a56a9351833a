// Which settings of an experiment may be compared: nothing but what is asked about differs there.
#pragma once

#include <string>
#include <vector>

#include "experiment/summary.h"

namespace flyball {

/// Groups whose settings are equal but for the named ones, in the order of their first.
std::vector<std::vector<Group>> alike_but(const std::vector<std::string>& names,
                                          const std::vector<Group>& groups);
/// "phase train": what else of the experiment varies than the named settings; "" where nothing
/// does.
std::string others_label(const ExperimentSpec& spec, const std::vector<std::string>& names,
                         const RunSettings& settings);

}  // namespace flyball
