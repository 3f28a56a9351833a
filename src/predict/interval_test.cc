#include "predict/interval.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

// Tables of Student's t, 95th percentile.
TEST(Interval, T90IsStudentsT) {
  EXPECT_NEAR(t90(1), 6.314, 0.001);
  EXPECT_NEAR(t90(2), 2.920, 0.001);
  EXPECT_NEAR(t90(3), 2.353, 0.01);
  EXPECT_NEAR(t90(4), 2.132, 0.004);
  EXPECT_NEAR(t90(10), 1.812, 0.001);
  EXPECT_NEAR(t90(1000000), z90, 1e-4);
}

}  // namespace
}  // namespace flyball
