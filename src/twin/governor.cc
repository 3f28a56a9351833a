#include "twin/governor.h"

#include <algorithm>
#include <cmath>

namespace flyball {

TwinGovernor::Clock TwinGovernor::clock(const TwinBoard& board, const PowerMode& caps,
                                        const char* name) {
  Clock clock;
  const Axis* axis = find_axis(board.axes, name);
  if (!axis) return clock;
  const auto cap = caps.values.find(name);
  const double highest = cap == caps.values.end() ? axis->values.back() : cap->second;
  for (const double value : axis->values)
    if (value < highest) clock.values.push_back(value);
  clock.values.push_back(highest);
  clock.mhz = highest;
  return clock;
}

TwinGovernor::TwinGovernor(const TwinBoard& board, const PowerMode& caps)
    : mode_(caps),
      cpu_(clock(board, caps, axis::cpu_mhz)),
      gpu_(clock(board, caps, axis::gpu_mhz)) {
  cpu_.margin = 1.25;
  cpu_.memory_s = 0.05;
  other_cpu_ = cpu_;
  gpu_.margin = 3;
  gpu_.memory_s = 0.2;
}

bool TwinGovernor::Clock::follow(double seconds, double busy_s) {
  if (values.empty() || !(seconds > 0)) return false;
  const double share = std::min(1.0, busy_s / seconds);
  busy += (share - busy) * (1 - std::exp(-seconds / memory_s));
  const double wanted = margin * busy * mhz;
  const auto next = std::ranges::lower_bound(values, wanted);
  const double before = mhz;
  mhz = next == values.end() ? values.back() : *next;
  // The same work takes another share of the time at another clock.
  busy = std::min(1.0, busy * before / mhz);
  return mhz != before;
}

bool TwinGovernor::observe(double seconds, const Load& load) {
  const bool cpu = cpu_.follow(seconds, load.main_s);
  const bool others = other_cpu_.follow(seconds, load.others_s);
  const bool gpu = gpu_.follow(seconds, load.gpu_s);
  if (cpu) mode_.values[axis::cpu_mhz] = cpu_.mhz;
  if (gpu) mode_.values[axis::gpu_mhz] = gpu_.mhz;
  return cpu || others || gpu;
}

PowerMode resting_mode(const TwinBoard& board, const PowerMode& caps) {
  PowerMode mode = caps;
  for (const char* name : {axis::cpu_mhz, axis::gpu_mhz, axis::mem_mhz})
    if (const Axis* axis = find_axis(board.axes, name)) mode.values[name] = axis->values.front();
  return mode;
}

}  // namespace flyball
