// The texts of /proc, as numbers. No parser allocates or trusts what it reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flyball {

/// One process, from /proc/PID/stat. CPU times in clock ticks.
struct PidStat {
  int pid = 0, parent = 0, group = 0;
  char state = '?';
  uint64_t user = 0, system = 0;                    ///< of its own threads
  uint64_t children_user = 0, children_system = 0;  ///< of children it has waited for
  int threads = 0;
  uint64_t faults = 0;  ///< page faults, with those of children it has waited for
  uint64_t start = 0;   ///< clock ticks after the machine's own start; 0 where it is not told
  uint64_t resident_pages = 0;
};
/// Nothing when the text is not a stat line. Names with blanks and brackets are fine.
std::optional<PidStat> parse_pid_stat(std::string_view text);

/// The name in brackets of /proc/PID/stat, at most 15 characters of a program; "" where there is
/// none. It may hold any character.
std::string_view parse_pid_name(std::string_view text);

/// From /proc/PID/io, in bytes.
struct PidIo {
  uint64_t read_chars = 0, write_chars = 0;  ///< through system calls, page cache included
  uint64_t read_bytes = 0, write_bytes = 0;  ///< from and to storage

  PidIo& operator+=(const PidIo& other);
};
std::optional<PidIo> parse_pid_io(std::string_view text);

/// Resident bytes from /proc/PID/statm, for pages of `page_bytes`.
std::optional<uint64_t> parse_statm_resident(std::string_view text, uint64_t page_bytes);

/// Of /proc/stat: clock ticks since boot of one `cpu` line.
struct CpuTicks {
  uint64_t busy = 0, idle = 0;  ///< waiting for I/O is idle; stolen time is neither
};
/// The line named `cpu` ("cpu" for all cores together, "cpu3" for one).
std::optional<CpuTicks> parse_cpu_ticks(std::string_view text, std::string_view cpu);

/// Bytes of one line of /proc/meminfo, /proc/PID/status or a similar `key:  N kB` text.
std::optional<uint64_t> parse_kb_line(std::string_view text, std::string_view key);

/// One device of /proc/diskstats.
struct DiskStat {
  uint64_t reads = 0, read_bytes = 0, writes = 0, write_bytes = 0, busy_ms = 0;
};
std::optional<DiskStat> parse_diskstats(std::string_view text, std::string_view device);

/// Microseconds stalled since boot, from /proc/pressure/X; `line` is "some" or "full".
std::optional<uint64_t> parse_pressure(std::string_view text, std::string_view line);

/// Pages swapped in or out and the like: `key N` of /proc/vmstat.
std::optional<uint64_t> parse_vmstat(std::string_view text, std::string_view key);

}  // namespace flyball
