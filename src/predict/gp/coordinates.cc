#include "predict/gp/coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

namespace flyball {
namespace {

constexpr double least_clock = 1e-6;  // a clock or a count of zero has no logarithm

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
  std::set<std::string> words;
  std::string word;
  for (char c : name + "_") {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      words.insert(word);
      word.clear();
    }
  }
  const auto any = [&](std::initializer_list<const char*> of) {
    return std::ranges::any_of(of, [&](const char* w) { return words.contains(w); });
  };
  if (any({"batch", "batchsize", "bs"})) return AxisRole::batch;
  if (any({"hz", "khz", "mhz", "ghz", "clock", "freq", "frequency"})) {
    if (any({"gpu", "igpu", "dgpu", "sm", "graphics"})) return AxisRole::gpu;
    if (any({"mem", "memory", "emc", "dram", "ddr"})) return AxisRole::memory;
    if (any({"cpu", "cpus", "core", "cores"})) return AxisRole::cpu;
    return AxisRole::other;
  }
  return any({"cores", "cpus"}) ? AxisRole::cores : AxisRole::other;
}

std::vector<AxisRole> axis_roles(const std::vector<Axis>& axes) {
  std::vector<AxisRole> roles;
  for (const Axis& axis : axes) {
    const AxisRole role = axis_role(axis.name);
    roles.push_back(std::ranges::count(roles, role) > 0 ? AxisRole::other : role);
  }
  return roles;
}

Rows Rows::subset(std::span<const Index> indices) const {
  return {roles(indices, Eigen::all), other(indices, Eigen::all), x.subset(indices)};
}

Coordinates::Coordinates(const Space& measured, const std::string& device, Phase phase,
                         std::span<const WorkloadTable> references) {
  const std::vector<AxisRole> roles = axis_roles(measured.axes());
  for (size_t d = 0; d < roles.size(); ++d) {
    const Axis& axis = measured.axes()[d];
    if (axis.values.empty()) continue;
    const double low = axis.values.front(), high = axis.values.back();
    Used used{axis.name, roles[d], high, low, high, axis.values.size() > 1, false};
    for (const WorkloadTable& reference : references) {
      const auto column = reference.space.axis_index(axis.name);
      if (reference.device != device || device.empty() || !column) continue;
      const auto& values = reference.space.axes()[*column].values;
      if (values.empty() || (used.role == AxisRole::batch && reference.phase != phase)) continue;
      used.scale = std::max(used.scale, values.back());
      used.lowest = std::min(used.lowest, values.front());
      if (used.role != AxisRole::other && values.size() > 1) used.expected = true;
    }
    // A constant axis of known meaning stays: the forms know what it does where it does vary.
    if (used.varies || used.role != AxisRole::other) ++gp_axes_;
    axes_.push_back(std::move(used));
  }
}

double Coordinates::coordinate(const Used& axis, double value) {
  if (axis.role == AxisRole::other) return generic(value) - generic(axis.scale);
  return std::log(std::max(value, least_clock) / std::max(axis.scale, least_clock));
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

bool Coordinates::varies(AxisRole role) const {
  return std::ranges::any_of(
      axes_, [role](const Used& u) { return u.role == role && (u.varies || u.expected); });
}

double Coordinates::lowest(AxisRole role) const {
  for (const Used& axis : axes_)
    if (axis.role == role && (axis.varies || axis.expected)) return axis.lowest / axis.scale;
  return 1;
}

double Coordinates::scale(AxisRole role) const {
  for (const Used& axis : axes_)
    if (axis.role == role) return axis.scale;
  return 1;
}

std::vector<std::string> Coordinates::other_names() const {
  std::vector<std::string> names;
  for (const Used& axis : axes_)
    if (axis.role == AxisRole::other && axis.varies) names.push_back(axis.name);
  return names;
}

size_t Coordinates::other_axes() const {
  return other_names().size();
}

}  // namespace flyball
