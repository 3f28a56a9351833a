#include "telemetry/marks/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "base/clock.h"
#include "flyball/flyball_window.h"
#include "telemetry/sampling/allocations_testing.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

using testing::HasSubstr;

void wait_ms(int64_t ms) {
  sleep_until_ns(monotonic_ns() + ms * 1'000'000);
}

SensorList rails() {
  SensorList list;
  list.sensors = {
      function_sensor({.name = "a", .unit = "W", .kind = SensorKind::power, .total = "module"},
                      [](int64_t) { return Result<double>(20.0); }),
      function_sensor({.name = "b", .unit = "W", .kind = SensorKind::power},
                      [](int64_t) { return Result<double>(5.0); }),
      // 40 W as a counter of joules.
      function_sensor(
          {.name = "c", .unit = "J", .kind = SensorKind::energy_counter, .total = "package"},
          [](int64_t now) { return Result<double>(40e-9 * static_cast<double>(now)); }),
      function_sensor({.name = "mhz", .unit = "MHz"},
                      [](int64_t) { return Result<double>(1000.0); })};
  return list;
}

TEST(Window, GivesTheEnergyOfItsTime) {
  EnergyMonitor monitor(rails());
  for (int ms : {0, 3, 50}) {
    // A busy machine stops us between reading the counter and reading the time: measured again.
    bool close = false;
    for (int turn = 0; turn < 20 && !close; ++turn) {
      Window window("work", {.monitor = &monitor});
      wait_ms(ms);
      const auto energy = window.end();
      ASSERT_TRUE(energy.ok()) << energy.error().message;
      ASSERT_EQ(energy->totals.size(), 3u);
      EXPECT_EQ(energy->totals[0].first, "module");
      EXPECT_EQ(energy->totals[1].first, "package");
      EXPECT_EQ(energy->totals[2].first, "b");
      const auto off = [&](size_t total, double watts) {
        return std::abs(energy->totals[total].second.energy_j - watts * energy->seconds);
      };
      close = energy->totals[0].second.complete() && off(0, 20) <= 1e-6 && off(2, 5) <= 1e-6 &&
              off(1, 40) <= 0.01 * 40 * energy->seconds + 1e-4;
    }
    EXPECT_TRUE(close) << ms << " ms";
  }
}

TEST(Window, NestsAndAddsUp) {
  EnergyMonitor monitor(rails());
  Window epoch("epoch", {.monitor = &monitor});
  double parts = 0;
  for (int i = 0; i < 3; ++i) {
    Window step("step", {.monitor = &monitor});
    EXPECT_EQ(step.name(), "epoch/step");
    wait_ms(20);
    parts += step.end()->totals[0].second.energy_j;
  }
  const auto whole = epoch.end();
  EXPECT_EQ(whole->name, "epoch");
  EXPECT_GE(whole->totals[0].second.energy_j, parts);
  Window next("next", {.monitor = &monitor});
  EXPECT_EQ(next.name(), "next");
  // Another thread has windows of its own.
  std::thread([&] { EXPECT_EQ(Window("x", {.monitor = &monitor}).name(), "x"); }).join();
}

TEST(Window, ThatEndsOutOfOrderLeavesNoNameBehind) {
  EnergyMonitor monitor(rails());
  const WindowOptions options{.monitor = &monitor};
  Window epoch("epoch", options);
  Window step("step", options);
  ASSERT_TRUE(epoch.end().ok());
  EXPECT_EQ(Window("inner", options).name(), "epoch/step/inner");  // which is still open
  ASSERT_TRUE(step.end().ok());
  EXPECT_EQ(Window("next", options).name(), "next");
  // A window may end on another thread, too.
  Window moved("moved", options);
  std::thread([&] { EXPECT_TRUE(moved.end().ok()); }).join();
  EXPECT_EQ(Window("after", options).name(), "after");
}

// A sensor that died says nothing of the others.
TEST(Window, WhatCannotBeToldLeavesTheOtherTotals) {
  SensorList list = rails();
  list.sensors.push_back(function_sensor(
      {.name = "d", .unit = "W", .kind = SensorKind::power, .total = "gpu"}, [](int64_t) {
        return Result<double>(Error{Code::io, "gone", ""});
      }));
  EnergyMonitor monitor(std::move(list));
  Window window("work", {.monitor = &monitor});
  wait_ms(5);
  const auto energy = window.end();
  ASSERT_TRUE(energy.ok()) << energy.error().message;
  std::vector<std::string> names;
  for (const auto& [name, total] : energy->totals) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("module", "package", "b"));
}

// Ending a window costs what it is long, not what the monitor is old.
TEST(Window, EndCopiesItsOwnTimeOnly) {
  EnergyMonitor monitor(rails(), {0.5});  // rarely: most samples are taken below
  const auto bytes_of_its_end = [](Window& window) {
    const AllocationCount count;
    EXPECT_TRUE(window.end().ok());
    return count.bytes_so_far();
  };
  const auto bytes_of_a_window = [&] {
    Window window("work", {.monitor = &monitor});
    return bytes_of_its_end(window);
  };
  const auto age = [&](int samples) {
    for (int i = 0; i < samples; ++i) monitor.sample_now();
  };
  Window whole("whole", {.monitor = &monitor});
  age(1000);  // it takes some from before its beginning
  const int64_t young = bytes_of_a_window();
  age(12'000);
  EXPECT_LT(bytes_of_a_window(), 2 * young);
  EXPECT_GT(bytes_of_its_end(whole), 10 * young);  // what all of it would cost
}

TEST(Window, CancelForgetsIt) {
  EnergyMonitor monitor(rails());
  Window window("work", {.monitor = &monitor});
  window.cancel();
  EXPECT_EQ(window.end().error().code, Code::invalid_argument);
  { const Window dropped("dropped", {.monitor = &monitor}); }
  EXPECT_EQ(Window("after", {.monitor = &monitor}).name(), "after");
  Window twice("twice", {.monitor = &monitor});
  EXPECT_TRUE(twice.end().ok());
  EXPECT_FALSE(twice.end().ok());
}

TEST(Window, SynchronizesAtBothEnds) {
  EnergyMonitor monitor(rails());
  int calls = 0;
  Window window("work", {.synchronize = [&] { ++calls; }, .monitor = &monitor});
  EXPECT_EQ(calls, 1);
  (void)window.end();
  EXPECT_EQ(calls, 2);
  int shared_calls = 0;
  set_window_synchronize([&] { ++shared_calls; });
  Window other("other", {.monitor = &monitor});
  (void)other.end();
  set_window_synchronize(nullptr);
  EXPECT_EQ(shared_calls, 2);
  EXPECT_EQ(calls, 2);
}

TEST(Window, WithoutSensorsTellsTheRemedyAtTheEnd) {
  SensorList none;
  none.gaps = {{Code::unavailable, "power is not available on this machine: no RAPL", "buy one"}};
  EnergyMonitor monitor(none);
  Window window("work", {.monitor = &monitor});
  const auto energy = window.end();
  ASSERT_FALSE(energy.ok());
  EXPECT_EQ(energy.error().code, Code::unavailable);
  EXPECT_EQ(energy.error().hint, "buy one");
}

TEST(Window, InAForkedChildIsAnErrorAndNoHang) {
  EnergyMonitor monitor(rails());
  Window parent("parent", {.monitor = &monitor});
  const pid_t child = ::fork();
  if (child == 0) {
    Window window("child", {.monitor = &monitor});
    const auto energy = window.end();
    ::_exit(!energy.ok() && energy.error().message.find("forked") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(parent.end().ok());
}

TEST(WindowInC, BeginsEndsAndCancels) {
  flyball_window_cancel(nullptr);
  EXPECT_EQ(flyball_window_end(nullptr, nullptr, 0), -1);
  EXPECT_THAT(flyball_last_error(), HasSubstr("no window"));
  flyball_window_cancel(flyball_window_begin("cancelled"));
  flyball_window* window = flyball_window_begin("work");
  ASSERT_NE(window, nullptr);
  wait_ms(20);
  flyball_energy energy[FLYBALL_MAX_TOTALS];
  const int totals = flyball_window_end(window, energy, FLYBALL_MAX_TOTALS);
  const std::string gap = power_gap(open_power_sensors());
  if (gap.empty()) {
    ASSERT_GE(totals, 1);
    EXPECT_GT(energy[0].seconds, 0.019);
    EXPECT_GE(energy[0].energy_j, 0);
  } else {
    EXPECT_EQ(totals, -1);
    EXPECT_THAT(flyball_last_error(), HasSubstr("power is not available on this machine"));
    EXPECT_THAT(flyball_last_error(), HasSubstr(" ("));
  }
}

}  // namespace
}  // namespace flyball
