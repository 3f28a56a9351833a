#include "space/highest_mode.h"

#include <fmt/format.h>

#include "base/text.h"

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

bool is_highest(const Space& space, size_t row, std::span<const Axis> board) {
  for (size_t d = 0; d < space.dimensions(); ++d) {
    const Axis& axis = space.axes()[d];
    const Axis* whole = find_axis(board, axis.name);
    const double highest = (whole ? *whole : axis).values.back();
    if (axis.scope == Scope::board && space.row(row)[d] < highest) return false;
  }
  return true;
}

std::string highest_text(const Space& space, size_t row, std::span<const Axis> board) {
  const std::string highest = "the highest value of each board axis";
  if (is_highest(space, row, board)) return highest + " (MAXN)";
  std::vector<std::string> narrowed;
  for (const Axis& axis : space.axes()) {
    const Axis* whole = find_axis(board, axis.name);
    if (axis.scope == Scope::board && whole && axis.values.back() < whole->values.back())
      narrowed.push_back(axis.name);
  }
  const std::string nearest =
      is_highest(space, row, space.axes()) ? highest : "the mode nearest to " + highest;
  if (narrowed.empty()) return nearest + " (not MAXN: none has all of them)";
  return fmt::format("{} as far as it is open (not MAXN: {} is narrowed)", nearest,
                     join(narrowed, ", "));
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
