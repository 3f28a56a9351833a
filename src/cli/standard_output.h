// Standard output may be a full disk or a pipe that nobody reads any more.
#pragma once

#include <string_view>

#include "base/status.h"

namespace flyball::cli {

/// Writes to stdout and flushes it. Error: not all of it was taken, now or earlier; it is kept for
/// finish_output(), which tells of it: whoever goes on writing stops.
Status write_output(std::string_view text);
/// Is it that error?
bool is_output_error(const Error& error);

/// The exit code of the process, once everything is written: `exit_code`, or 2 with a message where
/// stdout took not all of it. `reason` is the errno of a write that is known to have failed, or 0.
int finish_output(int exit_code, int reason = 0);

}  // namespace flyball::cli
