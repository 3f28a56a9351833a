#include "base/lru.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(Lru, HitsLessThanItHolds) {
  EXPECT_EQ(lru_hits(0), 0);
  EXPECT_NEAR(lru_hits(0.25), 0.034, 0.001);
  EXPECT_NEAR(lru_hits(0.5), 0.153, 0.001);
  EXPECT_NEAR(lru_hits(0.75), 0.403, 0.001);
  EXPECT_EQ(lru_hits(1), 1);
}

}  // namespace
}  // namespace flyball
