// A command and everything it has started, seen through /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "telemetry/sensors/proc_parse.h"

namespace flyball {

/// What the living processes of a tree use now.
struct TreeUse {
  double resident_bytes = 0;  ///< sum over processes; pages shared between them count in each
  double cpu_s = 0;           ///< user and system, with children already waited for
  int processes = 0, threads = 0;
  uint64_t faults = 0;  ///< page faults, with those of children already waited for
};

/// The processes that descend from `leader`, belong to its process group, or were orphaned by one
/// that did and adopted by us. For the last, this process must be a child subreaper (prctl).
class ProcessTree {
 public:
  /// `bystanders`: children of this process that have nothing to do with the tree; tools that
  /// sensors run (base/os/tool_process.h) never have.
  ProcessTree(pid_t leader, std::vector<pid_t> bystanders);

  /// Names the leader, when it was not known at construction (0).
  void lead(pid_t leader);

  /// Finds the members anew. Takes some 10 µs per process and thread.
  void refresh();
  /// Members found last, zombies included.
  const std::vector<pid_t>& members() const { return members_; }
  /// Children of this process that belong to the tree: those we must wait for.
  std::vector<pid_t> adopted() const;
  /// Resident memory of the members, read fast: no search, no CPU time.
  double resident_bytes() const;
  /// Everything, of members found last that still live.
  TreeUse use() const;

  /// Children of process `pid`, whichever of its threads started them.
  static std::vector<pid_t> children_of(pid_t pid);

 private:
  void add_with_descendants(pid_t pid);

  pid_t leader_;
  std::vector<pid_t> bystanders_;
  std::vector<pid_t> members_;
};

/// The largest resident memory a living process ever had (VmHWM), in bytes; 0 when it has ended.
double process_peak_bytes(pid_t pid);
std::optional<PidStat> read_pid_stat(pid_t pid);
/// I/O of a process with its threads and the children it has waited for; works on zombies.
std::optional<PidIo> read_pid_io(pid_t pid);

}  // namespace flyball
