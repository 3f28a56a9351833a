#include "search/mode_grid.h"

#include <algorithm>
#include <numeric>

namespace flyball {

ModeGrid::ModeGrid(const Space& modes, const std::vector<std::string>& order) : modes_(modes) {
  const auto add = [&](size_t d) {
    if (modes.axes()[d].values.size() < 2) return;
    if (std::ranges::find(axes_, d) != axes_.end()) return;
    axes_.push_back(d);
    values_.push_back(modes.axes()[d].values);
  };
  for (const std::string& name : order)
    if (const auto d = modes.axis_index(name)) add(*d);
  for (size_t d = 0; d < modes.dimensions(); ++d) add(d);
  if (!modes.empty()) template_.assign(modes.row(0).begin(), modes.row(0).end());
}

GridPosition ModeGrid::median() const {
  GridPosition at;
  for (const auto& values : values_) at.push_back(values.size() / 2);
  return at;
}

GridPosition ModeGrid::highest() const {
  GridPosition at;
  for (const auto& values : values_) at.push_back(values.size() - 1);
  return at;
}

std::optional<size_t> ModeGrid::mode(const GridPosition& at) const {
  if (modes_.empty()) return 0;  // no board axis: the one mode there is
  std::vector<double> row = template_;
  for (size_t d = 0; d < axes_.size(); ++d) row[axes_[d]] = values_[d][at[d]];
  return modes_.find(row);
}

Remaining::Remaining(size_t length) : values(length) {
  std::iota(values.begin(), values.end(), size_t{0});
}

void Remaining::move(size_t& current, bool up) {
  const auto found = std::ranges::find(values, current);
  if (found == values.end()) return values.clear();
  const auto i = static_cast<size_t>(found - values.begin());
  const size_t last = values.size() - 1;
  current = values[up ? (i + last + 1) / 2 : i / 2];
  if (up)
    values.erase(values.begin(), found + 1);
  else
    values.erase(found, values.end());
}

}  // namespace flyball
