#include "predict/rows.h"

#include <fmt/format.h>

#include <cmath>

namespace flyball {

Status check_rows(const WorkloadTable& measured, size_t needed) {
  if (measured.size() < needed)
    return Error{Code::invalid_argument,
                 fmt::format("{} measurements of {} are too few, {} are needed", measured.size(),
                             measured.workload, needed),
                 "profile more configurations"};
  for (size_t i = 0; i < measured.size(); ++i) {
    if (!measured.accepted(measured.known(i)))
      return Error{
          Code::invalid_argument,
          fmt::format("{} at {} was {}, not measured", measured.workload,
                      describe(measured.space.settings(i)), provenance_name(measured.known(i))),
          "leave the row out, or take such rows for measurements with --accept"};
    const double time = measured.minibatch_ms[i];
    if (!std::isfinite(time) || time <= 0)
      return Error{Code::corrupt,
                   fmt::format("minibatch time {} ms of {} at {} is not above zero", time,
                               measured.workload, describe(measured.space.settings(i))),
                   "leave the row out, or measure it again"};
    const double power = measured.power_w[i];
    if (!std::isnan(power) && (!std::isfinite(power) || power <= 0))
      return Error{Code::corrupt,
                   fmt::format("power {} W of {} at {} is not above zero", power, measured.workload,
                               describe(measured.space.settings(i))),
                   "leave the field empty where power is not known"};
  }
  return {};
}

std::vector<Axis> varying_axes(const Space& space) {
  std::vector<Axis> axes;
  for (const Axis& axis : space.axes())
    if (axis.values.size() > 1) axes.push_back(axis);
  return axes;
}

Result<std::vector<size_t>> match_axes(const Space& space, const std::vector<Axis>& axes) {
  std::vector<size_t> columns;
  for (const Axis& axis : axes) {
    const auto column = space.axis_index(axis.name);
    if (!column)
      return Error{Code::invalid_argument, fmt::format("the space has no axis '{}'", axis.name),
                   "predict only where every fitted axis has a value"};
    columns.push_back(*column);
  }
  return columns;
}

std::vector<double> pick(std::span<const double> row, std::span<const size_t> columns) {
  std::vector<double> values;
  for (size_t column : columns) values.push_back(row[column]);
  return values;
}

std::vector<bool> outside_profiled(const std::vector<Axis>& profiled, const Space& space) {
  std::vector<bool> outside(space.size(), false);
  for (const Axis& axis : profiled) {
    const auto column = space.axis_index(axis.name);
    if (!column) continue;
    for (size_t i = 0; i < space.size(); ++i) {
      if (axis.values.empty()) {  // nothing was profiled at all
        outside[i] = true;
        continue;
      }
      const double value = space.row(i)[*column];
      if (value < axis.values.front() || value > axis.values.back()) outside[i] = true;
    }
  }
  return outside;
}

}  // namespace flyball
