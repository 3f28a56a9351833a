#include "predict/gp/wide_product.h"

#include <algorithm>
#include <vector>

#include "base/simd.h"

namespace flyball {
namespace {

constexpr Index width = 16;  // columns at a time
constexpr Index tile = 4;    // rows at a time: as many sums stay in registers

// `rows`: tile rows of A, each `known` long. `b`: known × width, row-major.
FLYBALL_WIDE void add_tile(const double* __restrict rows, Index stride, Index known,
                           const double* __restrict b, double* __restrict sums) {
  double first[width] = {}, second[width] = {}, third[width] = {}, fourth[width] = {};
  for (Index j = 0; j < known; ++j) {
    const double* x = b + j * width;
    const double w0 = rows[j], w1 = rows[stride + j], w2 = rows[2 * stride + j],
                 w3 = rows[3 * stride + j];
    for (Index c = 0; c < width; ++c) {
      first[c] += w0 * x[c];
      second[c] += w1 * x[c];
      third[c] += w2 * x[c];
      fourth[c] += w3 * x[c];
    }
  }
  for (Index c = 0; c < width; ++c)
    sums[c] +=
        first[c] * first[c] + second[c] * second[c] + third[c] * third[c] + fourth[c] * fourth[c];
}

}  // namespace

Vector squared_columns(const Matrix& a, const Matrix& b) {
  const Index n = a.rows(), m = a.cols(), padded = (n + tile - 1) / tile * tile;
  std::vector<double> rows(static_cast<size_t>(padded * m), 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < m; ++j) rows[static_cast<size_t>(i * m + j)] = a(i, j);
  std::vector<double> block(static_cast<size_t>(m * width), 0.0);
  Vector sums = Vector::Zero(b.cols());
  for (Index first = 0; first < b.cols(); first += width) {
    const Index count = std::min(width, b.cols() - first);
    for (Index c = 0; c < count; ++c)
      for (Index j = 0; j < m; ++j) block[static_cast<size_t>(j * width + c)] = b(j, first + c);
    double sum[width] = {};
    for (Index i = 0; i < n; i += tile)
      add_tile(rows.data() + i * m, m, std::min(m - n + i + tile, m), block.data(), sum);
    std::copy_n(sum, count, sums.data() + first);
  }
  return sums;
}

}  // namespace flyball
