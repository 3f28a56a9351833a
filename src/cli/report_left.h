// What a board could not put back when it was closed.
#pragma once

#include "base/status.h"

namespace flyball::cli {

/// Reports it (Board::knobs() tells it), and makes the exit code say so.
void report_left(const Error& error);
/// Was there any?
bool something_left();

}  // namespace flyball::cli
