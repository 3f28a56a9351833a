#include "schedule/planning/rate_watch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "schedule/arrivals.h"

namespace flyball {
namespace {

struct Seen {
  double at_s, rate_hz;
};

std::vector<Seen> changes(const std::string& arrivals, double expected_hz, uint64_t seed,
                          double seconds) {
  const auto source = make_arrivals(*parse_arrivals(arrivals), seed);
  RateWatch watch;
  watch.expect(expected_hz, 0);
  std::vector<Seen> seen;
  while (const auto at = source->next_ns()) {
    if (static_cast<double>(*at) * 1e-9 > seconds) break;
    watch.arrived(*at);
    if (const double rate = watch.take_change(); rate > 0)
      seen.push_back({static_cast<double>(*at) * 1e-9, rate});
  }
  return seen;
}

TEST(RateWatch, IsQuietWhileNothingChanges) {
  size_t alarms = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) alarms += changes("poisson:60", 60, seed, 600).size();
  EXPECT_LE(alarms, 4u);  // of 180,000 arrivals
  EXPECT_TRUE(changes("constant:60", 60, 1, 600).empty());
}

TEST(RateWatch, FindsADoubledAndAHalvedRateWithinSeconds) {
  for (uint64_t seed = 1; seed <= 10; ++seed)
    for (const double after : {120.0, 30.0}) {
      const auto seen = changes(fmt::format("windows:60:100s,{}:100s", after), 60, seed, 200);
      ASSERT_FALSE(seen.empty());
      const auto first = std::ranges::find_if(seen, [](const Seen& s) { return s.at_s > 100; });
      ASSERT_NE(first, seen.end());
      EXPECT_LT(first->at_s, 104) << "seed " << seed;
      EXPECT_NEAR(seen.back().rate_hz / after, 1, 0.2);
    }
}

// Not the mean of what came before the change and after it. One that falls is told after a handful
// of arrivals, which say no more than its size.
TEST(RateWatch, TellsTheNewRateOfALargeChangeAtOnce) {
  struct Case {
    double before, after, within;
  };
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (const auto& [before, after, within] :
         {Case{2, 60, 1.5}, Case{2, 20, 1.5}, Case{60, 300, 1.5}, Case{100, 10, 4}}) {
      const auto seen =
          changes(fmt::format("windows:{}:100s,{}:100s", before, after), before, seed, 200);
      const auto first = std::ranges::find_if(seen, [](const Seen& s) { return s.at_s > 100; });
      ASSERT_NE(first, seen.end());
      EXPECT_LT(std::abs(std::log(first->rate_hz / after)), std::log(within))
          << before << " to " << after << ", seed " << seed << ": " << first->rate_hz;
    }
}

// Requests that come in groups are no Poisson process and alarm now and then; what is told then is
// the rate of some groups, not that within one.
TEST(RateWatch, AGroupIsNoRate) {
  size_t told = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto groups = make_arrivals(*parse_arrivals("poisson:15"), seed);
    RateWatch watch;
    watch.expect(60, 0);
    for (int group = 0; group < 4000; ++group) {
      const int64_t begin_ns = *groups->next_ns();
      for (int one = 0; one < 4; ++one) {
        watch.arrived(begin_ns + one * 10'000);
        const double rate_hz = watch.take_change();
        if (rate_hz == 0) continue;
        ++told;
        EXPECT_LT(rate_hz, 60 * 10) << "seed " << seed << ", group " << group;
      }
    }
  }
  EXPECT_GT(told, 0u);
}

TEST(RateWatch, SilenceIsAChange) {
  RateWatch watch;
  watch.expect(60, 0);
  watch.look(100'000'000);
  EXPECT_EQ(watch.take_change(), 0);
  watch.look(2'000'000'000);
  EXPECT_GT(watch.take_change(), 0);
  EXPECT_LT(watch.rate_hz(), 10);
}

}  // namespace
}  // namespace flyball
