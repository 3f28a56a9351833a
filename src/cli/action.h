// What every command is given alike: its --json flag, and how its action ends.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/status.h"
#include "cli/commands.h"

namespace flyball::cli {

/// The flag of a command that answers with a document of docs/json.md; `more` is said of it
/// besides.
void add_json_flag(CLI::App& command, bool& json, const std::string& more = "");

/// A text that names commands ("`flyball mode list`"), each for the board that this command was
/// given: with its --root, and within one group of commands with its --device.
std::string for_same_board(const CLI::App& command, const std::string& text);

/// What the command does when it is named. An error is reported, and its exit code becomes that of
/// the process; an action that ends well may have set another one.
void set_action(CLI::App& command, Context& context, std::function<Status()> action);

}  // namespace flyball::cli
