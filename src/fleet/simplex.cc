#include "fleet/simplex.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace flyball {
namespace {

constexpr double pivot_zero = 1e-10;
constexpr int steepest_pivots = 2000;  // from then on Bland's rule, which does not cycle
constexpr int most_pivots = 200000;

/// Columns: x, a slack of each row, an artificial variable of each row, the right-hand side.
/// Below the rows stand the costs of the first phase and of the second.
class Tableau {
 public:
  explicit Tableau(const LinearProgram& program)
      : columns_(program.cost.size()), rows_(program.rows.size()), basis_(rows_), sign_(rows_) {
    cells_.assign(rows_ + 2, std::vector<double>(width() + 1, 0.0));
    for (size_t row = 0; row < rows_; ++row) fill(row, program.rows[row]);
    std::ranges::copy(program.cost, second().begin());
  }

  std::optional<LinearSolution> solve(const LinearProgram& program) {
    minimise(first());
    if (-first()[width()] > 1e-8) return std::nullopt;
    drive_out_artificials();
    minimise(second());
    return solution(program);
  }

 private:
  size_t width() const { return columns_ + 2 * rows_; }
  size_t slack(size_t row) const { return columns_ + row; }
  size_t artificial(size_t row) const { return columns_ + rows_ + row; }
  std::vector<double>& first() { return cells_[rows_]; }
  std::vector<double>& second() { return cells_[rows_ + 1]; }

  void fill(size_t row, const LimitRow& from) {
    sign_[row] = from.limit < 0 ? -1 : 1;
    std::vector<double>& cells = cells_[row];
    for (size_t i = 0; i < columns_; ++i) cells[i] = sign_[row] * from.weights[i];
    if (!from.equal) cells[slack(row)] = sign_[row];
    cells[width()] = sign_[row] * from.limit;
    if (sign_[row] > 0 && !from.equal) {
      basis_[row] = slack(row);
      return;
    }
    cells[artificial(row)] = 1;
    basis_[row] = artificial(row);
    for (size_t i = 0; i < artificial(0); ++i) first()[i] -= cells[i];
    first()[width()] -= cells[width()];
  }

  void pivot(size_t row, size_t column) {
    std::vector<double>& pivoted = cells_[row];
    const double by = pivoted[column];
    for (double& cell : pivoted) cell /= by;
    for (size_t other = 0; other < cells_.size(); ++other) {
      const double times = cells_[other][column];
      if (other == row || times == 0) continue;
      for (size_t i = 0; i <= width(); ++i) cells_[other][i] -= times * pivoted[i];
    }
    basis_[row] = column;
  }

  /// Artificial variables do not come back. `width()`: none improves.
  size_t entering(const std::vector<double>& cost, bool steepest) const {
    size_t best = width();
    double least = -pivot_zero;
    for (size_t i = 0; i < artificial(0); ++i) {
      if (!(cost[i] < least)) continue;
      best = i;
      if (!steepest) return best;
      least = cost[i];
    }
    return best;
  }

  size_t leaving(size_t column) const {
    size_t best = rows_;
    double least = std::numeric_limits<double>::infinity();
    for (size_t row = 0; row < rows_; ++row) {
      if (!(cells_[row][column] > pivot_zero)) continue;
      const double ratio = cells_[row][width()] / cells_[row][column];
      if (ratio < least || (ratio == least && basis_[row] < basis_[best])) {
        least = ratio;
        best = row;
      }
    }
    return best;
  }

  void minimise(std::vector<double>& cost) {
    for (int step = 0; step < most_pivots; ++step) {
      const size_t column = entering(cost, step < steepest_pivots);
      if (column == width()) return;
      const size_t row = leaving(column);
      if (row == rows_) return;
      pivot(row, column);
    }
  }

  void drive_out_artificials() {
    for (size_t row = 0; row < rows_; ++row) {
      if (basis_[row] < artificial(0)) continue;
      for (size_t i = 0; i < artificial(0); ++i)
        if (std::abs(cells_[row][i]) > 1e-7) {
          pivot(row, i);
          break;
        }
    }
  }

  LinearSolution solution(const LinearProgram& program) {
    LinearSolution solution{std::vector<double>(columns_, 0.0), std::vector<double>(rows_, 0.0)};
    for (size_t row = 0; row < rows_; ++row) {
      if (basis_[row] < columns_) solution.values[basis_[row]] = cells_[row][width()];
      solution.prices[row] = program.rows[row].equal ? sign_[row] * second()[artificial(row)]
                                                     : std::max(0.0, second()[slack(row)]);
    }
    return solution;
  }

  size_t columns_, rows_;
  std::vector<size_t> basis_;
  std::vector<double> sign_;
  std::vector<std::vector<double>> cells_;
};

}  // namespace

std::optional<LinearSolution> solve_linear(const LinearProgram& program) {
  return Tableau(program).solve(program);
}

}  // namespace flyball
