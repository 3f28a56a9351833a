// How other machines are asked by ssh, which is never asked for a password.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// ssh with its options: it gives up within a quarter of a minute where nobody answers, and within
/// a minute where the connection dies. More options, "--", host and command follow. Error: there is
/// no ssh here (unavailable).
Result<std::vector<std::string>> ssh_words();

/// The line of a shell by which a flyball writes a consistent copy of its store to stdout.
/// `program`: as that shell takes it; `store`: one word, ""; its own one.
std::string store_export_command(const std::string& program, const std::string& store);

struct FileLimits {
  double seconds = 900;
  uint64_t bytes = uint64_t{16} << 30;
};
/// Runs it in a process group of its own, without stdin, its stdout into a new file; how it ended.
/// Errors: interrupted (SIGINT, SIGTERM: it is ended), it takes longer (io) or writes more than the
/// limits (corrupt); the file is left then as it is. May be called by several threads.
Result<int> run_into_file(const std::vector<std::string>& words, const std::filesystem::path& file,
                          const FileLimits& limits = {});

}  // namespace flyball
