// Matérn-5/2 correlation as a product over axes. Power modes lie on grids, so each axis has few
// distinct values: exponentials are taken once per pair of values, not once per pair of rows.
#pragma once

#include <span>
#include <vector>

#include "predict/matrix.h"

namespace flyball {

/// Rows of coordinates, each axis as its distinct values and every row's index into them.
struct CodedRows {
  std::vector<std::vector<double>> values;  ///< one list for each axis
  std::vector<std::vector<int>> index;      ///< one list for each axis, an entry for each row
  Index rows = 0;

  CodedRows() = default;
  /// `x`: one row per configuration, one column per axis.
  explicit CodedRows(const Matrix& x);
  size_t axes() const { return values.size(); }
  /// The values of one axis, one per row.
  Vector column(size_t axis) const;
  CodedRows subset(std::span<const Index> rows) const;
  CodedRows block(Index first, Index count) const;
};

/// Correlation at r = √5 · distance ÷ length.
double matern(double r);

/// a.rows × b.rows correlations; `lengths`: one length-scale per axis, in the axes' unit.
Matrix matern(const CodedRows& a, const CodedRows& b, const Vector& lengths);

/// ∂ log k / ∂ log length of one axis, for every pair of rows.
Matrix matern_log_slope(const CodedRows& rows, size_t axis, double length);

}  // namespace flyball
