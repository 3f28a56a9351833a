#include "profile/characterise/program_profile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/clock.h"
#include "flyball/flyball_marks.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

constexpr int64_t marking_ms_in_ns = 1'000'000;
constexpr const char* marking = "FLYBALL_TEST_MARKING";

// What the test below profiles: itself.
[[noreturn]] void mark_for_a_while() {
  for (int i = 0; i < 60; ++i) {
    sleep_until_ns(monotonic_ns() + 50 * marking_ms_in_ns);
    flyball_minibatch();
  }
  sleep_until_ns(monotonic_ns() + 1500 * marking_ms_in_ns);  // saves what it has trained, say
  ::_exit(0);
}

// Samples are kept for a second of more than four.
TEST(ProgramProfile, WhatWasMarkedIsKnownLongAfterItsSamplesAreGone) {
  if (std::getenv(marking)) mark_for_a_while();
  SensorInfo rail{.name = "a", .unit = "W", .kind = SensorKind::power, .source = "t"};
  rail.total = "module";
  rail.period_s = 0.4;  // a busy machine leaves no gap
  ProgramRequest request;
  request.argv = {"/proc/self/exe",
                  "--gtest_filter=ProgramProfile.WhatWasMarkedIsKnownLongAfterItsSamplesAreGone"};
  request.environment = {std::string(marking) + "=1", "GTEST_TOTAL_SHARDS=1",
                         "GTEST_SHARD_INDEX=0"};
  request.sensors.sensors = {function_sensor(rail, [](int64_t) { return Result<double>(10.0); })};
  request.interval = {0.001};
  request.kept = {1};
  request.lap = {0.1};
  const auto profile = profile_program(request);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  ASSERT_TRUE(profile->marked && profile->marked->energy && profile->energy);
  EXPECT_EQ(profile->power_gap, "");
  EXPECT_EQ(profile->minibatches.size(), 59u);
  const ProgramPart& marked = *profile->marked;
  EXPECT_NEAR(profile->energy->energy_j, 10 * profile->wall_s, 0.5 * profile->wall_s);
  EXPECT_NEAR(marked.energy->energy_j, 10 * marked.e2e_s, 0.5 * marked.e2e_s);
  EXPECT_NEAR(marked.energy->window_s, marked.e2e_s, 1e-6);
}

}  // namespace
}  // namespace flyball
