#include "profile/trials/offered_axes.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(NearestConfig, IsTheOneOfTheWantedSettingsElseTheClosest) {
  const Space space = Space::grid({named_axis(axis::cpu_mhz, {400, 800, 1200}),
                                   named_axis(axis::batch_size, {1, 16, 64}),
                                   named_axis(axis::loader_workers, {0, 2})});
  const auto found = [&](const Settings& wanted) {
    return all_settings(space.trial(nearest_config(space, wanted), "w", Phase::train));
  };
  const Settings there = {{axis::cpu_mhz, 800}, {axis::batch_size, 16}, {axis::loader_workers, 2}};
  EXPECT_EQ(found(there), there);
  const Settings between = found({{axis::cpu_mhz, 1100}, {axis::batch_size, 40}});
  EXPECT_EQ(between.at(axis::cpu_mhz), 1200);
  EXPECT_EQ(between.at(axis::batch_size), 64) << "by ratio";
  EXPECT_EQ(between.at(axis::loader_workers), 0) << "what is not named";
}

}  // namespace
}  // namespace flyball
