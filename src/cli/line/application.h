// The command line as a whole.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace flyball::cli {

/// Adds every command there is, as the program has them.
void add_commands(CLI::App& app, Context& context);

/// Parses and runs one command; returns the exit code.
int run(int argc, char** argv);

}  // namespace flyball::cli
