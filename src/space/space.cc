#include "space/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace flyball {

Space Space::grid(std::vector<Axis> axes) {
  Space space(axes);
  std::vector<size_t> position(axes.size(), 0);
  std::vector<double> row(axes.size());
  for (const Axis& axis : axes)
    if (axis.values.empty()) return space;
  while (!axes.empty()) {
    for (size_t d = 0; d < axes.size(); ++d) row[d] = axes[d].values[position[d]];
    space.values_.insert(space.values_.end(), row.begin(), row.end());
    size_t d = axes.size();
    while (d > 0 && ++position[d - 1] == axes[d - 1].values.size()) position[--d] = 0;
    if (d == 0) break;
  }
  return space;
}

size_t Space::add(std::span<const double> row) {
  assert(row.size() == axes_.size());
  for (size_t d = 0; d < row.size(); ++d) {
    std::vector<double>& known = axes_[d].values;
    const auto at = std::lower_bound(known.begin(), known.end(), row[d]);
    if (at == known.end() || *at != row[d]) known.insert(at, row[d]);
  }
  values_.insert(values_.end(), row.begin(), row.end());
  lazy_.order.reset();
  return size() - 1;
}

std::vector<size_t> Space::board_axes() const {
  std::vector<size_t> axes;
  for (size_t d = 0; d < axes_.size(); ++d)
    if (axes_[d].scope == Scope::board) axes.push_back(d);
  return axes;
}

std::optional<size_t> Space::axis_index(const std::string& name) const {
  for (size_t d = 0; d < axes_.size(); ++d)
    if (axes_[d].name == name) return d;
  return {};
}

Space::Order Space::sorted() const {
  const std::lock_guard lock(lazy_.mutex);
  if (lazy_.order) return lazy_.order;
  std::vector<size_t> order(size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
    const auto left = row(a), right = row(b);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  return lazy_.order = std::make_shared<const std::vector<size_t>>(std::move(order));
}

std::optional<size_t> Space::find(std::span<const double> wanted) const {
  if (wanted.size() != axes_.size() || empty()) return {};
  const Order order = sorted();
  const auto at =
      std::lower_bound(order->begin(), order->end(), wanted, [this](size_t index, auto target) {
        const auto left = row(index);
        return std::lexicographical_compare(left.begin(), left.end(), target.begin(), target.end());
      });
  if (at == order->end() || !std::ranges::equal(row(*at), wanted)) return {};
  return *at;
}

Settings Space::settings(size_t index) const {
  Settings named;
  for (size_t d = 0; d < axes_.size(); ++d) named[axes_[d].name] = row(index)[d];
  return named;
}

Result<std::vector<double>> Space::to_row(const Settings& settings) const {
  std::vector<double> values;
  for (const Axis& axis : axes_) {
    const auto found = settings.find(axis.name);
    if (found == settings.end())
      return Error{Code::invalid_argument, fmt::format("no value for axis '{}'", axis.name),
                   "give one value for each axis"};
    values.push_back(found->second);
  }
  return values;
}

Trial Space::trial(size_t index, const std::string& workload, Phase phase) const {
  Trial trial{{}, {workload, phase, {}}};
  for (size_t d = 0; d < axes_.size(); ++d) {
    Settings& target = axes_[d].scope == Scope::board ? trial.mode.values : trial.job.settings;
    target[axes_[d].name] = row(index)[d];
  }
  return trial;
}

Space Space::subset(std::span<const size_t> indices) const {
  std::vector<Axis> axes = axes_;
  for (Axis& axis : axes) axis.values.clear();
  Space space(std::move(axes));
  for (size_t index : indices) space.add(row(index));
  return space;
}

}  // namespace flyball
