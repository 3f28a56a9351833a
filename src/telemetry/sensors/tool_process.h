// Programs that Flyball starts itself while it measures another one: tools that alone tell a
// figure.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// Runs a program by its path with one argument, without a shell; what it prints, 64 KiB at most.
/// Errors: it does not start, fails, or takes longer than the limit (then it is killed).
Result<std::string> run_tool(const std::filesystem::path& tool, const std::string& argument,
                             double limit_s = 1);

/// The children that `children` finds now, without those that run_tool() has started and not yet
/// waited for: none starts or ends meanwhile. From any thread.
std::vector<pid_t> without_tools(const std::function<std::vector<pid_t>()>& children);

}  // namespace flyball
