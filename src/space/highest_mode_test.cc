#include "space/highest_mode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace flyball {
namespace {

std::vector<Axis> axes() {
  return {named_axis(axis::gpu_mhz, {300, 1300}), named_axis(axis::cpu_cores, {2, 8}),
          named_axis(axis::batch_size, {1, 64})};
}

TEST(HighestMode, IsThatOfTheBoardAxes) {
  EXPECT_EQ(highest_mode(axes()).values, (Settings{{axis::gpu_mhz, 1300}, {axis::cpu_cores, 8}}));
  EXPECT_TRUE(highest_mode({}).values.empty());
}

TEST(HighestMode, IsFoundWhereverItStands) {
  const Space grid = Space::grid(axes());
  std::vector<size_t> order(grid.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (size_t turn = 0; turn < order.size(); ++turn) {
    std::ranges::rotate(order, order.begin() + 1);
    const Space space = grid.subset(order);
    const auto found = nearest_to_highest(space);
    ASSERT_TRUE(found);
    EXPECT_EQ(space.trial(*found, "w", Phase::train).mode, highest_mode(axes()));
  }
  EXPECT_FALSE(nearest_to_highest(Space()));
}

TEST(HighestMode, WhereItIsNotOfferedTheNearestIs) {
  Space space(axes());
  for (const std::array<double, 3>& row :
       {std::array{300.0, 2.0, 64.0}, {1300.0, 2.0, 1.0}, {300.0, 8.0, 1.0}})
    space.add(row);
  EXPECT_EQ(nearest_to_highest(space), 1);  // 1 + 2/8 against 300/1300 + 1
}

TEST(HighestMode, AnAxisThatIsZeroDoesNotCount) {
  Space space({named_axis("fans", {}), named_axis(axis::gpu_mhz, {})});
  for (const std::array<double, 2>& row : {std::array{0.0, 300.0}, {0.0, 1300.0}}) space.add(row);
  EXPECT_EQ(share_of_highest(space, 0), 300.0 / 1300);
  EXPECT_EQ(nearest_to_highest(space), 1);
}

}  // namespace
}  // namespace flyball
