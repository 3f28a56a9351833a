#include "profile/characterise/resources.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/clock.h"
#include "base/files.h"
#include "telemetry/process/process_tree.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball {
namespace {

constexpr size_t files_looked_at = 2000;

void read_disks(ResourceReading& reading) {
  static const std::vector<std::string> disks = disk_names();
  const auto text = read_file("/proc/diskstats", size_t{1} << 20);
  if (!text) return;
  for (const std::string& disk : disks) {
    const auto stat = parse_diskstats(*text, disk);
    if (!stat) continue;
    reading.disk_reads += stat->reads;
    reading.disk_read_bytes += stat->read_bytes;
    reading.disks_known = true;
  }
}

}  // namespace

ResourceReading read_resources() {
  ResourceReading reading;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  reading.cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  if (const auto status = read_file("/proc/self/status", 1 << 16)) {
    reading.memory_bytes = static_cast<double>(parse_kb_line(*status, "VmRSS").value_or(0));
    reading.peak_memory_bytes = static_cast<double>(parse_kb_line(*status, "VmHWM").value_or(0));
  }
  if (const auto io = read_pid_io(::getpid())) {
    reading.io = *io;
    reading.io_known = true;
  }
  read_disks(reading);
  return reading;
}

void restart_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

ResourceUse use_between(const ResourceReading& before, const ResourceReading& after,
                        double seconds) {
  ResourceUse use;
  use.cpu_s = after.cpu_s - before.cpu_s;
  use.cpu_pct = seconds > 0 ? 100 * use.cpu_s / seconds : 0;
  use.memory_bytes = after.memory_bytes;
  use.peak_memory_bytes = std::max(after.peak_memory_bytes, after.memory_bytes);
  if (before.io_known && after.io_known) {
    use.read_bytes = after.io.read_bytes - before.io.read_bytes;
    use.read_chars = after.io.read_chars - before.io.read_chars;
  }
  if (before.disks_known && after.disks_known) {
    use.disk_reads = after.disk_reads - before.disk_reads;
    use.disk_read_bytes = after.disk_read_bytes - before.disk_read_bytes;
  }
  return use;
}

std::optional<CacheShare> cached_share(const std::vector<std::filesystem::path>& files) {
  const size_t looked_at = std::min(files.size(), files_looked_at);
  std::vector<std::string> names;
  for (size_t i = 0; i < looked_at; ++i)
    names.push_back(files[i * files.size() / looked_at].string());
  const auto share = page_cache_share(names, CacheMethod::any);
  if (!share) return {};
  return *share;
}

}  // namespace flyball
