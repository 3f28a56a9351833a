// Options that once had another name: scripts may go on to use it until 1.0, help shows today's
// alone.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace flyball::cli {

struct RenamedOption {
  const char* command;   ///< "serve", "evaluate predict"; "": every command that has the new name
  const char* old_name;  ///< "--anyway"
  const char* new_name;  ///< "--force"
};
/// All of them (docs/commands.md lists them).
std::span<const RenamedOption> renamed_options();

/// The command that the words name, and its path: "plan training".
struct NamedCommand {
  CLI::App* command;
  std::string path;
};
NamedCommand named_command(CLI::App& app, const std::vector<std::string>& words);

/// Gives the options of a command line, without the program's name, their names of today.
void rename_options(CLI::App& app, std::vector<std::string>& words);

}  // namespace flyball::cli
