// Whatever the firmware's tool prints.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "telemetry/sensors/firmware_tool.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& value : flyball::parse_pmic(text))
    if (!std::isfinite(value.value) || (value.unit != 'A' && value.unit != 'V')) std::abort();
  if (const auto bits = flyball::parse_throttled(text); bits && *bits > 0xffffffff) std::abort();
  return 0;
}
