#include "space/highest_mode.h"

namespace flyball {

PowerMode highest_mode(std::span<const Axis> axes) {
  PowerMode mode;
  for (const Axis& axis : axes)
    if (axis.scope == Scope::board && !axis.values.empty())
      mode.values[axis.name] = axis.values.back();
  return mode;
}

double share_of_highest(const Space& space, size_t row) {
  double sum = 0;
  for (size_t d = 0; d < space.dimensions(); ++d) {
    const Axis& axis = space.axes()[d];
    if (axis.scope == Scope::board && axis.values.back() > 0)
      sum += space.row(row)[d] / axis.values.back();
  }
  return sum;
}

bool is_highest(const Space& space, size_t row) {
  for (size_t d = 0; d < space.dimensions(); ++d) {
    const Axis& axis = space.axes()[d];
    if (axis.scope == Scope::board && space.row(row)[d] < axis.values.back()) return false;
  }
  return true;
}

std::optional<size_t> nearest_to_highest(const Space& space) {
  std::optional<size_t> best;
  double highest = 0;
  for (size_t i = 0; i < space.size(); ++i) {
    const double share = share_of_highest(space, i);
    if (best && share <= highest) continue;
    highest = share;
    best = i;
  }
  return best;
}

}  // namespace flyball
