// The simplex method for small dense linear programmes.
#pragma once

#include <optional>
#include <vector>

namespace flyball {

/// Σ weights · x ≤ limit, or = limit.
struct LimitRow {
  std::vector<double> weights;
  double limit = 0;
  bool equal = false;
};
/// Minimise cost · x over x ≥ 0; the rows bound x.
struct LinearProgram {
  std::vector<double> cost;
  std::vector<LimitRow> rows;
};
struct LinearSolution {
  std::vector<double> values;  ///< x
  /// By how much the cost falls per unit of a row's limit; not below 0 but of rows that are equal.
  std::vector<double> prices;
};
/// Nothing: no x keeps every row.
std::optional<LinearSolution> solve_linear(const LinearProgram& program);

}  // namespace flyball
