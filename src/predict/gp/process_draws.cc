#include "predict/gp/process_draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "base/random.h"

namespace flyball {
namespace {

constexpr double jitter = 1e-8;       // of a correlation matrix of close values
constexpr Index small_grid = 20'000;  // grid points that are always worth it
constexpr Index features = 512;
constexpr int freedom = 5;         // of the spectral density, 2ν of Matérn-5/2
constexpr size_t kept_seeds = 24;  // whose numbers are kept: of time and power of two roles twice

using Numbers = std::shared_ptr<const Vector>;

/// The first `count` numbers of a seed; kept, since each step of a search takes the same ones.
Numbers numbers(Index count, uint64_t seed) {
  static std::mutex mutex;
  static std::map<uint64_t, Numbers> known;
  {
    const std::lock_guard lock(mutex);
    const auto found = known.find(seed);
    if (found != known.end() && found->second->size() >= count) return found->second;
  }
  Random random(seed);
  auto made = std::make_shared<Vector>(count);
  for (double& value : *made) value = random.normal();
  const std::lock_guard lock(mutex);
  if (known.size() >= kept_seeds && !known.contains(seed)) known.clear();
  return known[seed] = std::move(made);
}

Matrix axis_factor(const std::vector<double>& values, double length) {
  const auto size = static_cast<Index>(values.size());
  Matrix correlation(size, size);
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j)
      correlation(i, j) = matern(
          std::sqrt(5.0) *
          std::abs(values[static_cast<size_t>(i)] - values[static_cast<size_t>(j)]) / length);
  correlation.diagonal().array() += jitter;
  return correlation.llt().matrixL();
}

// Each step multiplies the leading axis and moves it behind the others: in the end the draws lead.
Matrix on_grid(const CodedRows& rows, const Vector& lengths, Index count, Index points,
               uint64_t seed) {
  const Numbers z = numbers(points * count, seed);
  Matrix now = z->head(points * count);
  for (size_t d = 0; d < rows.axes(); ++d) {
    const auto size = static_cast<Index>(rows.values[d].size());
    const Eigen::Map<const Matrix> leading(now.data(), size, points * count / size);
    Matrix next = leading.transpose();
    if (size > 1)
      next = next * axis_factor(rows.values[d], lengths[static_cast<Index>(d)]).transpose();
    now = std::move(next);
  }
  const Eigen::Map<const Matrix> grid(now.data(), count, points);
  Matrix draws(count, rows.rows);
  for (Index i = 0; i < rows.rows; ++i) {
    Index at = 0;
    for (size_t d = rows.axes(); d-- > 0;)
      at = at * static_cast<Index>(rows.values[d].size()) + rows.index[d][static_cast<size_t>(i)];
    draws.col(i) = grid.col(at);
  }
  return draws;
}

// In floats: many cosines, of which draws need no more digits.
Matrix by_features(const CodedRows& rows, const Vector& lengths, Index count, uint64_t seed) {
  const auto axes = static_cast<Index>(rows.axes());
  Random random(mix_seed(seed, 1));
  Eigen::MatrixXf columns(rows.rows, axes);
  for (Index d = 0; d < axes; ++d)
    columns.col(d) = rows.column(static_cast<size_t>(d)).cast<float>();
  Eigen::MatrixXf frequency(axes, features);
  Eigen::RowVectorXf phase(features);
  for (Index f = 0; f < features; ++f) {
    for (Index d = 0; d < axes; ++d) {
      double chi = 0;
      const double normal = random.normal();
      for (int k = 0; k < freedom; ++k) chi += std::pow(random.normal(), 2);
      frequency(d, f) = static_cast<float>(normal / std::sqrt(chi / freedom) / lengths[d]);
    }
    phase[f] = static_cast<float>(random.uniform(0, 2 * 3.14159265358979323846));
  }
  Eigen::MatrixXf waves = columns * frequency;
  waves.rowwise() += phase;
  waves = waves.array().cos();
  const Eigen::MatrixXf weights = normal_numbers(count, features, mix_seed(seed, 2)).cast<float>();
  return std::sqrt(2.0 / features) * (weights * waves.transpose()).cast<double>();
}

}  // namespace

CodedRows joined(const CodedRows& a, const CodedRows& b) {
  CodedRows both;
  both.rows = a.rows + b.rows;
  for (size_t d = 0; d < a.axes(); ++d) {
    std::vector<double> values = a.values[d];
    values.insert(values.end(), b.values[d].begin(), b.values[d].end());
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<int> index;
    for (const CodedRows* part : std::array{&a, &b}) {
      std::vector<int> place;
      for (double value : part->values[d])
        place.push_back(static_cast<int>(std::ranges::lower_bound(values, value) - values.begin()));
      for (int i : part->index[d]) index.push_back(place[static_cast<size_t>(i)]);
    }
    both.values.push_back(std::move(values));
    both.index.push_back(std::move(index));
  }
  return both;
}

Matrix normal_numbers(Index rows, Index columns, uint64_t seed) {
  const Numbers z = numbers(rows * columns, seed);
  return Eigen::Map<const Matrix>(z->data(), rows, columns);
}

Matrix process_draws(const CodedRows& rows, const Vector& lengths, Index count, uint64_t seed) {
  Index points = 1;
  const Index most = std::max(small_grid, rows.rows);
  for (size_t d = 0; d < rows.axes() && points <= most; ++d)
    points *= static_cast<Index>(rows.values[d].size());
  return points <= most ? on_grid(rows, lengths, count, points, seed)
                        : by_features(rows, lengths, count, seed);
}

}  // namespace flyball
