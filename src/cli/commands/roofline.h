// `flyball roofline measure` (roofline_measure.cc) beside `flyball roofline` itself.
#pragma once

#include "cli/commands.h"

namespace flyball::cli {

void add_roofline_measure(CLI::App& roofline, Context& context);

}  // namespace flyball::cli
