#include "schedule/duration_model.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

TEST(DurationModel, ReadsBetweenPointsAndBeyondThem) {
  DurationModel model;
  EXPECT_FALSE(model.known());
  EXPECT_TRUE(std::isinf(model.upper_ns(1)));
  model.expect(4, 400);
  model.expect(16, 1000);
  EXPECT_EQ(model.upper_ns(1), 400);
  EXPECT_EQ(model.upper_ns(10), 700);
  EXPECT_EQ(model.upper_ns(32), 2000);
}

TEST(DurationModel, WhatTakesAsLongAsExpectedNeedsNoMargin) {
  DurationModel model;
  model.expect(1, 1234567);
  for (int i = 0; i < 1000; ++i) model.observe(1, 1234567);
  EXPECT_EQ(model.upper_ns(1), 1234567);
  EXPECT_EQ(model.changes(), 0u);
}

TEST(DurationModel, CoversTheQuantileThatItPromises) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    DurationModel model({.quantile = 0.95});
    model.expect(1, 1000);
    int missed = 0;
    constexpr int runs = 20000;
    for (int i = 0; i < runs; ++i) {
      const double ns = 1000 * std::exp(0.2 * random.normal());
      if (ns > model.upper_ns(1)) ++missed;
      model.observe(1, ns);
    }
    EXPECT_LE(missed / double{runs}, 0.055) << "seed " << seed;
    EXPECT_GE(missed / double{runs}, 0.02) << "seed " << seed;  // not by being wide
  }
}

TEST(DurationModel, CoversUnderSlowDrift) {
  Random random(3);
  DurationModel model({.quantile = 0.95});
  model.expect(1, 1000);
  int missed = 0;
  constexpr int runs = 20000;
  for (int i = 0; i < runs; ++i) {
    const double level = 1000 * (1 + 0.5 * std::sin(i / 1000.0));
    const double ns = level * std::exp(0.05 * random.normal());
    if (ns > model.upper_ns(1)) ++missed;
    model.observe(1, ns);
  }
  EXPECT_LT(missed / double{runs}, 0.08);
}

TEST(DurationModel, ThrottlingIsSeenWithinTenMinibatchesAndSoIsItsEnd) {
  Random random(1);
  DurationModel model;
  model.expect(1, 1000);
  const auto run = [&](double level, int count) {
    for (int i = 0; i < count; ++i) model.observe(1, level * (1 + 0.02 * random.uniform()));
  };
  run(1000, 300);
  EXPECT_LT(model.upper_ns(1), 1100);
  run(3000, 12);
  EXPECT_GE(model.changes(), 1u);
  EXPECT_NEAR(model.typical_ns(1), 3030, 60);
  EXPECT_GT(model.upper_ns(1), 3000);
  run(1000, 60);
  EXPECT_LT(model.upper_ns(1), 1600);
  EXPECT_NEAR(model.typical_ns(1), 1010, 20);
}

// One that is never given the room to run again would keep its worst for ever.
TEST(DurationModel, WhatIsSparedIsBelievedAgainInTheEnd) {
  DurationModel model;
  model.expect(1, 1e6);
  for (int i = 0; i < 50; ++i) model.observe(1, 1e6);
  model.observe(1, 3e6);
  const double after_a_miss = model.upper_ns(1);
  EXPECT_GE(after_a_miss, 3e6);
  model.spare(50);
  EXPECT_LT(model.upper_ns(1), after_a_miss);
  EXPECT_GE(model.upper_ns(1), 3e6);  // it was seen
  model.spare(200);
  EXPECT_NEAR(model.upper_ns(1), 1e6, 1);
  model.observe(1, 2e6);
  EXPECT_GE(model.upper_ns(1), 2e6);
}

TEST(DurationModel, AFirstMinibatchThatWasSlowIsForgottenToo) {
  DurationModel model;
  model.expect(1, 1e6);
  model.observe(1, 3e6);
  model.spare(50);
  EXPECT_GE(model.upper_ns(1), 3e6);
  model.spare(150);
  EXPECT_EQ(model.upper_ns(1), 1e6);
}

}  // namespace
}  // namespace flyball
