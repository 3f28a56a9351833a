// How a person sets what an answer says.
#pragma once

#include <string>

#include "base/json.h"
#include "space/axis.h"

namespace flyball {

/// What is to be set, and where.
struct Applied {
  std::string device;    ///< as in tables: "host", "orin_agx", …
  std::string workload;  ///< "" where several share the mode
  Phase phase = Phase::train;
  bool live = false;       ///< a network or program that ran on this machine
  std::string command;     ///< as it was typed; what stands after " -- " is the user's program
  bool told = false;       ///< a study: the program that asked sets everything itself
  Settings mode;           ///< board axes
  Settings run;            ///< run axes
  bool simulated = false;  ///< of a board that is not here: the steps are for a true one
};

/// Steps in their order, each with `title`, `text` and, where something is to be typed or copied,
/// `code`: `flyball mode set` on a board that boards/ knows, and a POWER_MODEL block where
/// nvpmodel's names are known; the same for clocks and power limits of this machine; `taskset` and
/// the environment of the program. How other boards are set is not known here: their mode is named.
/// Of a simulated board the first step says that a true one is to be measured. Empty where there is
/// nothing to set.
Json apply_steps(const Applied& applied);

/// "taskset -c 0-3 ", where cores are chosen for each process and not by the mode; else "".
std::string pinned_to_cores(const Applied& applied);

}  // namespace flyball
