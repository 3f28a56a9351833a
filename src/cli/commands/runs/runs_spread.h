// `flyball runs spread`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace flyball::cli {

/// Adds it to `flyball runs`.
void add_runs_spread(CLI::App& runs, Context& context);

}  // namespace flyball::cli
