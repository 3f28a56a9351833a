#include "roofs/microbench/streams.h"

#include "base/simd.h"

namespace flyball {

FLYBALL_WIDE void stream_triad(double* __restrict a, const double* __restrict b,
                               const double* __restrict c, double s, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

FLYBALL_WIDE void stream_copy(double* __restrict a, const double* __restrict b, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = b[i];
}

}  // namespace flyball
