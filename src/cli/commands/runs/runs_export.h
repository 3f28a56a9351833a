// `flyball runs export`: a consistent copy of the store on stdout, while others write to it.
#pragma once

#include "cli/commands.h"

namespace flyball::cli {

void add_runs_export(CLI::App& runs, Context& context);

}  // namespace flyball::cli
