// What a stretch of work used of this machine: CPU, memory, storage, page cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "telemetry/sensors/page_cache.h"
#include "telemetry/sensors/proc_parse.h"

namespace flyball {

/// What this process has used so far, and what all disks have read.
struct ResourceReading {
  double cpu_s = 0;              ///< user and system, all threads
  double memory_bytes = 0;       ///< resident now
  double peak_memory_bytes = 0;  ///< resident at most since restart_peak(), or since the start
  PidIo io;
  bool io_known = false;  ///< false where the kernel does not account I/O per process
  uint64_t disk_reads = 0, disk_read_bytes = 0;  ///< requests and bytes of all whole disks
  bool disks_known = false;
};
ResourceReading read_resources();
/// Lets the peak begin anew; does nothing where the kernel refuses.
void restart_peak();

/// The difference of two readings; memory is that of the later one.
struct ResourceUse {
  double cpu_s = 0;
  double cpu_pct = 0;  ///< of one core: 200 is two cores busy
  double memory_bytes = 0, peak_memory_bytes = 0;
  /// By this process: from storage, and through system calls (page cache included).
  std::optional<uint64_t> read_bytes, read_chars;
  /// Of the whole machine: requests to its disks and the bytes they read.
  std::optional<uint64_t> disk_reads, disk_read_bytes;
};
ResourceUse use_between(const ResourceReading& before, const ResourceReading& after,
                        double seconds);

/// Page-cache share of a dataset, over at most 2000 of its files, evenly spread. Nothing where the
/// kernel does not tell.
std::optional<CacheShare> cached_share(const std::vector<std::filesystem::path>& files);

}  // namespace flyball
