// Starting a command in a process group of its own, under the eyes of our guard from its first
// moment.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// The standard streams of a command, each a descriptor of ours; −1: the same as ours.
struct Streams {
  static constexpr int nothing = -2;  ///< /dev/null, to be read
  int in = -1, out = -1, err = -1;

  /// It reads nothing, and all that it prints goes there.
  static Streams all_into(int file) { return {nothing, file, file}; }
  /// With a document alone on our stdout, the command's goes to stderr.
  static Streams beside(bool document) { return {-1, document ? STDERR_FILENO : -1, -1}; }
};

struct SpawnOptions {
  std::vector<std::string> environment{};  ///< "NAME=value", all of it
  Streams streams{};
};

/// This process's environment, with `more` ("NAME=value") in place of what has these names.
std::vector<std::string> own_environment(const std::vector<std::string>& more = {});

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
