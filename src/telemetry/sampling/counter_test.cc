#include "telemetry/sampling/counter.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace flyball {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

SensorInfo wrapping(double range, double max_rate) {
  return {.name = "counter", .unit = "J", .wrap = range, .max_rate = max_rate};
}

TEST(UnwrappedCounter, GoesOnOverAWrap) {
  UnwrappedCounter counter(wrapping(1000, 500));
  EXPECT_EQ(counter.add(0, 900), 0);
  EXPECT_EQ(counter.add(kSecond, 950), 50);
  EXPECT_EQ(counter.add(2 * kSecond, 20), 120);
  EXPECT_EQ(counter.wraps(), 1);
  EXPECT_FALSE(counter.last_was_reset());
}

TEST(UnwrappedCounter, AFallThatNoPowerExplainsIsAReset) {
  UnwrappedCounter counter(wrapping(1000, 50));
  counter.add(0, 600);
  EXPECT_EQ(counter.add(kSecond, 10), 0);  // a wrap would mean 410 W
  EXPECT_TRUE(counter.last_was_reset());
  EXPECT_EQ(counter.wraps(), 0);
  EXPECT_EQ(counter.add(2 * kSecond, 30), 20);
  EXPECT_FALSE(counter.last_was_reset());
}

TEST(UnwrappedCounter, ACounterWithoutRangeNeverWraps) {
  UnwrappedCounter counter({.name = "bytes", .unit = "B"});
  counter.add(0, 600);
  EXPECT_EQ(counter.add(kSecond, 10), 0);
  EXPECT_TRUE(counter.last_was_reset());
}

TEST(UnwrappedCounter, AnImplausibleJumpIsNotCounted) {
  UnwrappedCounter counter(wrapping(1e9, 100));
  counter.add(0, 5);
  EXPECT_EQ(counter.add(kSecond, 1e6), 0);
  EXPECT_TRUE(counter.last_was_reset());
}

// Whatever a counter shows, the amount never falls; and without resets it is what went in.
TEST(UnwrappedCounter, NeverFalls) {
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    UnwrappedCounter counter(wrapping(100, 90));
    double truth = 0, raw = 37;
    counter.add(0, raw);
    for (int i = 1; i <= 100; ++i) {
      const double step = 90 * random.uniform();
      truth += step;
      raw += step;
      if (raw >= 100) raw -= 100;
      EXPECT_NEAR(counter.add(i * kSecond, raw), truth, 1e-6);
    }
    double before = counter.add(101 * kSecond, raw);
    for (int i = 102; i < 200; ++i) {
      const double now = counter.add(i * kSecond, 300 * random.uniform() - 100);
      EXPECT_GE(now, before);
      before = now;
    }
  }
}

}  // namespace
}  // namespace flyball
