// Limits that may be typed as they are printed.
#pragma once

#include "base/figure.h"

namespace flyball {

/// `value` rounded up or down, to `digits` digits or to as many more as it takes that it `does`.
template <class Does>
double typed_limit(double value, int digits, bool up, const Does& does) {
  for (; digits < 15; ++digits)
    if (const double near = rounded(value, digits, up); does(near)) return near;
  return value;
}

}  // namespace flyball
