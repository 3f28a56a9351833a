// What each role of a plan takes of options that are for all of them.
#pragma once

#include <string>
#include <vector>

#include "space/axis.h"
#include "space/axis_choice.h"

namespace flyball {

/// Of `texts` (--axis) what a role of this phase takes: modes are for all, settings of the run for
/// the services where there are any.
Result<std::vector<AxisChoice>> choices_of(Phase phase, bool any_service,
                                           const std::vector<std::string>& texts);

/// The axes that a network opens which runs here: a service chooses its batch size beside what was
/// named, and as requests are at hand, nothing is loaded ahead.
std::vector<std::string> live_axes(Phase phase, const std::vector<AxisChoice>& choices);

/// Of an option's values there is one for each service, or one for all of them.
Status check_count(const char* option, size_t given, size_t services);

}  // namespace flyball
