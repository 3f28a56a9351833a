#include "predict/gp/wide_product.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(WideProduct, IsTheSumOfSquaresWhateverTheSizes) {
  for (const Index n : {1, 3, 4, 5, 50})
    for (const Index columns : {1, 16, 17, 100}) {
      const Matrix lower = Matrix::Random(n, n).triangularView<Eigen::Lower>();
      for (const Index before : {0, 7}) {
        Matrix a(n, before + n);
        a << Matrix::Random(n, before), lower;
        const Matrix b = Matrix::Random(before + n, columns);
        const Vector expected = (a * b).colwise().squaredNorm();
        EXPECT_LT((squared_columns(a, b) - expected).cwiseAbs().maxCoeff(), 1e-9)
            << n << " × " << columns << " after " << before;
      }
    }
}

}  // namespace
}  // namespace flyball
