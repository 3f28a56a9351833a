// Variables of the environment that a user's program reads, told by their names in its text.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "space/conditions.h"

namespace flyball {

/// The names that stand in a text of a program, also in its strings: imports and variables may be
/// made of these.
std::set<std::string> names_in(const std::string& text);

/// Those variables of the environment whose names stand in one of the files: in scripts, and in
/// programs below the working folder; what is installed knows of hundreds. Left out are those of
/// Flyball (FLYBALL_…), those that a session sets for itself (HOME, SSH_…), and secrets, by a word
/// of their name (TOKEN, KEY, PASSWORD, …): none of them makes a program faster.
Conditions variables_named_in(const std::set<std::filesystem::path>& files);

}  // namespace flyball
