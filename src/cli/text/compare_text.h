// Boards beside each other, for people.
#pragma once

#include <string>

#include "compare/board_comparison.h"

namespace flyball::cli {

/// Ends with a line end.
std::string compare_text(const BoardComparison& comparison);

}  // namespace flyball::cli
