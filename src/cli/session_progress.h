// A session's trials as a line of progress.
#pragma once

#include "cli/output.h"
#include "tune/session_event.h"

namespace flyball::cli {

/// A listener that shows each trial, and how a long one goes on. `progress` outlives it.
SessionListener show_progress(Progress& progress);

}  // namespace flyball::cli
