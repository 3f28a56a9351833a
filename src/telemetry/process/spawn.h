// Starting a command in a process group of its own, under the eyes of our guard from its first
// moment.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

struct SpawnOptions {
  std::vector<std::string> environment{};  ///< "NAME=value", all of it
  int output = -1;  ///< descriptor for stdout and stderr, without stdin; −1: ours
  bool stdout_to_stderr = false;
};

/// The file that a shell would start for this word: the word itself where it has a slash; "" where
/// there is none.
std::filesystem::path found_on_path(const std::string& program);

/// Looks for the program in PATH, as a shell does. What this process ignores, the command ignores.
/// Returns after the command's exec. The guard must have been started (base/guard.h); it ends the
/// group if this process dies. Unlike a death signal (prctl), that holds for the whole group and
/// whichever thread called.
/// Errors: not found; not executable; no further process.
Result<pid_t> spawn_group(const std::vector<std::string>& argv, const SpawnOptions& options);

}  // namespace flyball
