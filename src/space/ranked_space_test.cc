#include "space/ranked_space.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::ElementsAre;

Space uneven_grid() {
  return Space::grid({named_axis(axis::cpu_cores, {4}), named_axis(axis::cpu_mhz, {100, 900, 1000}),
                      named_axis(axis::gpu_mhz, {300, 1300})});
}

TEST(RankedSpace, CountsStepsAndLeavesConstantAxesOut) {
  const RankedSpace ranks = rank_axes(uneven_grid());
  ASSERT_EQ(ranks.dimensions, 2);
  EXPECT_THAT(ranks.row(0), ElementsAre(0, 0));
  EXPECT_THAT(ranks.row(3), ElementsAre(0.5, 1));
  EXPECT_THAT(ranks.row(5), ElementsAre(1, 1));
  EXPECT_EQ(ranks.distance(0, 5), 2);
  EXPECT_EQ(ranks.distance(5, 3), 0.25);
}

TEST(RankedSpace, DoesNotDependOnHowValuesAreSpaced) {
  Space stretched =
      Space::grid({named_axis(axis::cpu_cores, {8}), named_axis(axis::cpu_mhz, {1, 2, 5000}),
                   named_axis(axis::gpu_mhz, {10, 11})});
  EXPECT_EQ(rank_axes(stretched).values, rank_axes(uneven_grid()).values);
}

TEST(RankedSpace, OfSomeRows) {
  const Space space = uneven_grid();
  EXPECT_EQ(rank_axes(space, std::vector<bool>(space.size(), true)).values,
            rank_axes(space).values);
  // The two lowest CPU clocks at one GPU clock.
  const RankedSpace ranks = rank_axes(space, {true, false, true, false, false, false});
  ASSERT_EQ(ranks.dimensions, 1);
  EXPECT_THAT(ranks.values, ElementsAre(0, 0, 1, 1, 2, 2));
}

}  // namespace
}  // namespace flyball
