// The products that predictions of many configurations spend their time in, for as wide vectors as
// the machine has.
#pragma once

#include "predict/matrix.h"

namespace flyball {

/// Sum over each column of (A B)². Row i of `a` (n × m, m ≥ n) is zero beyond its column m − n + i:
/// a lower triangle, with full columns before it. `b`: m × configurations.
Vector squared_columns(const Matrix& a, const Matrix& b);

}  // namespace flyball
