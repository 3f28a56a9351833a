// The subcommands of `flyball twin`, each in a file of its name (twin_population.cc).
#pragma once

#include "cli/commands.h"

namespace flyball::cli {

void add_twin(CLI::App& app, Context& context);
void add_twin_population(CLI::App& twin, Context& context);

}  // namespace flyball::cli
