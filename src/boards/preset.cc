#include "boards/preset.h"

#include <algorithm>

#include "boards/spec.h"

namespace flyball {

const Preset* Presets::in_force() const {
  for (const auto is : {&Preset::active, &Preset::is_default}) {
    const auto found = std::ranges::find_if(
        list, [&](const Preset& preset) { return preset.*is && !preset.contradicted; });
    if (found != list.end()) return &*found;
  }
  return nullptr;
}

std::optional<bool> is_in_force(const Preset& preset, const PowerMode& caps) {
  if (preset.mode.values.empty()) return {};
  bool all_read = true;
  for (const auto& [axis, value] : preset.mode.values) {
    const auto cap = caps.values.find(axis);
    if (cap != caps.values.end() && cap->second != value) return false;
    all_read = all_read && cap != caps.values.end();
  }
  return all_read ? std::optional(true) : std::nullopt;
}

double highest_not_above(const std::vector<double>& values, double cap) {
  const auto above = std::ranges::upper_bound(values, cap * (1 + 1e-6));
  return above == values.begin() ? values.front() : *(above - 1);
}

PowerMode mode_below(std::span<const Axis> axes, const PowerMode& caps) {
  PowerMode mode;
  for (const Axis& axis : axes) {
    if (axis.scope != Scope::board || axis.values.empty()) continue;
    const auto cap = caps.values.find(axis.name);
    mode.values[axis.name] =
        cap == caps.values.end() ? axis.values.back() : highest_not_above(axis.values, cap->second);
  }
  return mode;
}

Presets on_axes(Presets presets, std::span<const Axis> axes) {
  for (Preset& preset : presets.list) preset.mode = mode_below(axes, preset.mode);
  return presets;
}

Presets presets_of(const BoardSpec& spec, std::span<const Axis> axes) {
  return on_axes({.list = spec.presets, .problems = {}, .source = spec.presets_source}, axes);
}

}  // namespace flyball
