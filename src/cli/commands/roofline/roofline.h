// `flyball roofline measure` (roofline_measure.cc) beside `flyball roofline` itself.
#pragma once

#include "cli/commands.h"
#include "device/registry/board.h"

namespace flyball::cli {

/// Are its roofs measured? Those of a GPU are not yet.
Status check_roofs_of(const Board& board);
void add_roofline_measure(CLI::App& roofline, Context& context);

}  // namespace flyball::cli
