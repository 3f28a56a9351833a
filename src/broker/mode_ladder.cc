#include "broker/mode_ladder.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace flyball {
namespace {

// Axes that a mode may set without anybody having named them.
std::vector<Axis> ladder_axes(const Device& knobs) {
  std::vector<Axis> axes;
  for (AxisState& state : knobs.states())
    if (state.settable && !state.own && !state.asked && !state.axis.values.empty())
      axes.push_back(std::move(state.axis));
  return axes;
}

// Clocks and cores against their highest values, on average: presets need not be told apart better.
double speed(const PowerMode& mode, const std::vector<Axis>& axes) {
  double sum = 0;
  for (const Axis& axis : axes) sum += mode.values.at(axis.name) / axis.values.back();
  return sum;
}

PowerMode step(const std::vector<Axis>& axes, size_t number) {
  const double part = 1 - static_cast<double>(number) / (mode_steps - 1);
  PowerMode mode;
  for (const Axis& axis : axes) {
    const auto last = static_cast<double>(axis.values.size() - 1);
    mode.values[axis.name] = axis.values[static_cast<size_t>(std::lround(last * part))];
  }
  return mode;
}

void add(std::vector<PowerMode>& modes, PowerMode mode) {
  const auto same = [&](const PowerMode& other) { return other.values == mode.values; };
  if (std::ranges::none_of(modes, same)) modes.push_back(std::move(mode));
}

}  // namespace

ModeLadder mode_ladder(const Device& knobs, const Presets& presets) {
  const std::vector<Axis> axes = ladder_axes(knobs);
  const PowerMode present = mode_below(axes, knobs.caps());
  ModeLadder ladder{{present}};
  if (axes.empty()) return ladder;
  std::vector<PowerMode> named;
  for (const Preset& preset : presets.list) add(named, mode_below(axes, preset.mode));
  for (PowerMode& mode : named.size() > 1 ? named : std::vector<PowerMode>())
    add(ladder.modes, std::move(mode));
  for (size_t s = 0; s < mode_steps && named.size() < 2; ++s) add(ladder.modes, step(axes, s));
  std::ranges::stable_sort(ladder.modes, std::greater(),
                           [&](const PowerMode& mode) { return speed(mode, axes); });
  ladder.present = static_cast<size_t>(
      std::ranges::find_if(ladder.modes,
                           [&](const PowerMode& mode) { return mode.values == present.values; }) -
      ladder.modes.begin());
  return ladder;
}

}  // namespace flyball
