#include "predict/contradicted.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "predict/matrix.h"

namespace flyball {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
// In units of one reading's variance: what is expected is no less certain than the reading itself.
constexpr double most_variance = 1;
// Keeps slopes finite along an axis on which no row around differs.
constexpr double ridge = 1e-6;
constexpr double off = 0.06;  ///< logarithm; rows as far off are counted down
constexpr double weight_of_off = 0.02;
constexpr int rounds = 3;

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

/// Where each row lies: the logarithms of its values on the axes that vary; of an axis that takes
/// values of zero and below, the values.
Matrix places(const Space& space) {
  std::vector<size_t> varying;
  for (size_t d = 0; d < space.dimensions(); ++d)
    if (space.axes()[d].values.size() > 1) varying.push_back(d);
  Matrix at(static_cast<Index>(space.size()), static_cast<Index>(varying.size()));
  for (size_t d = 0; d < varying.size(); ++d) {
    const bool positive = space.axes()[varying[d]].values.front() > 0;
    for (size_t i = 0; i < space.size(); ++i) {
      const double value = space.row(i)[varying[d]];
      at(static_cast<Index>(i), static_cast<Index>(d)) = positive ? std::log(value) : value;
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

/// The polynomial's value at the origin, where it is certain enough.
std::optional<double> value_at_origin(const Around& around, int degree) {
  const Matrix x = terms(around.offsets, degree);
  Matrix normal = x.transpose() * around.weights.asDiagonal() * x;
  normal.diagonal().tail(normal.rows() - 1).array() += ridge;
  const Vector to_origin = normal.ldlt().solve(Vector::Unit(normal.rows(), 0));
  if (!(to_origin(0) >= 0) || to_origin(0) > most_variance) return {};
  return to_origin.dot(x.transpose() * around.weights.cwiseProduct(around.values));
}

class Surface {
 public:
  Surface(const Space& space, const std::vector<double>& values)
      : places_(places(space)), logs_(values), weights_(values.size(), 1.0) {
    for (double& value : logs_) value = std::log(value);
    const Neighbourhood neighbourhood(space);
    for (size_t i = 0; i < values.size(); ++i) {
      neighbours_.push_back(neighbourhood.of(i));
      std::erase_if(neighbours_.back(),
                    [&](const Neighbour& other) { return !std::isfinite(logs_[other.row]); });
    }
  }

  std::vector<double> expected() {
    std::vector<double> logs;
    for (int round = 0; round < rounds; ++round) {
      logs.clear();
      for (size_t i = 0; i < logs_.size(); ++i) logs.push_back(expected_log(i));
      for (size_t i = 0; i < logs_.size(); ++i)
        weights_[i] = std::abs(logs_[i] - logs[i]) > off ? weight_of_off : 1;
    }
    for (double& value : logs) value = std::exp(value);
    return logs;
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

  double expected_log(size_t row) const {
    if (neighbours_[row].size() < 2) return not_known;
    const Around all = around(row);
    for (const int degree : {2, 1})
      if (const auto value = value_at_origin(all, degree)) return *value;
    return not_known;
  }

  Matrix places_;
  std::vector<double> logs_, weights_;
  std::vector<std::vector<Neighbour>> neighbours_;
};

using Odd = std::function<bool(double value, double expected)>;

/// The rows of configurations of which a value of `column` is odd beside what is expected there.
std::vector<size_t> contradicted(const WorkloadTable& table,
                                 std::vector<double> WorkloadTable::*column, const Odd& odd) {
  const WorkloadTable merged = merge_repeats(table);
  const std::vector<double>& values = merged.*column;
  const std::vector<double> expected = expected_from_neighbours(merged.space, values);
  std::vector<size_t> rows;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto at = merged.space.find(table.space.row(i));
    if (at && odd(values[*at], expected[*at]) && !std::isnan((table.*column)[i])) rows.push_back(i);
  }
  return rows;
}

}  // namespace

std::vector<double> expected_from_neighbours(const Space& space,
                                             const std::vector<double>& values) {
  return Surface(space, values).expected();
}

std::vector<size_t> suspicious_power(const WorkloadTable& table, double tolerance) {
  return contradicted(table, &WorkloadTable::power_w, [&](double value, double expected) {
    return value < (1 - tolerance) * expected;
  });
}

std::vector<size_t> suspicious_time(const WorkloadTable& table, double tolerance) {
  return contradicted(table, &WorkloadTable::minibatch_ms, [&](double value, double expected) {
    return value < (1 - tolerance) * expected || value * (1 - tolerance) > expected;
  });
}

}  // namespace flyball
