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
  EXPECT_TRUE(counter.last_step_known());
}

TEST(UnwrappedCounter, AFallThatNoPowerExplainsIsAReset) {
  UnwrappedCounter counter(wrapping(1000, 50));
  counter.add(0, 600);
  EXPECT_EQ(counter.add(kSecond, 10), 0);  // a wrap would mean 410 W
  EXPECT_FALSE(counter.last_step_known());
  EXPECT_EQ(counter.wraps(), 0);
  EXPECT_EQ(counter.add(2 * kSecond, 30), 20);
  EXPECT_TRUE(counter.last_step_known());
}

TEST(UnwrappedCounter, ACounterWithoutRangeNeverWraps) {
  UnwrappedCounter counter({.name = "bytes", .unit = "B"});
  counter.add(0, 600);
  EXPECT_EQ(counter.add(kSecond, 10), 0);
  EXPECT_FALSE(counter.last_step_known());
}

TEST(UnwrappedCounter, AnImplausibleJumpIsNotCounted) {
  UnwrappedCounter counter(wrapping(1e9, 100));
  counter.add(0, 5);
  EXPECT_EQ(counter.add(kSecond, 1e6), 0);
  EXPECT_FALSE(counter.last_step_known());
}

// RAPL at 100 W, read once an hour: it went round, and more than once.
TEST(UnwrappedCounter, WhatMayHaveGoneRoundIsNotKnown) {
  UnwrappedCounter counter(wrapping(262143, 5000));
  counter.add(0, 0);
  EXPECT_EQ(counter.add(50 * kSecond, 5000), 5000);
  EXPECT_TRUE(counter.last_step_known());
  EXPECT_EQ(counter.add(3650 * kSecond, 365000 - 262143), 5000);
  EXPECT_FALSE(counter.last_step_known());
  EXPECT_EQ(counter.add(3700 * kSecond, 370000 - 262143), 10000);
  EXPECT_TRUE(counter.last_step_known());
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
