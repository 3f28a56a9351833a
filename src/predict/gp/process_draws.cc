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

constexpr double draw_jitter = 1e-8;   // of a correlation matrix of close values
constexpr double small_grid = 20'000;  // grid points that are always worth it
constexpr Index most_factored = 600;   // rows whose own covariance is factored: cubic in them
constexpr Index features = 512;
constexpr int freedom = 5;         // of the spectral density, 2ν of Matérn-5/2
constexpr size_t kept_seeds = 64;  // of draws and worlds, of time and power, of roles and sets

using Floats = Eigen::MatrixXf;  // draws need no more digits
using Numbers = std::shared_ptr<const Eigen::VectorXf>;

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
  auto made = std::make_shared<Eigen::VectorXf>(count);
  for (float& value : *made) value = static_cast<float>(random.normal());
  const std::lock_guard lock(mutex);
  if (known.size() >= kept_seeds && !known.contains(seed)) known.clear();
  return known[seed] = std::move(made);
}

Matrix lower_factor(Matrix correlation) {
  correlation.diagonal().array() += draw_jitter;
  return correlation.llt().matrixL();
}

Matrix axis_factor(const std::vector<double>& values, double length) {
  const auto size = static_cast<Index>(values.size());
  Matrix correlation(size, size);
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j)
      correlation(i, j) = matern(
          std::sqrt(5.0) *
          std::abs(values[static_cast<size_t>(i)] - values[static_cast<size_t>(j)]) / length);
  return lower_factor(std::move(correlation));
}

/// The grid that the rows span.
struct Grid {
  double points = 1, sides = 0;

  explicit Grid(const CodedRows& rows) {
    for (const auto& values : rows.values) {
      points *= static_cast<double>(values.size());
      sides += static_cast<double>(values.size());
    }
  }
  double products(Index count) const { return points * sides * static_cast<double>(count); }
};

// Each step multiplies the leading axis and moves it behind the others: in the end the draws lead.
Matrix on_grid(const CodedRows& rows, const Vector& lengths, Index count, Index points,
               uint64_t seed) {
  const Numbers z = numbers(points * count, seed);
  Floats now = z->head(points * count);
  for (size_t d = 0; d < rows.axes(); ++d) {
    const auto size = static_cast<Index>(rows.values[d].size());
    if (size == 1) continue;  // moving it would change nothing
    const Eigen::Map<const Floats> leading(now.data(), size, points * count / size);
    const Floats factor =
        axis_factor(rows.values[d], lengths[static_cast<Index>(d)]).cast<float>().transpose();
    now = (leading.transpose() * factor).eval();
  }
  const Eigen::Map<const Floats> grid(now.data(), count, points);
  Matrix draws(count, rows.rows);
  for (Index i = 0; i < rows.rows; ++i) {
    Index at = 0;
    for (size_t d = rows.axes(); d-- > 0;)
      at = at * static_cast<Index>(rows.values[d].size()) + rows.index[d][static_cast<size_t>(i)];
    draws.col(i) = grid.col(at).cast<double>();
  }
  return draws;
}

Matrix by_factor(const CodedRows& rows, const Vector& lengths, Index count, uint64_t seed) {
  return normal_numbers(count, rows.rows, seed) *
         lower_factor(matern(rows, rows, lengths)).transpose();
}

Matrix by_features(const CodedRows& rows, const Vector& lengths, Index count, uint64_t seed) {
  const auto axes = static_cast<Index>(rows.axes());
  Random random(mix_seed(seed, 1));
  Floats columns(rows.rows, axes);
  for (Index d = 0; d < axes; ++d)
    columns.col(d) = rows.column(static_cast<size_t>(d)).cast<float>();
  Floats frequency(axes, features);
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
  Floats waves = columns * frequency;
  waves.rowwise() += phase;
  waves = waves.array().cos();
  const Floats weights = normal_numbers(count, features, mix_seed(seed, 2)).cast<float>();
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
  return Eigen::Map<const Floats>(z->data(), rows, columns).cast<double>();
}

Matrix process_draws(const CodedRows& rows, const Vector& lengths, Index count, uint64_t seed) {
  const Grid grid(rows);
  const auto n = static_cast<double>(rows.rows), draws = static_cast<double>(count);
  const bool fits = grid.points <= std::max(small_grid, n);
  if (rows.rows <= most_factored && (!fits || n * n * (n / 3 + draws) < grid.products(count)))
    return by_factor(rows, lengths, count, seed);
  return fits ? on_grid(rows, lengths, count, static_cast<Index>(grid.points), seed)
              : by_features(rows, lengths, count, seed);
}

}  // namespace flyball
