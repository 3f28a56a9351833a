#include "profile/trials/offered_axes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {

std::vector<Axis> offered_axes(const Device& device, std::span<const Axis> open) {
  std::vector<Axis> axes = device.axes();
  for (const std::string& name : device.asked_axes())
    if (!find_axis(open, name)) std::erase_if(axes, [&](const Axis& a) { return a.name == name; });
  return axes;
}

Status check_not_missing(const Device& device, const std::string& axis) {
  if (!is_known_axis(axis) || named_axis(axis).scope != Scope::board) return {};
  const auto gaps = device.gaps();
  const auto why = std::ranges::find_if(
      gaps, [&](const std::string& gap) { return gap.find(axis) != std::string::npos; });
  return Error{Code::invalid_argument,
               why != gaps.end() ? *why : fmt::format("{} cannot be set on this device", axis),
               "`flyball mode list` shows the axes there are; --device cuda has those of a GPU"};
}

}  // namespace flyball
