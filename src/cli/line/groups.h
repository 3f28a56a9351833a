// How help arranges commands and options. One place says which belongs where, so that a name stands
// under the same heading in every command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace flyball::cli {

/// Puts the commands under headings, and the options of commands that have many.
void arrange_help(CLI::App& app);
/// The headings above a command's options, in the order of help.
std::vector<std::string> option_groups(const CLI::App& command);

/// `-q` is taken by every command: one that shows no progress takes it as well, and help says
/// nothing of it there.
void take_quiet_everywhere(CLI::App& app);

}  // namespace flyball::cli
