#include "baselines/analytical.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/statistics.h"

namespace flyball {
namespace {

// The model itself, with exponents and slopes that differ from one memory clock to the next.
WorkloadTable surface(size_t rows, uint64_t seed, std::vector<double> clocks = {665.6, 3199}) {
  WorkloadTable table;
  table.workload = "power_law";
  table.space = Space({named_axis("cpu_mhz"), named_axis("gpu_mhz"), named_axis("mem_mhz"),
                       named_axis("batch_size")});
  Random random(seed);
  for (size_t i = 0; i < rows; ++i) {
    const std::array<double, 4> x = {300 + 100.0 * static_cast<double>(random.below(18)),
                                     100 + 100.0 * static_cast<double>(random.below(12)),
                                     clocks[random.below(clocks.size())], 16};
    const double slow = x[2] < 1000 ? 1.5 : 1;
    table.add(x, 5e5 * slow * std::pow(x[0], -0.4 * slow) * std::pow(x[1], -0.7),
              4 + 0.005 * x[0] * slow + 0.015 * x[1]);
  }
  return table;
}

TEST(Analytical, RecoversAPowerLawAndALinePerMemoryClock) {
  const auto predictor = make_analytical();
  ASSERT_TRUE(predictor->fit(surface(30, 1), {}, {}).ok());
  const WorkloadTable truth = surface(300, 2);
  const auto prediction = predictor->predict(truth.space);
  ASSERT_TRUE(prediction.ok());
  EXPECT_LT(mape(prediction->minibatch_ms.mean, truth.minibatch_ms), 1e-6);
  EXPECT_LT(mape(prediction->power_w.mean, truth.power_w), 1e-6);
  EXPECT_TRUE(prediction->notes.empty());
}

TEST(Analytical, FallsBackToOneFitAndSaysSo) {
  // Four rows cannot bear a fit for each of two clocks.
  WorkloadTable few = surface(4, 3);
  const auto predictor = make_analytical();
  ASSERT_TRUE(predictor->fit(few, {}, {}).ok());
  const auto prediction = predictor->predict(surface(100, 2).space);
  ASSERT_TRUE(prediction.ok());
  for (double time : prediction->minibatch_ms.mean) EXPECT_TRUE(std::isfinite(time) && time > 0);
  for (double power : prediction->power_w.mean) EXPECT_TRUE(std::isfinite(power) && power > 0);
  ASSERT_GE(prediction->notes.size(), 2u);
  EXPECT_NE(prediction->notes[0].find("one fit over all clocks"), std::string::npos);
}

TEST(Analytical, IntervalsCoverWhatTheNoiseDoes) {
  WorkloadTable noisy = surface(60, 4), truth = surface(400, 5);
  Random random(6);
  for (WorkloadTable* table : {&noisy, &truth})
    for (size_t i = 0; i < table->size(); ++i) {
      table->minibatch_ms[i] *= std::exp(0.05 * random.normal());
      table->power_w[i] *= std::exp(0.03 * random.normal());
    }
  const auto predictor = make_analytical();
  ASSERT_TRUE(predictor->fit(noisy, {}, {}).ok());
  const auto prediction = predictor->predict(truth.space);
  size_t time_inside = 0, power_inside = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    time_inside += truth.minibatch_ms[i] >= prediction->minibatch_ms.lo90[i] &&
                   truth.minibatch_ms[i] <= prediction->minibatch_ms.hi90[i];
    power_inside += truth.power_w[i] >= prediction->power_w.lo90[i] &&
                    truth.power_w[i] <= prediction->power_w.hi90[i];
  }
  EXPECT_NEAR(static_cast<double>(time_inside) / 400, 0.9, 0.07);
  EXPECT_NEAR(static_cast<double>(power_inside) / 400, 0.9, 0.07);
}

TEST(Analytical, OneConfigurationRepeatedIsAConstant) {
  WorkloadTable table;
  table.workload = "still";
  table.space = Space({named_axis("cpu_mhz"), named_axis("loader_workers")});
  for (double ms : {10.0, 12.0}) table.add(std::array<double, 2>{1000, 0}, ms, 5);
  const auto predictor = make_analytical();
  ASSERT_TRUE(predictor->fit(table, {}, {}).ok());
  const auto prediction = predictor->predict(table.space);
  ASSERT_TRUE(prediction.ok());
  EXPECT_NEAR(prediction->minibatch_ms.mean[0], std::sqrt(120.0), 1e-9);
}

TEST(Analytical, AxisThatReachesZeroIsNoLogarithm) {
  WorkloadTable table;
  table.workload = "workers";
  table.space = Space({named_axis("loader_workers")});
  for (double workers : {0.0, 1.0, 2.0, 4.0})
    table.add(std::array<double, 1>{workers}, 8 - workers, 5);
  const auto predictor = make_analytical();
  ASSERT_TRUE(predictor->fit(table, {}, {}).ok());
  const auto prediction = predictor->predict(table.space);
  ASSERT_TRUE(prediction.ok());
  for (double time : prediction->minibatch_ms.mean) EXPECT_TRUE(std::isfinite(time));
}

TEST(Analytical, NamesWhatIsWrong) {
  const auto predictor = make_analytical();
  EXPECT_FALSE(predictor->predict(surface(3, 1).space).ok());
  EXPECT_NE(predictor->fit(surface(1, 1), {}, {}).error().message.find("too few"),
            std::string::npos);
  WorkloadTable bad = surface(9, 1);
  bad.minibatch_ms[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(predictor->fit(bad, {}, {}).ok());
  ASSERT_TRUE(predictor->fit(surface(9, 1), {}, {}).ok());
  EXPECT_FALSE(predictor->predict(Space({named_axis("cpu_mhz")})).ok());
}

}  // namespace
}  // namespace flyball
