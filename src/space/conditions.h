// What besides board and trial decides how fast a trial is.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace flyball {

/// Dataset, libraries, settings of the environment, program, power sensor: "dataset samples" →
/// "60000". Equal ones mean comparable numbers, on a board of one fingerprint.
using Conditions = std::map<std::string, std::string>;

/// The condition that says which total power was read from.
inline constexpr const char* power_condition = "power";
/// Its value where power could not be read.
inline constexpr const char* no_power = "none";

/// May what was measured under `then` stand for a measurement under `now`? All of them must be
/// equal, but for one: where power cannot be read now, times measured with power serve, too.
bool serves(const Conditions& then, const Conditions& now);

/// "dataset samples was 600, now 60000" for each that differs.
std::vector<std::string> differences(const Conditions& then, const Conditions& now);

}  // namespace flyball
