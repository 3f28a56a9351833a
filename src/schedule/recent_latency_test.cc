#include "schedule/recent_latency.h"

#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

constexpr int64_t second_ns = 1'000'000'000, ms_ns = 1'000'000;

TEST(RecentLatency, OfNoAnswerNothingIsKnown) {
  EXPECT_TRUE(std::isnan(RecentLatency().before(0).quantile_ms(0.5)));
}

TEST(RecentLatency, TheLastMinuteCountsAndWhatWasBeforeDoesNot) {
  RecentLatency recent;
  for (int64_t s = 0; s < 300; ++s) recent.add(s * second_ns, (s < 200 ? 100 : 10) * ms_ns);
  const LatencyHistogram last = recent.before(299 * second_ns);
  EXPECT_EQ(last.count(), 60u);
  EXPECT_NEAR(last.quantile_ms(0.99), 10, 0.1);
}

TEST(RecentLatency, ASilentServiceForgets) {
  RecentLatency recent;
  recent.add(second_ns, 10 * ms_ns);
  EXPECT_EQ(recent.before(59 * second_ns).count(), 1u);
  EXPECT_EQ(recent.before(61 * second_ns).count(), 0u);
}

}  // namespace
}  // namespace flyball
