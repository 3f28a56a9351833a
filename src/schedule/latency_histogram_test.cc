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

TEST(LatencyHistogram, MergedItIsThatOfAllValues) {
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    LatencyHistogram one, other, both;
    const double apart = std::exp(8 * random.normal());
    for (int i = 0; i < 200; ++i) {
      const auto ns = static_cast<int64_t>(1e7 * std::exp(random.normal()));
      const auto far = static_cast<int64_t>(1e7 * apart * std::exp(random.normal()));
      one.add(ns);
      other.add(far);
      both.add(ns);
      both.add(far);
    }
    one.merge(other);
    one.merge(LatencyHistogram());
    EXPECT_EQ(one.count(), both.count());
    EXPECT_EQ(one.max_ms(), both.max_ms());
    for (const double q : {0.01, 0.3, 0.5, 0.7, 0.99})
      EXPECT_EQ(one.quantile_ms(q), both.quantile_ms(q));
    LatencyHistogram empty;
    empty.merge(both);
    EXPECT_EQ(empty.quantile_ms(0.5), both.quantile_ms(0.5));
  }
}

TEST(LatencyHistogram, BarsHoldEveryValueBelowTheirEnd) {
  Random random(3);
  LatencyHistogram histogram;
  std::vector<double> ms;
  for (int i = 0; i < 5000; ++i) {
    ms.push_back(20 * std::exp(random.normal()));
    histogram.add(static_cast<int64_t>(ms.back() * 1e6));
  }
  size_t sum = 0;
  double before_ms = 0;
  for (const auto& [upper_ms, count] : histogram.bars(8)) {
    EXPECT_GT(upper_ms, before_ms);
    before_ms = upper_ms;
    sum += count;
    const auto at_most = std::ranges::count_if(ms, [&](double v) { return v <= upper_ms; });
    EXPECT_EQ(sum, static_cast<size_t>(at_most)) << upper_ms;
  }
  EXPECT_EQ(sum, histogram.count());
}

}  // namespace
}  // namespace flyball
