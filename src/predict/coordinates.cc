#include "predict/coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace flyball {
namespace {

constexpr double tiny = 1e-6;  // a clock or a count of zero has no logarithm

// Zero is a legal number of loader workers, and a generic axis may have any sign.
double generic(double value) {
  return std::copysign(std::log1p(std::abs(value)), value);
}

}  // namespace

CodedRows coded(const Space& space, std::span<const size_t> columns) {
  CodedRows codes;
  codes.rows = static_cast<Index>(space.size());
  for (size_t column : columns) {
    const auto& values = space.axes()[column].values;
    std::vector<int> index(space.size());
    for (size_t i = 0; i < index.size(); ++i)
      index[i] =
          static_cast<int>(std::ranges::lower_bound(values, space.row(i)[column]) - values.begin());
    codes.values.push_back(values);
    codes.index.push_back(std::move(index));
  }
  return codes;
}

AxisRole axis_role(const std::string& name) {
  if (name == "cpu_cores") return AxisRole::cores;
  if (name == "cpu_mhz") return AxisRole::cpu;
  if (name == "gpu_mhz") return AxisRole::gpu;
  if (name == "mem_mhz") return AxisRole::memory;
  if (name == "batch_size") return AxisRole::batch;
  return AxisRole::other;
}

Rows Rows::subset(std::span<const Index> indices) const {
  return {roles(indices, Eigen::all), other(indices, Eigen::all), x.subset(indices)};
}

Coordinates::Coordinates(const Space& measured, const std::string& device,
                         std::span<const WorkloadTable> references) {
  for (const Axis& axis : measured.axes()) {
    if (axis.values.empty()) continue;
    const double low = axis.values.front(), high = axis.values.back();
    Used used{axis.name, axis_role(axis.name), high, low, low, high, axis.values.size() > 1};
    for (const WorkloadTable& reference : references) {
      const auto column = reference.space.axis_index(axis.name);
      if (reference.device != device || device.empty() || !column) continue;
      const auto& values = reference.space.axes()[*column].values;
      if (values.empty() || used.role == AxisRole::batch) continue;
      used.scale = std::max(used.scale, values.back());
      used.lowest = std::min(used.lowest, values.front());
    }
    // A constant axis of known meaning stays: the forms know what it does where it does vary.
    if (used.varies || used.role != AxisRole::other) ++gp_axes_;
    axes_.push_back(std::move(used));
  }
}

double Coordinates::coordinate(const Used& axis, double value) {
  if (axis.role == AxisRole::other) return generic(value) - generic(axis.scale);
  return std::log(std::max(value, tiny) / std::max(axis.scale, tiny));
}

Result<Rows> Coordinates::rows(const Space& space) const {
  const auto n = static_cast<Index>(space.size());
  Rows rows{Matrix::Zero(n, known_roles), Matrix(n, static_cast<Index>(other_axes())), {}};
  rows.x.rows = n;
  Index other = 0;
  for (const Used& axis : axes_) {
    const auto column = space.axis_index(axis.name);
    if (!column && axis.varies)
      return Error{Code::invalid_argument, fmt::format("the space has no axis '{}'", axis.name),
                   "predict only where every fitted axis has a value"};
    const bool generic_axis = axis.role == AxisRole::other;
    if (generic_axis && !axis.varies) continue;
    CodedRows codes;
    if (column) {
      codes = coded(space, std::array{*column});
    } else {
      codes.values = {{axis.high}};
      codes.index.emplace_back(space.size(), 0);
      codes.rows = n;
    }
    for (double& value : codes.values[0]) value = coordinate(axis, value);
    if (generic_axis)
      rows.other.col(other++) = codes.column(0);
    else
      rows.roles.col(static_cast<Index>(axis.role)) = codes.column(0);
    rows.x.values.push_back(std::move(codes.values[0]));
    rows.x.index.push_back(std::move(codes.index[0]));
  }
  return rows;
}

std::vector<bool> Coordinates::outside(const Space& space) const {
  std::vector<bool> outside(space.size(), false);
  for (const Used& axis : axes_) {
    const auto column = space.axis_index(axis.name);
    if (!column) continue;
    for (size_t i = 0; i < space.size(); ++i) {
      const double value = space.row(i)[*column];
      if (value < axis.low || value > axis.high) outside[i] = true;
    }
  }
  return outside;
}

bool Coordinates::varies(AxisRole role) const {
  return std::ranges::any_of(axes_, [role](const Used& u) { return u.role == role && u.varies; });
}

double Coordinates::lowest(AxisRole role) const {
  for (const Used& axis : axes_)
    if (axis.role == role && axis.varies) return axis.lowest / axis.scale;
  return 1;
}

double Coordinates::scale(AxisRole role) const {
  for (const Used& axis : axes_)
    if (axis.role == role) return axis.scale;
  return 1;
}

size_t Coordinates::other_axes() const {
  return static_cast<size_t>(std::ranges::count_if(
      axes_, [](const Used& u) { return u.role == AxisRole::other && u.varies; }));
}

}  // namespace flyball
