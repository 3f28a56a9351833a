// `flyball mode idle` and `flyball mode cost`: what modes cost beside the work done in them.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace flyball::cli {

/// Adds both to `flyball mode`.
void add_mode_idle(CLI::App& mode, Context& context);
void add_mode_cost(CLI::App& mode, Context& context);

}  // namespace flyball::cli
