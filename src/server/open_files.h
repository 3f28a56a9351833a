// How many connections the process may have files for.
#pragma once

#include <cstddef>

namespace flyball {

/// At most `connections`, and no more than the files that this process may still open: its limit
/// (RLIMIT_NOFILE) is raised for them as far as it may be, and some are kept for everything else.
size_t affordable_connections(size_t connections);

}  // namespace flyball
