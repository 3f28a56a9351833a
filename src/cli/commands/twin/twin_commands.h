// The subcommands of `flyball twin`, each in a file of its name (twin_table.cc).
#pragma once

#include "cli/commands.h"

namespace flyball::cli {

void add_twin_table(CLI::App& twin, Context& context);
void add_twin_calibrate(CLI::App& twin, Context& context);
void add_twin_population(CLI::App& twin, Context& context);

}  // namespace flyball::cli
