// Minimum of a smooth function of a few variables: limited-memory BFGS (Liu, Nocedal 1989) with
// backtracking. Deterministic; for functions whose priors keep them bounded below.
#pragma once

#include <functional>

#include "predict/matrix.h"

namespace flyball {

/// Returns the value at `x` and fills `gradient`; may return infinity where it is not defined.
using Differentiable = std::function<double(const Vector& x, Vector& gradient)>;

struct Minimum {
  Vector x;
  double value = 0;
  int iterations = 0;
};

/// The lowest point found from `start`; never worse than `start`. Stops when the value falls by
/// less than `tolerance`.
Minimum minimise(const Differentiable& function, const Vector& start, int max_iterations = 30,
                 double tolerance = 1e-4);

}  // namespace flyball
