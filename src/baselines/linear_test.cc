#include "baselines/linear.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "base/random.h"
#include "base/statistics.h"

namespace flyball {
namespace {

WorkloadTable plane(int rows, uint64_t seed) {
  WorkloadTable table;
  table.workload = "plane";
  table.space = Space({named_axis("cpu_mhz"), named_axis("gpu_mhz"), named_axis("cpu_cores")});
  Random random(seed);
  for (int i = 0; i < rows; ++i) {
    const std::array<double, 3> x = {400 + 100.0 * static_cast<double>(random.below(15)),
                                     100 + 100.0 * static_cast<double>(random.below(10)), 4};
    // Constant energy per ms of time and clock: within the model's family.
    table.add(x, 900 - 0.2 * x[0] - 0.3 * x[1], 0.004 * x[0] + 0.01 * x[1]);
  }
  return table;
}

TEST(LinearPredictor, RecoversAPlaneAndDropsAConstantAxis) {
  const auto predictor = make_linear();
  ASSERT_TRUE(predictor->fit(plane(30, 1), {}, {}).ok());
  const WorkloadTable truth = plane(200, 2);
  const auto prediction = predictor->predict(truth.space);
  ASSERT_TRUE(prediction.ok());
  EXPECT_LT(mape(prediction->minibatch_ms.mean, truth.minibatch_ms), 1e-6);
  EXPECT_LT(mape(prediction->power_w.mean, truth.power_w), 1e-6);
}

TEST(LinearPredictor, SaysWhatIsOutsideAndNeverPredictsBelowZero) {
  const auto predictor = make_linear();
  ASSERT_TRUE(predictor->fit(plane(30, 1), {}, {}).ok());
  Space far({named_axis("cpu_mhz"), named_axis("gpu_mhz"), named_axis("cpu_cores")});
  far.add(std::array<double, 3>{9000, 9000, 4});
  const auto prediction = predictor->predict(far);
  ASSERT_TRUE(prediction.ok());
  EXPECT_TRUE(prediction->extrapolated[0]);
  EXPECT_GT(prediction->minibatch_ms.mean[0], 0);
  ASSERT_EQ(prediction->notes.size(), 1u);
  EXPECT_NE(prediction->notes[0].find("raised"), std::string::npos);
}

// Profiled where clocks are low, the line falls to nothing where they are high.
TEST(LinearPredictor, OutsideItsIntervalsHoldWhatIsTrue) {
  const Space all = Space::grid({named_axis("cpu_mhz", {400, 600, 800, 1000, 1300, 1600, 2000}),
                                 named_axis("gpu_mhz", {300, 400, 500, 600, 800, 1000, 1300})});
  const auto time = [](std::span<const double> row) { return 9e3 / row[0] + 2e4 / row[1] + 3; };
  const auto power = [](std::span<const double> row) { return 6 + row[0] / 300 + row[1] / 60; };
  WorkloadTable corner;
  corner.space = Space({named_axis("cpu_mhz"), named_axis("gpu_mhz")});
  for (size_t i = 0; i < all.size(); ++i)
    if (all.row(i)[0] <= 1000 && all.row(i)[1] <= 500)
      corner.add(all.row(i), time(all.row(i)), power(all.row(i)));
  const auto predictor = make_linear();
  ASSERT_TRUE(predictor->fit(corner, {}, {}).ok());
  const auto prediction = predictor->predict(all);
  ASSERT_TRUE(prediction.ok());
  size_t outside = 0, held_ms = 0, held_w = 0;
  const auto within = [](const Estimates& estimates, size_t i, double value) {
    return estimates.lo90[i] <= value && value <= estimates.hi90[i];
  };
  for (size_t i = 0; i < all.size(); ++i) {
    if (!prediction->extrapolated[i]) continue;
    ++outside;
    held_ms += within(prediction->minibatch_ms, i, time(all.row(i)));
    held_w += within(prediction->power_w, i, power(all.row(i)));
  }
  ASSERT_EQ(outside, 49u - 12u);
  // `predict` widens these further (predict/outside.h).
  EXPECT_GE(static_cast<double>(held_ms), 0.9 * static_cast<double>(outside));
  EXPECT_GE(static_cast<double>(held_w), 0.8 * static_cast<double>(outside));
}

TEST(LinearPredictor, NamesWhatIsWrong) {
  const auto predictor = make_linear();
  EXPECT_NE(predictor->fit(plane(1, 1), {}, {}).error().message.find("too few"), std::string::npos);
  WorkloadTable bad = plane(5, 1);
  bad.minibatch_ms[3] = -1;
  EXPECT_NE(predictor->fit(bad, {}, {}).error().message.find("not above zero"), std::string::npos);
  bad.minibatch_ms[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(predictor->fit(bad, {}, {}).ok());
  ASSERT_TRUE(predictor->fit(plane(30, 1), {}, {}).ok());
  EXPECT_NE(predictor->predict(Space({named_axis("cpu_mhz")})).error().message.find("gpu_mhz"),
            std::string::npos);
}

TEST(LinearPredictor, WithoutPowerPredictsNone) {
  WorkloadTable table = plane(20, 3);
  for (double& power : table.power_w) power = std::numeric_limits<double>::quiet_NaN();
  const auto predictor = make_linear();
  ASSERT_TRUE(predictor->fit(table, {}, {}).ok());
  EXPECT_TRUE(predictor->predict(table.space)->power_w.mean.empty());
}

}  // namespace
}  // namespace flyball
