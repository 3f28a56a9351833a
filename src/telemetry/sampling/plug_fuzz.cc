// Any text is a plug meter's log with rising times and finite watts, or is refused by file and
// line.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/time_stamp.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto stamp = flyball::parse_time_stamp(text);
  if (stamp && !std::isfinite(*stamp)) std::abort();
  const auto trace = flyball::parse_plug_log(text, "plug.csv");
  if (!trace.ok()) {
    if (trace.error().message.find("plug.csv") == std::string::npos) std::abort();
    return 0;
  }
  for (size_t i = 0; i < trace->samples.size(); ++i) {
    if (!std::isfinite(trace->samples[i].value)) std::abort();
    if (i > 0 && trace->samples[i].time_ns <= trace->samples[i - 1].time_ns) std::abort();
  }
  return 0;
}
