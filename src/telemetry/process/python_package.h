// Flyball's package for Python, which programs that Flyball starts find without being told.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace flyball {

/// "PYTHONPATH=…", with the package beside this program before what there is already; nothing where
/// it was not built.
std::vector<std::string> python_environment();

}  // namespace flyball
