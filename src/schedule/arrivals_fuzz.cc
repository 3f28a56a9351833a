// Any trace is ascending times or rates, or is refused in one line; what is drawn from it ascends.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "schedule/arrivals.h"

namespace {

void check_times(const flyball::ArrivalSpec& spec) {
  const auto source = flyball::make_arrivals(spec, 1);
  int64_t last = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto next = source->next_ns();
    if (!next) return;
    if (*next < last) std::abort();
    last = *next;
  }
}

void check(const flyball::Result<flyball::ArrivalSpec>& spec) {
  if (spec.ok())
    check_times(*spec);
  else if (spec.error().message.empty() || spec.error().message.find('\n') != std::string::npos)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto csv = flyball::parse_csv(text, "fuzz");
  if (csv.ok()) check(flyball::parse_trace(*csv));
  const auto windows = flyball::parse_rate_windows(std::string(text));
  if (windows.ok()) {
    flyball::ArrivalSpec spec;
    spec.kind = flyball::ArrivalKind::windows;
    spec.windows = *windows;
    check_times(spec);
  }
  return 0;
}
