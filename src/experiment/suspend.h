// What a suspended machine draws: only a plug meter sees it.
#pragma once

#include <filesystem>
#include <functional>

#include "base/status.h"
#include "experiment/run_figures.h"

namespace flyball {

/// Suspends the machine to memory once for each epoch, for `settings.seconds`: its real-time clock
/// wakes it where there is one, else whoever sends it a wake-on-LAN packet. The figures hold when,
/// by the wall clock; power is that of a plug meter's log (plug.h), and a gap without one. Errors:
/// `unavailable` where the kernel cannot suspend or did not; `permission`; `interrupted`.
Result<RunFigures> watch_suspended(const RunSettings& settings, int repeat,
                                   const std::function<bool()>& interrupted,
                                   const std::filesystem::path& root = "/");

/// Can the machine be suspended at all, by this process?
Status check_suspend(const std::filesystem::path& root);

}  // namespace flyball
