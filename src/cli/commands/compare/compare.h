// The subcommands of `flyball compare`, each in a file of its name (compare_boards.cc).
#pragma once

#include "cli/commands.h"

namespace flyball::cli {

void add_compare_boards(CLI::App& compare, Context& context);

}  // namespace flyball::cli
