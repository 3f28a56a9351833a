// Any text is a log of tegrastats with rising times and finite values, or is refused by file and
// line; nothing of a refused line is in the traces.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "telemetry/sampling/tegrastats.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)flyball::looks_like_tegrastats(text);
  const auto log = flyball::parse_tegrastats(text, "log", {.begin_unix_s = 1.7e9});
  if (!log.ok()) {
    if (log.error().message.find("log") == std::string::npos) std::abort();
    return 0;
  }
  if (log->lines == 0 || log->refused.size() > log->skipped) std::abort();
  for (const flyball::Trace& trace : log->traces) {
    if (trace.info.name.empty() || trace.samples.empty() || trace.samples.size() > log->lines)
      std::abort();
    for (size_t i = 0; i < trace.samples.size(); ++i) {
      if (!std::isfinite(trace.samples[i].value)) std::abort();
      if (i > 0 && trace.samples[i].time_ns <= trace.samples[i - 1].time_ns) std::abort();
    }
  }
  const auto power = flyball::tegrastats_power(*log, "log");
  if (power.ok() && power->samples.empty()) std::abort();
  return 0;
}
