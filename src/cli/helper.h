// `flyball helper`, in a header of its own as few sources need it.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace flyball::cli {

void add_helper(CLI::App& app, Context& context);

}  // namespace flyball::cli
