// `flyball experiment`: a file a subcommand.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace flyball::cli {

void add_experiment_findings(CLI::App& group, Context& context);

}  // namespace flyball::cli
