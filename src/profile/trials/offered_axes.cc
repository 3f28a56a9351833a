#include "profile/trials/offered_axes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {

std::vector<Axis> offered_axes(const Device& device, std::span<const Axis> open) {
  std::vector<Axis> axes;
  for (AxisState& state : device.states())
    if (state.settable && (!state.asked || find_axis(open, state.axis.name)))
      axes.push_back(std::move(state.axis));
  return axes;
}

Status check_not_missing(const Device& device, const std::string& axis) {
  if (!is_known_axis(axis) || named_axis(axis).scope != Scope::board) return {};
  const auto gaps = device.gaps();
  const auto gap =
      std::ranges::find_if(gaps, [&](const AxisGap& known) { return known.concerns(axis); });
  return Error{
      Code::invalid_argument,
      gap != gaps.end() ? gap->text() : fmt::format("{} cannot be set on this device", axis),
      "`flyball mode list` shows the axes there are; --device cuda has those of a GPU"};
}

}  // namespace flyball
