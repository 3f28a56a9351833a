#include "predict/contradicted.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "base/distributions.h"
#include "base/statistics.h"
#include "predict/matrix.h"

namespace flyball {
namespace {

// In units of the variance of one reading, that of what is expected in its place.
constexpr double most_variance = 2.5;
// Keeps slopes finite along an axis on which no row around differs.
constexpr double ridge = 1e-6;
constexpr double least_off = 0.06;  ///< logarithm; rows farther off are counted down, if they …
constexpr double sigmas = 3;        ///< … are so many standard deviations off
constexpr double weight_of_off = 0.02;
constexpr size_t least_judged = 10;
constexpr int weighting_rounds = 3;

struct Neighbour {
  size_t row;
  int steps;  ///< 1 or 2
};

/// The rows at most two steps away, over the values that the axes take.
class Neighbourhood {
 public:
  explicit Neighbourhood(const Space& space) : space_(space) {}

  std::vector<Neighbour> of(size_t row) const {
    std::vector<double> place(space_.row(row).begin(), space_.row(row).end());
    std::vector<Neighbour> found;
    collect(place, 0, 0, found);
    return found;
  }

 private:
  // Moves along this axis and those after it by what is left of two steps.
  void collect(std::vector<double>& place, size_t d, int steps,
               std::vector<Neighbour>& found) const {
    if (d == place.size()) {
      if (steps == 0) return;
      if (const auto row = space_.find(place)) found.push_back({*row, steps});
      return;
    }
    const std::vector<double>& values = space_.axes()[d].values;
    const double own = place[d];
    const auto at = std::ranges::lower_bound(values, own) - values.begin();
    for (int step = steps - 2; step <= 2 - steps; ++step) {
      if (at + step < 0 || at + step >= std::ssize(values)) continue;
      place[d] = values[static_cast<size_t>(at + step)];
      collect(place, d + 1, steps + std::abs(step), found);
    }
    place[d] = own;
  }

  const Space& space_;
};

/// The largest step between neighbouring values ÷ the smallest one.
double unevenness(std::span<const double> values) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    const double step = values[i] - values[i - 1];
    least = std::min(least, step);
    most = std::max(most, step);
  }
  return most / least;
}

/// Of this axis, are the steps of the logarithms more even than those of the values? Batch sizes
/// double, clocks do not.
bool doubles(const Axis& axis) {
  if (!(axis.values.front() > 0)) return false;
  std::vector<double> logs = axis.values;
  for (double& value : logs) value = std::log(value);
  return unevenness(logs) < unevenness(axis.values);
}

/// Where each row lies: its values on the axes that vary, or their logarithms.
Matrix places(const Space& space) {
  std::vector<size_t> varying;
  for (size_t d = 0; d < space.dimensions(); ++d)
    if (space.axes()[d].values.size() > 1) varying.push_back(d);
  Matrix at(static_cast<Index>(space.size()), static_cast<Index>(varying.size()));
  for (size_t d = 0; d < varying.size(); ++d) {
    const bool logarithms = doubles(space.axes()[varying[d]]);
    for (size_t i = 0; i < space.size(); ++i) {
      const double value = space.row(i)[varying[d]];
      at(static_cast<Index>(i), static_cast<Index>(d)) = logarithms ? std::log(value) : value;
    }
  }
  return at;
}

/// Readings around a place, which is the origin.
struct Around {
  Matrix offsets;
  Vector weights, values;
};

/// Terms of a polynomial of this degree, a row for each offset.
Matrix terms(const Matrix& offsets, int degree) {
  const Index axes = offsets.cols();
  Matrix all(offsets.rows(), 1 + axes + (degree == 2 ? axes * (axes + 1) / 2 : 0));
  all.col(0).setOnes();
  all.middleCols(1, axes) = offsets;
  if (degree == 2)
    for (Index a = 0, column = 1 + axes; a < axes; ++a)
      for (Index b = 0; b <= a; ++b, ++column)
        all.col(column) = offsets.col(a).cwiseProduct(offsets.col(b));
  return all;
}

struct Expected {
  double log = not_known;
  double sd = not_known;  ///< in units of one reading's
};

/// The polynomial's value at the origin, where it is certain enough.
std::optional<Expected> at_origin(const Around& around, int degree) {
  const Matrix x = terms(around.offsets, degree);
  Matrix normal = x.transpose() * around.weights.asDiagonal() * x;
  normal.diagonal().tail(normal.rows() - 1).array() += ridge;
  const Vector to_origin = normal.ldlt().solve(Vector::Unit(normal.rows(), 0));
  const double variance = to_origin(0);
  if (!(variance > 0) || variance > most_variance) return {};
  return Expected{to_origin.dot(x.transpose() * around.weights.cwiseProduct(around.values)),
                  std::sqrt(variance)};
}

class LocalSurface {
 public:
  LocalSurface(const Space& space, const std::vector<double>& values)
      : places_(places(space)), logs_(values), weights_(values.size(), 1.0) {
    for (double& value : logs_) value = std::log(value);
    const Neighbourhood neighbourhood(space);
    for (size_t i = 0; i < values.size(); ++i) {
      neighbours_.push_back(neighbourhood.of(i));
      std::erase_if(neighbours_.back(),
                    [&](const Neighbour& other) { return !std::isfinite(logs_[other.row]); });
    }
  }

  Surroundings surroundings() {
    Surroundings all;
    for (int round = 0; round < weighting_rounds; ++round) {
      std::vector<Expected> expected;
      for (size_t i = 0; i < logs_.size(); ++i) expected.push_back(expected_at(i));
      const double most = sigmas * spread(expected);
      all = {};
      for (size_t i = 0; i < logs_.size(); ++i) {
        all.expected.push_back(std::exp(expected[i].log));
        all.miss.push_back(std::max(most, least_off) * expected[i].sd);
        const double off = std::abs(logs_[i] - expected[i].log);
        weights_[i] = off > std::max(least_off, all.miss[i]) ? weight_of_off : 1;
      }
    }
    return all;
  }

 private:
  Around around(size_t row) const {
    const auto rows = static_cast<Index>(neighbours_[row].size());
    Around all{Matrix(rows, places_.cols()), Vector(rows), Vector(rows)};
    for (Index i = 0; i < rows; ++i) {
      const Neighbour& other = neighbours_[row][static_cast<size_t>(i)];
      all.offsets.row(i) =
          places_.row(static_cast<Index>(other.row)) - places_.row(static_cast<Index>(row));
      all.weights(i) = weights_[other.row] / other.steps;
      all.values(i) = logs_[other.row];
    }
    for (Index d = 0; d < all.offsets.cols(); ++d)
      if (const double widest = all.offsets.col(d).cwiseAbs().maxCoeff(); widest > 0)
        all.offsets.col(d) /= widest;
    return all;
  }

  // What is missed where a reading is as certain as what is expected, as a standard deviation that
  // outliers do not widen.
  double spread(const std::vector<Expected>& expected) const {
    std::vector<double> misses;
    for (size_t i = 0; i < logs_.size(); ++i)
      if (const double miss = std::abs(logs_[i] - expected[i].log) / expected[i].sd;
          std::isfinite(miss))
        misses.push_back(miss);
    // Few rows, of which one may be the fault, say nothing of the surface.
    return misses.size() < least_judged ? 0 : median(misses) / normal_quantile(0.75);
  }

  Expected expected_at(size_t row) const {
    if (neighbours_[row].size() < 2) return {};
    const Around all = around(row);
    for (const int degree : {2, 1})
      if (const auto found = at_origin(all, degree)) return *found;
    return {};
  }

  Matrix places_;
  std::vector<double> logs_, weights_;
  std::vector<std::vector<Neighbour>> neighbours_;
};

/// The rows of configurations whose value lies below (or, asked for, above) what is expected there
/// by more than the tolerance, a fraction, and than the surface misses.
std::vector<size_t> contradicted(const WorkloadTable& table,
                                 std::vector<double> WorkloadTable::*column, double tolerance,
                                 bool above) {
  const WorkloadTable merged = merge_repeats(table);
  const std::vector<double>& values = merged.*column;
  const auto [expected, miss] = surroundings(merged.space, values);
  std::vector<size_t> rows;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto at = merged.space.find(table.space.row(i));
    if (!at || std::isnan((table.*column)[i])) continue;
    const double off = std::log(values[*at] / expected[*at]);
    const double most = std::max(miss[*at], -std::log(1 - tolerance));
    if (off < -most || (above && off > most)) rows.push_back(i);
  }
  return rows;
}

}  // namespace

Surroundings surroundings(const Space& space, const std::vector<double>& values) {
  return LocalSurface(space, values).surroundings();
}

std::vector<size_t> suspicious_power(const WorkloadTable& table, double tolerance) {
  return contradicted(table, &WorkloadTable::power_w, tolerance, false);
}

std::vector<size_t> suspicious_time(const WorkloadTable& table, double tolerance) {
  return contradicted(table, &WorkloadTable::minibatch_ms, tolerance, true);
}

}  // namespace flyball
