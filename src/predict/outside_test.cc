#include "predict/outside.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(Outside, NothingChangesInside) {
  const Space profiled =
      Space::grid({named_axis("gpu_mhz", {200, 400}), named_axis("loader_workers", {0})});
  const Space space = Space::grid(
      {named_axis("gpu_mhz", {100, 200, 300, 400}), named_axis("loader_workers", {0, 1})});
  Prediction prediction;
  prediction.minibatch_ms = {std::vector<double>(8, 10), std::vector<double>(8, 9),
                             std::vector<double>(8, 11)};
  widen_outside(profiled, space, prediction);
  for (size_t i = 0; i < space.size(); ++i) {
    const bool inside = space.row(i)[0] >= 200 && space.row(i)[1] == 0;
    EXPECT_EQ(prediction.minibatch_ms.hi90[i] == 11, inside) << i;
    EXPECT_EQ(prediction.minibatch_ms.lo90[i] == 9, inside) << i;
    EXPECT_EQ(prediction.minibatch_ms.mean[i], 10);
  }
  EXPECT_TRUE(prediction.power_w.mean.empty());
}

TEST(Outside, NothingChangesWhereASimulationTellsOfIt) {
  const Space profiled = Space::grid({named_axis("gpu_mhz", {200, 400})});
  const Space space = Space::grid({named_axis("gpu_mhz", {100, 800})});
  Prediction prediction;
  prediction.minibatch_ms = {{10, 10}, {9, 9}, {11, 11}};
  prediction.simulated_outside = true;
  widen_outside(profiled, space, prediction);
  EXPECT_EQ(prediction.minibatch_ms.hi90[1], 11);
}

}  // namespace
}  // namespace flyball
