// Programs of the system that Flyball asks, bounded in time and in what they print; also while it
// measures another program.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// Runs a program by its path, without a shell; what it prints, 64 KiB at most. Errors
/// (`unavailable`): it does not start, fails, or takes longer than the limit (then it is killed,
/// `io`).
Result<std::string> run_tool(const std::filesystem::path& tool,
                             const std::vector<std::string>& arguments, double limit_s = 1);

/// The children that `children` finds now, without those that run_tool() has started and not yet
/// waited for: none starts or ends meanwhile. From any thread.
std::vector<pid_t> without_tools(const std::function<std::vector<pid_t>()>& children);

}  // namespace flyball
