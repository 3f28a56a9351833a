// A smaller memory and a slower disk on demand: this process in a control group of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// A block device by its numbers.
struct BlockDevice {
  unsigned major = 0, minor = 0;
  std::string text() const;  ///< "254:0"
};

/// The whole disk that holds `path`. Errors: no such path; no block device (tmpfs, overlay, NFS).
Result<BlockDevice> disk_of(const std::filesystem::path& path,
                            const std::filesystem::path& sys = "/sys");

/// Removes the groups "flyball-PID" of processes that crashed.
void remove_left_over_groups(const std::filesystem::path& cgroups = "/sys/fs/cgroup");

struct LimitOptions {
  double memory_mb =
      0;  ///< 10⁶ bytes of memory and page cache that may be newly taken; 0: no limit
  double read_mb_s = 0;  ///< 10⁶ bytes/s read from `device`; 0: no limit
  BlockDevice device{};
  std::filesystem::path cgroups = "/sys/fs/cgroup";
};

/// While it lives, this process is limited. What it had taken before stays where it was counted.
/// Version 1 (memory, blkio) and version 2 (memory, io) of control groups. After a crash only an
/// empty group is left, which the next one removes.
class Limits {
 public:
  /// Errors: `permission` without root; `unavailable` where the kernel lacks a controller.
  static Result<std::unique_ptr<Limits>> apply(const LimitOptions& options);
  ~Limits();

  /// Bytes that this process and its children newly took and that the kernel cannot take back: all
  /// but pages of files. Error: there is no memory limit, or it does not tell.
  Result<uint64_t> own_memory() const;
  /// Another memory limit. Error: there was none, or the kernel cannot get down to it.
  Status set_memory(uint64_t bytes);
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;

 private:
  Limits() = default;
  struct Group {
    std::filesystem::path ours, home;  ///< folders of our group and of that we came from
  };
  Status enter(const std::filesystem::path& hierarchy, const std::string& home,
               const std::string& file, const std::string& value);
  std::vector<Group> groups_;
  std::filesystem::path memory_group_;  ///< "" without a memory limit
  std::string limit_file_, used_file_;  ///< in it
};

}  // namespace flyball
