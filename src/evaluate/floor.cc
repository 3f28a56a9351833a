#include "evaluate/floor.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/statistics.h"
#include "predict/gp/matern.h"

namespace flyball {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr size_t folds = 10, neighbours = 60, tuning_rows = 300, least_rows = 30;

// One figure of a table: axes as logarithms in [0, 1], values as logarithms.
struct Points {
  size_t dimensions = 0;
  std::vector<double> x, y;
  std::vector<size_t> fold;

  size_t size() const { return y.size(); }
  const double* row(size_t i) const { return x.data() + i * dimensions; }
};

Points points_of(const WorkloadTable& table, const std::vector<double>& values, uint64_t seed) {
  Points points;
  std::vector<size_t> kept;
  for (size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i])) kept.push_back(i);
  for (size_t i : kept) points.y.push_back(std::log(values[i]));
  std::vector<size_t> columns;
  for (size_t d = 0; d < table.space.dimensions(); ++d)
    if (table.space.axes()[d].values.size() > 1) columns.push_back(d);
  points.dimensions = columns.size();
  for (size_t i : kept)
    for (size_t d : columns) {
      const std::vector<double>& axis = table.space.axes()[d].values;
      const auto at = [&](double value) { return axis.front() > 0 ? std::log(value) : value; };
      points.x.push_back((at(table.space.row(i)[d]) - at(axis.front())) /
                         (at(axis.back()) - at(axis.front())));
    }
  const auto order = Random(seed).sample(kept.size(), kept.size());
  points.fold.resize(kept.size());
  for (size_t i = 0; i < order.size(); ++i) points.fold[order[i]] = i % folds;
  return points;
}

// Takes a quadratic in the axes away, so that kriging has a level surface to work on. The few
// coefficients are fitted on all rows: they carry nothing of a single one.
std::vector<double> quadratic_trend(const Points& points) {
  const size_t d = points.dimensions;
  const auto terms = static_cast<Eigen::Index>(1 + d + d * (d + 1) / 2);
  const auto rows = static_cast<Eigen::Index>(points.size());
  if (rows < 2 * terms) return std::vector<double>(points.size(), mean(points.y));
  Matrix features(rows, terms);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double* x = points.row(static_cast<size_t>(i));
    Eigen::Index column = 0;
    features(i, column++) = 1;
    for (size_t a = 0; a < d; ++a) {
      features(i, column++) = x[a];
      for (size_t b = 0; b <= a; ++b) features(i, column++) = x[a] * x[b];
    }
  }
  const Eigen::Map<const Vector> y(points.y.data(), rows);
  const Vector trend = features * features.colPivHouseholderQr().solve(y);
  return {trend.begin(), trend.end()};
}

struct Kernel {
  std::vector<double> inverse_length;
  double noise = 0.01;  // variance, as a fraction of the signal's

  double distance(const double* a, const double* b) const {
    double sum = 0;
    for (size_t d = 0; d < inverse_length.size(); ++d) {
      const double gap = (a[d] - b[d]) * inverse_length[d];
      sum += gap * gap;
    }
    return sum;
  }
};

// The row from its nearest neighbours outside of its fold, by ordinary kriging.
double krige(const Points& points, const std::vector<double>& residual, const Kernel& kernel,
             size_t row) {
  std::vector<std::pair<double, size_t>> near;
  near.reserve(points.size());
  for (size_t i = 0; i < points.size(); ++i)
    if (points.fold[i] != points.fold[row])
      near.emplace_back(kernel.distance(points.row(i), points.row(row)), i);
  const size_t k = std::min(neighbours, near.size());
  std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(k) - 1, near.end());
  const auto n = static_cast<Eigen::Index>(k);
  Matrix covariance(n, n);
  Matrix sides(n, 2);
  Vector values(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto [distance, at] = near[static_cast<size_t>(i)];
    values[i] = residual[at];
    sides(i, 0) = matern(std::sqrt(5 * distance));
    sides(i, 1) = 1;
    for (Eigen::Index j = 0; j < i; ++j)
      covariance(i, j) = matern(std::sqrt(
          5 * kernel.distance(points.row(at), points.row(near[static_cast<size_t>(j)].second))));
    covariance(i, i) = 1 + kernel.noise + 1e-9;
  }
  const Matrix solved = covariance.selfadjointView<Eigen::Lower>().llt().solve(sides);
  const double level = solved.col(1).dot(values) / solved.col(1).sum();
  return level + solved.col(0).dot((values.array() - level).matrix());
}

double tuning_error(const Points& points, const std::vector<double>& residual, const Kernel& kernel,
                    const std::vector<size_t>& rows, size_t threads) {
  std::vector<double> errors(rows.size());
  parallel_for(
      rows.size(),
      [&](size_t i) {
        errors[i] = std::abs(krige(points, residual, kernel, rows[i]) - residual[rows[i]]);
      },
      threads);
  return mean(errors);
}

// Coordinate search in factors of four down to the square root of two.
Kernel tune(const Points& points, const std::vector<double>& residual, uint64_t seed,
            size_t threads) {
  Kernel kernel{std::vector<double>(points.dimensions, 2), 0.01};
  const auto rows = Random(mix_seed(seed, 1)).sample(points.size(), tuning_rows);
  double best = tuning_error(points, residual, kernel, rows, threads);
  for (const double factor : {4.0, 2.0, std::sqrt(2.0)})
    for (size_t d = 0; d <= points.dimensions; ++d)
      for (const double step : {factor, 1 / factor}) {
        while (true) {
          Kernel other = kernel;
          (d < points.dimensions ? other.inverse_length[d] : other.noise) *= step;
          const double error = tuning_error(points, residual, other, rows, threads);
          if (error >= best * (1 - 1e-4)) break;
          best = error;
          kernel = std::move(other);
        }
      }
  return kernel;
}

struct FoldErrors {
  std::vector<double> mean, median;
};

FoldErrors cross_validate(const Points& points, uint64_t seed, size_t threads, Floor& floor) {
  const Stopwatch watch;
  const auto trend = quadratic_trend(points);
  std::vector<double> residual(points.size());
  for (size_t i = 0; i < residual.size(); ++i) residual[i] = points.y[i] - trend[i];
  const Kernel kernel = tune(points, residual, seed, threads);
  floor.fit_s += watch.seconds();
  const Stopwatch predicting;
  std::vector<double> errors(points.size());
  parallel_for(
      points.size(),
      [&](size_t i) {
        errors[i] = 100 * std::abs(std::exp(krige(points, residual, kernel, i) - residual[i]) - 1);
      },
      threads);
  floor.predict_s += predicting.seconds();
  std::array<std::vector<double>, folds> by_fold;
  for (size_t i = 0; i < errors.size(); ++i) by_fold[points.fold[i]].push_back(errors[i]);
  FoldErrors result;
  for (const auto& fold : by_fold) {
    result.mean.push_back(mean(fold));
    result.median.push_back(median(fold));
  }
  return result;
}

}  // namespace

Result<Floor> noise_floor(const WorkloadTable& table, uint64_t seed, size_t threads) {
  if (table.size() < least_rows)
    return Error{Code::invalid_argument,
                 fmt::format("{} rows of {} are too few for --floor, {} are needed", table.size(),
                             table.title(), least_rows),
                 "leave --floor out"};
  Floor floor;
  const Points times = points_of(table, table.minibatch_ms, seed);
  const FoldErrors time = cross_validate(times, seed, threads, floor);
  floor.time_mape = time.mean;
  floor.time_mdape = time.median;
  const Points powers = points_of(table, table.power_w, seed);
  if (powers.size() < least_rows) return floor;
  const FoldErrors power = cross_validate(powers, seed, threads, floor);
  floor.power_mape = power.mean;
  floor.power_mdape = power.median;
  return floor;
}

}  // namespace flyball
