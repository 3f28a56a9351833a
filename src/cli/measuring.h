// `--wait` and `--force` of commands that measure (device/measuring.h).
#pragma once

#include <CLI/CLI.hpp>

#include "device/measuring.h"

namespace flyball::cli {

/// Taken, and without effect, where a table or a simulated board takes the place of this machine.
void add_measuring_options(CLI::App& command, MeasuringOptions& options);
/// Who says which sessions this process cannot see: begin_measuring() on stderr, or the result's
/// own notes.
enum class Unseen { told_at_once, told_by_result };
/// Begins this process' session; a wait is told on stderr, and Ctrl-C ends it. Keep it while
/// anything is measured.
Result<std::shared_ptr<MeasuringSession>> begin_measuring(MeasuringOptions options,
                                                          Unseen unseen = Unseen::told_at_once);

}  // namespace flyball::cli
