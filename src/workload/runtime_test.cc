#include "workload/runtime.h"

#include <gtest/gtest.h>

#include <thread>

#include "data/pictures/picture_collate.h"
#include "workload/step_maker.h"

namespace flyball {
namespace {

TEST(Runtime, ThreadsHoldInEveryThread) {
  set_threads(2);
  EXPECT_EQ(threads(), 2);
  StepOptions options;
  options.threads = 1;
  auto stepper = *flyball_step_maker()->make_stepper("lenet5", options);
  const std::vector<float> samples(28 * 28);
  const std::vector<int64_t> labels = {3};
  int seen = 0;
  std::thread([&] {
    const PictureBatch batch(samples, labels, {1, 28, 28});
    ASSERT_TRUE(stepper->step(batch.view()).ok());
    seen = threads();
  }).join();
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(threads(), 1);
}

}  // namespace
}  // namespace flyball
