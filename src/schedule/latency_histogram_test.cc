#include "schedule/latency_histogram.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"
#include "base/statistics.h"

namespace flyball {
namespace {

TEST(LatencyHistogram, QuantilesAreThoseOfTheValuesToWithinHalfAStep) {
  Random random(1);
  LatencyHistogram histogram;
  std::vector<double> ms;
  for (int i = 0; i < 50000; ++i) {
    ms.push_back(20 * std::exp(random.normal()));
    histogram.add(static_cast<int64_t>(ms.back() * 1e6));
  }
  for (const double q : {0.01, 0.5, 0.95, 0.99})
    EXPECT_NEAR(histogram.quantile_ms(q) / quantile(ms, q), 1, 0.006) << q;
  EXPECT_NEAR(histogram.max_ms(), *std::ranges::max_element(ms), 1e-5);
  EXPECT_NEAR(histogram.mean_ms(), mean(ms), 1e-3);
  const auto below =
      static_cast<double>(std::ranges::count_if(ms, [](double v) { return v <= 30; }));
  EXPECT_NEAR(static_cast<double>(histogram.at_most(30)) / below, 1, 0.01);
}

TEST(LatencyHistogram, EndsOfTheScaleAreKept) {
  LatencyHistogram histogram;
  EXPECT_TRUE(std::isnan(histogram.quantile_ms(0.5)));
  histogram.add(0);
  histogram.add(int64_t{1} << 60);
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_LE(histogram.quantile_ms(0.5), 0.001);
  EXPECT_NEAR(histogram.max_ms(), std::ldexp(1.0, 60) * 1e-6, 1);
}

}  // namespace
}  // namespace flyball
