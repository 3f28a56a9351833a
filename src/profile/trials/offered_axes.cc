#include "profile/trials/offered_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace flyball {

std::vector<double> served_batches() {
  return {1, 2, 4, 8, 16, 32, 64};
}

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

size_t nearest_config(const Space& space, Settings wanted) {
  double nearest = std::numeric_limits<double>::infinity();
  size_t found = 0;
  for (size_t i = 0; i < space.size(); ++i) {
    double distance = 0;
    for (size_t d = 0; d < space.dimensions(); ++d)
      distance += std::abs(std::log1p(space.row(i)[d]) - std::log1p(wanted[space.axes()[d].name]));
    if (distance >= nearest) continue;
    nearest = distance;
    found = i;
  }
  return found;
}

}  // namespace flyball
