#include "profile/trials/mode_watch.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"

namespace flyball {

std::vector<std::string> not_kept(const Device& device, const PowerMode& mode) {
  std::vector<std::string> lower;
  for (const auto& [name, now] : device.observed()) {
    const auto asked = mode.values.find(name);
    if (asked == mode.values.end() || now >= asked->second * (1 - clock_tolerance)) continue;
    lower.push_back(
        fmt::format("{} {} reads {}", name, format_number(asked->second), format_number(now)));
  }
  return lower;
}

double settle(const Device& device, const PowerMode& mode, double settle_s) {
  const Stopwatch watch;
  sleep_until_ns(monotonic_ns() + static_cast<int64_t>(settle_s * 1e9));
  while (watch.seconds() < 10 * settle_s && !not_kept(device, mode).empty())
    sleep_until_ns(monotonic_ns() + static_cast<int64_t>(settle_s * 1e8));
  return watch.seconds();
}

}  // namespace flyball
