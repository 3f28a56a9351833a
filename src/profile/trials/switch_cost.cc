#include "profile/trials/switch_cost.h"

#include <algorithm>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "base/random.h"
#include "base/text.h"
#include "profile/trials/mode_watch.h"
#include "profile/trials/offered_axes.h"

namespace flyball {
namespace {

constexpr int64_t look_ns = 500'000;  // between two looks at the clocks

// Says whether the clocks read as asked before the patience ended.
bool wait_until_kept(const Device& device, const PowerMode& mode, double patience_s) {
  const Stopwatch watch;
  while (!not_kept(device, mode).empty()) {
    if (watch.seconds() > patience_s) return false;
    sleep_until_ns(monotonic_ns() + look_ns);
  }
  return true;
}

Status time_switch(Device& device, ModeSwitch& change, const SwitchOptions& options) {
  FLYBALL_CHECK(device.restore());  // of the change before nothing stays
  FLYBALL_CHECK(device.apply(change.from));
  wait_until_kept(device, change.from, options.patience_s);
  const Stopwatch watch;
  FLYBALL_CHECK(device.apply(change.to));
  if (!wait_until_kept(device, change.to, options.patience_s)) ++change.unseen;
  change.ms.push_back(watch.seconds() * 1e3);
  return {};
}

// What `other` sets and `mode` leaves as it is.
void add_axes_of(const PowerMode& other, const PowerMode& baseline, PowerMode& mode) {
  for (const auto& [name, value] : baseline.values)
    if (other.values.contains(name)) mode.values.emplace(name, value);
}

}  // namespace

double SwitchCost::switch_ms() const {
  double dearest = 0;
  for (const ModeSwitch& change : switches) dearest = std::max(dearest, change.spread().median);
  return dearest;
}

Result<std::vector<ModeSwitch>> switches_of(const Device& device,
                                            const std::vector<PowerMode>& modes) {
  std::vector<ModeSwitch> switches;
  const PowerMode baseline = device.baseline();
  const auto both = [&](const std::string& name, PowerMode a, PowerMode b) {
    add_axes_of(b, baseline, a);
    add_axes_of(a, baseline, b);
    switches.push_back({.name = name, .from = a, .to = b});
    switches.push_back({.name = name, .from = b, .to = a});
  };
  if (!modes.empty()) {
    for (size_t i = 0; i < modes.size(); ++i)
      for (size_t j = i + 1; j < modes.size(); ++j) both("", modes[i], modes[j]);
    if (!switches.empty()) return switches;
    return Error{Code::invalid_argument, "one mode alone cannot be changed to another",
                 "name two or more, or none: then each knob is changed"};
  }
  const PowerMode caps = device.caps();
  PowerMode high, low;
  for (const Axis& axis : offered_axes(device, {})) {
    const auto cap = caps.values.find(axis.name);
    if (axis.values.empty() || cap == caps.values.end() || cap->second <= axis.values.front())
      continue;
    high.values[axis.name] = cap->second;
    low.values[axis.name] = axis.values.front();
    both(axis.name, {{{axis.name, cap->second}}}, {{{axis.name, axis.values.front()}}});
  }
  if (switches.empty())
    return Error{Code::unavailable,
                 "no knob can be set here" + std::string(device.gaps().empty() ? "" : ": ") +
                     join(device.gap_texts(), "; "),
                 "`flyball doctor` says what each lacks"};
  if (high.values.size() > 1) both("all", high, low);
  return switches;
}

Result<SwitchCost> measure_switches(Device& device, std::vector<ModeSwitch> switches,
                                    const SwitchOptions& options) {
  SwitchCost cost{.device = device.info().name,
                  .fingerprint = device.info().fingerprint,
                  .rounds = options.rounds,
                  .seed = options.seed,
                  .measured_utc = wall_clock_utc(),
                  .switches = std::move(switches)};
  Random random(options.seed);
  std::vector<size_t> order(cost.switches.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  size_t done = 0;
  for (int round = 0; round < options.rounds; ++round) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (size_t which : order) {
      FLYBALL_CHECK(check_interrupt(options.interrupted));
      FLYBALL_CHECK(time_switch(device, cost.switches[which], options));
      if (options.progress)
        options.progress(++done, order.size() * static_cast<size_t>(options.rounds));
    }
  }
  return cost;
}

}  // namespace flyball
