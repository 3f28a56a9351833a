#include "predict/least_squares.h"

namespace flyball {

LeastSquares::Decomposition LeastSquares::decomposed(const Matrix& a) {
  return Decomposition(a);
}

Vector LeastSquares::solve(const Vector& b) const {
  return decomposition_.solve(b);
}

Matrix LeastSquares::pseudo_inverse() const {
  return decomposition_.pseudoInverse();
}

}  // namespace flyball
