#include "profile/trials/mode_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/text.h"

namespace flyball {

std::vector<std::string> not_kept(const Device& device, const PowerMode& mode) {
  std::vector<std::string> other;
  for (const auto& [name, now] : device.observed()) {
    const auto asked = mode.values.find(name);
    if (asked == mode.values.end() ||
        std::abs(now - asked->second) <= asked->second * clock_tolerance)
      continue;
    other.push_back(
        fmt::format("{} {} reads {}", name, format_number(asked->second), format_number(now)));
  }
  return other;
}

double settle(const Device& device, const PowerMode& mode, double settle_s) {
  const Stopwatch watch;
  sleep_until_ns(monotonic_ns() + static_cast<int64_t>(settle_s * 1e9));
  while (watch.seconds() < 10 * settle_s && !not_kept(device, mode).empty())
    sleep_until_ns(monotonic_ns() + static_cast<int64_t>(settle_s * 1e8));
  return watch.seconds();
}

namespace {

// Is all that did not rise again named by the mode? Then it can be set from where the board is.
bool names_what_stays_low(const Device& device, const PowerMode& mode) {
  const Settings caps = device.caps().values;
  bool any = false;
  for (const auto& [name, before] : device.baseline().values) {
    const auto now = caps.find(name);
    if (now == caps.end() || now->second >= before) continue;
    if (!mode.values.contains(name)) return false;
    any = true;
  }
  return any;
}

}  // namespace

Status set_alone(Device& device, const PowerMode& mode, double settle_s) {
  if (const Status back = device.restore(); !back.ok() && !names_what_stays_low(device, mode))
    return back;
  if (mode.values.empty()) return {};
  FLYBALL_CHECK(device.apply(mode));
  settle(device, mode, settle_s);
  return {};
}

namespace {

constexpr int64_t between_looks_ns = 200'000'000;

}  // namespace

void ClockWatch::begin() {
  next_ns_ = 0;
  seen_.clear();
}

void ClockWatch::look() {
  if (monotonic_ns() < next_ns_) return;
  next_ns_ = monotonic_ns() + between_looks_ns;
  for (const auto& [axis, now] : device_.observed()) {
    if (!mode_.values.contains(axis)) continue;
    Sum& sum = seen_[axis];
    sum.least = sum.looks == 0 ? now : std::min(sum.least, now);
    sum.most = std::max(sum.most, now);
    sum.sum += now;
    ++sum.looks;
  }
}

void ClockWatch::end(Measurement& m) {
  m.clocks.clear();
  for (const auto& [axis, sum] : seen_) {
    const double mean = sum.sum / sum.looks;
    m.clocks.push_back({axis, mean, sum.least});
    const double read = m.whole_run() ? sum.most : mean;
    const bool slow = read < mode_.values.at(axis) * (1 - clock_tolerance);
    // Cores that stay on tell nothing of heat: clocks do.
    std::optional<bool>& throttled = m.interference.throttled;
    if (slow || named_axis(axis).unit == "MHz") throttled = throttled.value_or(false) || slow;
  }
}

}  // namespace flyball
