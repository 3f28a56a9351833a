// Variables of the environment that Flyball itself reads. A program's settings arrive as
// FLYBALL_NAME, too, and may not have these names.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace flyball {

inline constexpr std::array<std::string_view, 20> own_variables = {
    "FLYBALL_BOARD",         "FLYBALL_BROKER",       "FLYBALL_DATA",      "FLYBALL_HELPER",
    "FLYBALL_LIBRARY",       "FLYBALL_PROGRAM",      "FLYBALL_MACHINE",   "FLYBALL_MARKS",
    "FLYBALL_MEASURED",      "FLYBALL_PYTHON",       "FLYBALL_RECORD",    "FLYBALL_REFERENCES",
    "FLYBALL_SESSIONS",      "FLYBALL_STATE",        "FLYBALL_STORE",     "FLYBALL_TOKEN",
    "FLYBALL_TREE_PROGRAMS", "FLYBALL_TURN_LATENCY", "FLYBALL_TURN_NAME", "FLYBALL_TURN_SHARE"};

inline bool is_own_variable(std::string_view name) {
  return std::ranges::find(own_variables, name) != own_variables.end();
}

}  // namespace flyball
