// Programs that Flyball asks for something, bounded in time and in what they print: Slurm's, ssh,
// itself. Each has a process group of its own, which ends with this process (base/os/guard.h). They
// have this process's environment; sensors' tools (base/os/tool_process.h) have none, and may run
// while a program is measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "telemetry/process/spawn.h"

namespace flyball {

struct ProgramAnswer {
  int exit_code = 0;      ///< or 128 + the signal that ended it
  std::string out;        ///< what it printed on stdout
  std::string complaint;  ///< the end of what it said on stderr
};

/// Runs it to its end, however it ends. `in`: a descriptor, its stdin. Errors: it does not start;
/// it takes longer (io; it is killed); it prints more than 64 MiB (corrupt).
Result<ProgramAnswer> ask_program(const std::vector<std::string>& argv, double limit_s,
                                  int in = Streams::nothing);
/// Its stdout. Errors: as ask_program(); it fails (unavailable, with its complaint).
Result<std::string> run_program(const std::vector<std::string>& argv, double limit_s,
                                int in = Streams::nothing);

struct RunLimits {
  double seconds = 900;
  uint64_t bytes = uint64_t{16} << 30;  ///< of what it prints on stdout
};
/// Runs it without stdin, its stdout into a new file; its exit code. Errors: `conflict` for a file
/// that is there; interrupted (SIGINT, SIGTERM: it is ended); it takes longer (io) or writes more
/// than the limits (corrupt): then the file is left as it is. May be called by several threads.
Result<int> run_into_file(const std::vector<std::string>& argv, const std::filesystem::path& file,
                          const RunLimits& limits = {});

}  // namespace flyball
