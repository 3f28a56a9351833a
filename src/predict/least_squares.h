// Least squares of minimum norm, also where columns depend on each other. In one place, since
// Eigen's decomposition takes ten seconds to compile wherever it is used.
#pragma once

#include "predict/matrix.h"

namespace flyball {

class LeastSquares {
 public:
  explicit LeastSquares(const Matrix& a) : decomposition_(decomposed(a)) {}

  /// The shortest x with the smallest |a x - b|.
  Vector solve(const Vector& b) const;
  Matrix pseudo_inverse() const;
  Index rank() const { return decomposition_.rank(); }

 private:
  using Decomposition = Eigen::CompleteOrthogonalDecomposition<Matrix>;
  static Decomposition decomposed(const Matrix& a);

  Decomposition decomposition_;
};

}  // namespace flyball
