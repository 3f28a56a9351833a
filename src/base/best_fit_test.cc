#include "base/best_fit.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace flyball {
namespace {

TEST(BestFit, TakesTheSmallestGapThatIsLargeEnough) {
  BestFit region;
  const size_t a = region.take(640), b = region.take(64), c = region.take(128);
  region.take(1);
  EXPECT_EQ(a, 0u);
  EXPECT_EQ(b, 640u);
  EXPECT_EQ(c, 704u);
  EXPECT_EQ(region.end(), 896u);
  region.give(a);
  region.give(c);
  EXPECT_EQ(region.take(100), 704u);
  EXPECT_EQ(region.take(129), 0u);
  EXPECT_EQ(region.take(640), 896u);
}

TEST(BestFit, NeighbouringGapsBecomeOneAndTheLastOneIsTheEnd) {
  BestFit region;
  const size_t a = region.take(64), b = region.take(64), c = region.take(64);
  const size_t d = region.take(64);
  region.give(a);
  region.give(c);
  region.give(b);
  EXPECT_EQ(region.find(192), 0u);
  EXPECT_EQ(region.find(193), 256u);
  region.give(d);
  EXPECT_EQ(region.end(), 0u);
  EXPECT_EQ(region.most(), 256u);
  EXPECT_EQ(region.used(), 0u);
}

TEST(BestFit, BlocksNeverOverlap) {
  Random random(1);
  BestFit region;
  std::map<size_t, size_t> blocks;
  for (int i = 0; i < 20000; ++i) {
    if (!blocks.empty() && random.below(2) == 0) {
      auto block = blocks.lower_bound(random.below(region.end()));
      if (block == blocks.end()) block = blocks.begin();
      region.give(block->first);
      blocks.erase(block);
      continue;
    }
    const size_t size = 1 + random.below(5000), place = region.take(size);
    const auto next = blocks.lower_bound(place);
    ASSERT_TRUE(next == blocks.end() || place + size <= next->first);
    ASSERT_TRUE(next == blocks.begin() ||
                std::prev(next)->first + std::prev(next)->second <= place);
    blocks.emplace(place, size);
  }
}

}  // namespace
}  // namespace flyball
