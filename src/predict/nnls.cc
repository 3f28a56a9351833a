#include "predict/nnls.h"

#include <limits>

#include "predict/least_squares.h"

namespace flyball {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Least squares on the free columns only; the others stay zero.
Vector solve_free(const Matrix& a, const Vector& b, const std::vector<bool>& free) {
  std::vector<Eigen::Index> columns;
  for (size_t j = 0; j < free.size(); ++j)
    if (free[j]) columns.push_back(static_cast<Eigen::Index>(j));
  Vector full = Vector::Zero(a.cols());
  if (columns.empty()) return full;
  const Matrix part = a(Eigen::all, columns);
  const Vector solution = LeastSquares(part).solve(b);
  for (size_t j = 0; j < columns.size(); ++j)
    full[columns[j]] = solution[static_cast<Eigen::Index>(j)];
  return full;
}

// Steps from x towards z until the first free entry meets zero; frees none below.
void step_back(Vector& x, const Vector& z, std::vector<bool>& free) {
  double alpha = 1;
  for (size_t j = 0; j < free.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    if (free[j] && z[at] <= 0) alpha = std::min(alpha, x[at] / (x[at] - z[at]));
  }
  x += alpha * (z - x);
  for (size_t j = 0; j < free.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    if (free[j] && z[at] <= 0 && x[at] <= 1e-14) {
      free[j] = false;
      x[at] = 0;
    }
  }
}

Vector lawson_hanson(const Matrix& a, const Vector& b) {
  const Eigen::Index n = a.cols();
  Vector x = Vector::Zero(n);
  std::vector<bool> free(static_cast<size_t>(n), false);
  const double tolerance = 1e-10 * std::max(b.norm(), 1e-300);
  for (Eigen::Index round = 0; round < 3 * n; ++round) {
    const Vector gradient = a.transpose() * (b - a * x);
    Eigen::Index next = -1;
    for (Eigen::Index j = 0; j < n; ++j)
      if (!free[static_cast<size_t>(j)] && gradient[j] > tolerance &&
          (next < 0 || gradient[j] > gradient[next]))
        next = j;
    if (next < 0) break;
    free[static_cast<size_t>(next)] = true;
    for (Eigen::Index inner = 0; inner <= n; ++inner) {
      const Vector z = solve_free(a, b, free);
      bool inside = true;
      for (Eigen::Index j = 0; j < n; ++j)
        inside = inside && (!free[static_cast<size_t>(j)] || z[j] > 0);
      if (inside) {
        x = z;
        break;
      }
      step_back(x, z, free);
    }
  }
  return x;
}

}  // namespace

std::vector<double> nnls(std::span<const double> a, size_t columns, std::span<const double> b) {
  if (columns == 0) return {};
  Matrix features = Eigen::Map<const RowMajor>(a.data(), static_cast<Eigen::Index>(b.size()),
                                               static_cast<Eigen::Index>(columns));
  // Columns of one length, so that the tolerance means the same for each.
  Vector scale = features.colwise().norm().transpose();
  for (double& length : scale)
    if (!(length > 0)) length = 1;
  features = features * scale.cwiseInverse().asDiagonal();
  const Vector x = lawson_hanson(
      features, Eigen::Map<const Vector>(b.data(), static_cast<Eigen::Index>(b.size())));
  const Vector back = x.cwiseQuotient(scale);
  return {back.begin(), back.end()};
}

std::vector<double> relative_nnls(std::span<const double> a, size_t columns,
                                  std::span<const double> b) {
  std::vector<double> scaled(a.begin(), a.end());
  for (size_t i = 0; i < b.size(); ++i)
    for (size_t j = 0; j < columns; ++j) scaled[i * columns + j] /= b[i];
  return nnls(scaled, columns, std::vector<double>(b.size(), 1.0));
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace flyball
