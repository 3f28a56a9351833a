// Any text is a finite quantity or is refused.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/text.h"
#include "base/units.h"

namespace {

template <class Parsed>
void check(const Parsed& parsed, double value) {
  if (parsed.ok() ? !std::isfinite(value) : parsed.error().hint.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto watts = flyball::parse_watts(text);
  check(watts, watts.ok() ? watts->value : 0);
  const auto seconds = flyball::parse_seconds(text);
  check(seconds, seconds.ok() ? seconds->value : 0);
  if (seconds.ok() && flyball::format_seconds(*seconds).empty()) std::abort();
  const auto joules = flyball::parse_joules(text);
  check(joules, joules.ok() ? joules->value : 0);
  const auto bytes = flyball::parse_bytes(text);
  check(bytes, bytes.ok() ? *bytes : 0);
  const auto number = flyball::parse_double(text);
  if (number && !std::isnan(*number) &&
      flyball::parse_double(flyball::format_number(*number)) != number)
    std::abort();
  return 0;
}
