#include "predict/gp/told_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "predict/gp/process_draws.h"
#include "predict/latin_hypercube.h"

namespace flyball {
namespace {

constexpr size_t rows_of_each = 24;
constexpr double least_variance = 1e-8;  // nothing that is told is a reading
// Neighbours err alike, so that all rows together tell as much as this many readings that do not.
constexpr double readings_of_each = 4;

Vector logarithms(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).array().log();
}

std::vector<Axis> without_values(std::vector<Axis> axes) {
  for (Axis& axis : axes) axis.values.clear();
  return axes;
}

Matrix stacked(const Matrix& a, const Matrix& b) {
  Matrix both(a.rows() + b.rows(), a.cols());
  both.topRows(a.rows()) = a;
  both.bottomRows(b.rows()) = b;
  return both;
}

// Of an axis without a meaning that has one value in the target, the table's nearest: coordinates
// leave such an axis out.
std::map<size_t, double> held_values(const WorkloadTable& table, const Space& target) {
  std::map<size_t, double> held;
  for (const Axis& axis : target.axes()) {
    const auto column = table.space.axis_index(axis.name);
    if (!column || axis.values.size() != 1 || axis_role(axis.name) != AxisRole::other) continue;
    const std::vector<double>& values = table.space.axes()[*column].values;
    held[*column] = *std::ranges::min_element(
        values, {}, [&](double value) { return std::abs(value - axis.values.front()); });
  }
  return held;
}

// Of those whose figures have logarithms.
WorkloadTable few_of(const WorkloadTable& table, const Space& target) {
  const auto sound = [](double value) { return std::isfinite(value) && value > 0; };
  const auto held = held_values(table, target);
  std::vector<size_t> rows;
  for (size_t i = 0; i < table.size(); ++i) {
    const bool stands = std::ranges::all_of(
        held, [&](const auto& one) { return table.space.row(i)[one.first] == one.second; });
    if (stands && sound(table.minibatch_ms[i]) && (!table.has_power() || sound(table.power_w[i])))
      rows.push_back(i);
  }
  const WorkloadTable all = take_rows(table, rows);
  return take_rows(all, latin_hypercube(all.space, std::min(rows_of_each, all.size()), 1));
}

std::vector<ToldRows> told_of(const std::vector<PriorKnowledge>& known,
                              const Coordinates& coordinates, Vector PriorKnowledge::*log_values,
                              ToldSpread PriorKnowledge::*spread) {
  std::vector<ToldRows> told;
  for (const PriorKnowledge& each : known) {
    if ((each.*log_values).size() == 0) continue;
    const Rows rows = *coordinates.rows(each.space);  // it has the axes of the readings
    const SurfaceRows all{rows, Matrix(rows.size(), 0), Vector::Zero(rows.size())};
    told.push_back({each.space, all, each.*log_values, each.*spread});
  }
  return told;
}

}  // namespace

PriorKnowledge PriorKnowledge::of(const WorkloadTable& table, const Space& target, ToldSpread time,
                                  ToldSpread power) {
  const WorkloadTable some = few_of(table, target);
  std::vector<Axis> axes = target.axes();
  std::erase_if(axes, [&](const Axis& axis) {
    return axis.values.empty() && !some.space.axis_index(axis.name);
  });
  PriorKnowledge prior{Space(without_values(axes)), logarithms(some.minibatch_ms), {}, time, power};
  for (size_t i = 0; i < some.size(); ++i) {
    std::vector<double> row;
    for (const Axis& axis : axes) {
      const auto column = some.space.axis_index(axis.name);
      row.push_back(column ? some.space.row(i)[*column] : axis.values.back());
    }
    prior.space.add(row);
  }
  if (some.has_power()) prior.log_w = logarithms(some.power_w);
  return prior;
}

std::vector<ToldRows> told_times(const std::vector<PriorKnowledge>& known,
                                 const Coordinates& coordinates) {
  return told_of(known, coordinates, &PriorKnowledge::log_ms, &PriorKnowledge::time);
}
std::vector<ToldRows> told_powers(const std::vector<PriorKnowledge>& known,
                                  const Coordinates& coordinates) {
  return told_of(known, coordinates, &PriorKnowledge::log_w, &PriorKnowledge::power);
}

Matrix told_errors(Index readings, const std::vector<ToldRows>& told) {
  Index size = readings;
  for (const ToldRows& one : told) size += one.rows.size();
  if (size == readings) return {};
  Matrix errors = Matrix::Zero(size, size);
  Index first = readings;
  for (const ToldRows& one : told) {
    const Index n = one.rows.size();
    auto own = errors.block(first, first, n, n);
    own.setConstant(std::pow(one.spread.level, 2));
    const double counts = std::max(1.0, static_cast<double>(n) / readings_of_each);
    own.diagonal().array() += std::max(std::pow(one.spread.each, 2) * counts, least_variance);
    first += n;
  }
  return errors;
}

SurfaceRows joined(const SurfaceRows& a, const SurfaceRows& b) {
  return {{stacked(a.rows.roles, b.rows.roles), stacked(a.rows.other, b.rows.other),
           joined(a.rows.x, b.rows.x)},
          stacked(a.fields, b.fields),
          joined(a.log_time, b.log_time)};
}

Vector joined(const Vector& a, const Vector& b) {
  return stacked(a, b);
}

}  // namespace flyball
