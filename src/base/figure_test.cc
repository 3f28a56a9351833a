#include "base/figure.h"

#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

TEST(Figure, HasThreeDigitsUnlessItIsLarge) {
  EXPECT_EQ(number(12.4449), "12.4");
  EXPECT_EQ(number(0.00123456, 2), "0.0012");
  EXPECT_EQ(number(123456.7), "123457");
  EXPECT_EQ(number(std::nan("")), "-");
}

}  // namespace
}  // namespace flyball
