// Texts of /proc and /sys, whatever stands in them, are parsed or refused, never trusted.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "telemetry/sensors/proc_parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto stat = flyball::parse_pid_stat(text);
  if (stat && (stat->pid < 0 || stat->threads < 0)) std::abort();
  (void)flyball::parse_pid_io(text);
  (void)flyball::parse_statm_resident(text, 4096);
  for (const char* cpu : {"cpu", "cpu3"}) (void)flyball::parse_cpu_ticks(text, cpu);
  (void)flyball::parse_kb_line(text, "MemTotal");
  (void)flyball::parse_diskstats(text, "sda");
  for (const char* line : {"some", "full"}) (void)flyball::parse_pressure(text, line);
  (void)flyball::parse_vmstat(text, "pswpin");
  return 0;
}
