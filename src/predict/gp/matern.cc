#include "predict/gp/matern.h"

#include <algorithm>
#include <cmath>

namespace flyball {
namespace {

double scaled_distance(double a, double b, double length) {
  return std::sqrt(5.0) * std::abs(a - b) / length;
}

Matrix table(const std::vector<double>& a, const std::vector<double>& b, double length,
             double (*entry)(double)) {
  Matrix values(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (Index j = 0; j < values.cols(); ++j)
    for (Index i = 0; i < values.rows(); ++i)
      values(i, j) =
          entry(scaled_distance(a[static_cast<size_t>(i)], b[static_cast<size_t>(j)], length));
  return values;
}

double log_slope(double r) {
  return r * r * (1 + r) / (3 + 3 * r + r * r);
}

}  // namespace

double matern(double r) {
  return (1 + r + r * r / 3) * std::exp(-r);
}

CodedRows::CodedRows(const Matrix& x) : rows(x.rows()) {
  for (Index d = 0; d < x.cols(); ++d) {
    std::vector<double> distinct(x.col(d).begin(), x.col(d).end());
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<int> positions;
    for (double value : x.col(d))
      positions.push_back(
          static_cast<int>(std::ranges::lower_bound(distinct, value) - distinct.begin()));
    values.push_back(std::move(distinct));
    index.push_back(std::move(positions));
  }
}

Vector CodedRows::column(size_t axis) const {
  Vector column(rows);
  for (Index i = 0; i < rows; ++i)
    column[i] = values[axis][static_cast<size_t>(index[axis][static_cast<size_t>(i)])];
  return column;
}

CodedRows CodedRows::subset(std::span<const Index> chosen) const {
  CodedRows some{*this};
  some.rows = static_cast<Index>(chosen.size());
  for (size_t d = 0; d < axes(); ++d) {
    some.index[d].clear();
    for (Index i : chosen) some.index[d].push_back(index[d][static_cast<size_t>(i)]);
  }
  return some;
}

CodedRows CodedRows::block(Index first, Index count) const {
  CodedRows some;
  some.values = values;
  some.rows = count;
  for (const auto& all : index)
    some.index.emplace_back(all.begin() + first, all.begin() + first + count);
  return some;
}

Matrix matern(const CodedRows& a, const CodedRows& b, const Vector& lengths) {
  Matrix k = Matrix::Ones(a.rows, b.rows);
  for (size_t d = 0; d < a.axes(); ++d) {
    // One column for each distinct value of b, already spread over the rows of a.
    const Matrix pairs = table(a.values[d], b.values[d], lengths[static_cast<Index>(d)], matern)(
        a.index[d], Eigen::all);
    for (Index j = 0; j < b.rows; ++j)
      k.col(j).array() *= pairs.col(b.index[d][static_cast<size_t>(j)]).array();
  }
  return k;
}

Matrix matern_log_slope(const CodedRows& rows, size_t axis, double length) {
  return table(rows.values[axis], rows.values[axis], length, log_slope)(rows.index[axis],
                                                                        rows.index[axis]);
}

}  // namespace flyball
