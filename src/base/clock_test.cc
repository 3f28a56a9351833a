#include "base/clock.h"

#include <gmock/gmock.h>
#include <sys/time.h>

#include <csignal>

namespace flyball {
namespace {

TEST(Clock, NeverGoesBack) {
  int64_t last = monotonic_ns();
  for (int i = 0; i < 1000; ++i) {
    const int64_t now = monotonic_ns();
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_NEAR(monotonic_s(), static_cast<double>(last) * 1e-9, 1);
}

TEST(Clock, SleepsUntilTheTimeWhateverSignalsArrive) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGALRM, &ignore, &before), 0);
  const itimerval every_ms = {{0, 1000}, {0, 1000}}, off = {};
  setitimer(ITIMER_REAL, &every_ms, nullptr);
  const int64_t deadline = monotonic_ns() + 20'000'000;
  sleep_until_ns(deadline);
  EXPECT_GE(monotonic_ns(), deadline);
  setitimer(ITIMER_REAL, &off, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  const Stopwatch watch;
  sleep_until_ns(deadline);
  EXPECT_LT(watch.seconds(), 1) << "a time that has passed is not waited for";
}

TEST(Clock, WritesTheTimeInUtc) {
  EXPECT_THAT(wall_clock_utc(),
              testing::MatchesRegex("20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9:]{8}Z"));
  EXPECT_EQ(utc_text(951'782'399.9), "2000-02-28T23:59:59Z");
  EXPECT_EQ(utc_text(951'782'400), "2000-02-29T00:00:00Z");
}

TEST(Clock, AStopwatchRestarts) {
  Stopwatch watch;
  sleep_until_ns(monotonic_ns() + 5'000'000);
  EXPECT_GE(watch.milliseconds(), 5);
  EXPECT_GE(watch.restart(), 0.005);
  EXPECT_LT(watch.seconds(), 1);
}

}  // namespace
}  // namespace flyball
