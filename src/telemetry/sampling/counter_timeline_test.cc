#include "telemetry/sampling/counter_timeline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "telemetry/sampling/energy.h"

namespace flyball {
namespace {

// A counter as its reader sees it: it moves every `step_s`, and is read every `read_s`, or a little
// later.
struct Steps {
  double step_s = 0.1, phase_s = 0, read_s = 0.01, jitter_s = 0, length_s = 2;
  double stated_s = 0.1;  // by the driver

  template <class Joules>
  Trace trace(Random& random, const Joules& joules_at) const {
    Trace trace;
    trace.info = {.name = "gpu0_energy",
                  .unit = "J",
                  .kind = SensorKind::energy_counter,
                  .total = "gpu",
                  .period_s = stated_s,
                  .max_rate = 5000};
    trace.period_s = read_s;
    for (double t = 0; t < length_s; t += read_s) {
      const double at = t + jitter_s * random.uniform();
      const double updated = std::floor((at - phase_s) / step_s) * step_s + phase_s;
      trace.samples.push_back({ns(at), joules_at(updated)});
    }
    find_repeats(trace);
    return trace;
  }
  static int64_t ns(double seconds) { return std::llround(seconds * 1e9); }
};

Steps any_steps(Random& random) {
  Steps steps;
  steps.step_s = 0.001 * std::pow(150.0, random.uniform());  // RAPL's to NVIDIA's
  steps.phase_s = steps.step_s * random.uniform();
  steps.read_s = 0.001 * std::pow(50.0, random.uniform());
  steps.jitter_s = 0.5 * steps.read_s * random.uniform();
  // Drivers state their step, or one that is never exceeded.
  steps.stated_s = random.uniform() < 0.5 ? steps.step_s : std::max(0.1, 1.5 * steps.step_s);
  return steps;
}

// A constant rail: whatever the window, the step, its phase and the reader's rhythm are, energy is
// power times time within what is stated.
TEST(CounterTimeline, EnergyOfAConstantRailLiesWithinItsBound) {
  Random random(19);
  int finite = 0, within_two_errors = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const double watts = 5 + 400 * random.uniform();
    const Steps steps = any_steps(random);
    const Trace trace = steps.trace(random, [&](double t) { return 1e4 + watts * t; });
    for (int i = 0; i < 20; ++i) {
      const double begin = 1.9 * random.uniform();
      const double length = std::min(0.001 * std::pow(1900.0, random.uniform()), 1.95 - begin);
      const auto window = energy_between(trace, Steps::ns(begin), Steps::ns(begin + length));
      ASSERT_TRUE(window.ok()) << window.error().message;
      EXPECT_TRUE(window->complete());
      EXPECT_GT(window->edge_j, 0);
      const double error = std::abs(window->energy_j - watts * length);
      ASSERT_LE(error, window->edge_j + 1e-6)
          << "step " << steps.step_s << " phase " << steps.phase_s << " stated " << steps.stated_s
          << " read " << steps.read_s << " window " << begin << " + " << length;
      if (!std::isfinite(window->noise)) continue;
      EXPECT_GT(window->noise, 0);
      ++finite;
      within_two_errors += error <= 2 * window->noise * window->energy_j;
    }
  }
  // The stated noise is a standard error: two of them cover nearly all.
  EXPECT_GT(finite, 2000);
  EXPECT_GT(within_two_errors, 0.97 * finite);
}

TEST(CounterTimeline, EdgesShrinkWithTheReadersPeriodAndNotWithTheStep) {
  Random random(3);
  double before = 1e9;
  for (double read_s : {0.02, 0.01, 0.005, 0.001}) {
    Steps steps{.step_s = 0.1, .phase_s = 0.033, .read_s = read_s};
    const Trace trace = steps.trace(random, [](double t) { return 100 * t; });
    const auto window = energy_between(trace, Steps::ns(0.5), Steps::ns(1.5));
    ASSERT_TRUE(window.ok());
    EXPECT_LT(window->edge_j, 0.6 * before) << read_s;
    EXPECT_LE(window->edge_j, 100 * read_s * 1.2) << read_s;
    before = window->edge_j;
  }
}

// The usual window: a load begins with it and ends with it, in the middle of steps.
TEST(CounterTimeline, ALoadThatBeginsAndEndsWithTheWindowLiesWithinItsBound) {
  Random random(23);
  for (int trial = 0; trial < 300; ++trial) {
    Steps steps = any_steps(random);
    steps.read_s = std::min(steps.read_s, steps.step_s);
    steps.stated_s = steps.step_s;
    steps.jitter_s = 0;
    const double begin = 0.6 + 0.3 * random.uniform(), length = 0.4 + 0.4 * random.uniform();
    const double idle = 10 + 20 * random.uniform(), busy = 100 + 300 * random.uniform();
    const auto joules = [&](double t) {
      return idle * t + (busy - idle) * std::clamp(t - begin, 0.0, length);
    };
    const Trace trace = steps.trace(random, joules);
    const auto window = energy_between(trace, Steps::ns(begin), Steps::ns(begin + length));
    ASSERT_TRUE(window.ok());
    EXPECT_LE(std::abs(window->energy_j - busy * length), window->edge_j + 1e-6)
        << "step " << steps.step_s << " read " << steps.read_s;
  }
}

TEST(CounterTimeline, AWindowInsideAStepMayHoldAllOfIt) {
  Random random(1);
  const Steps steps{.step_s = 0.1, .phase_s = 0.05};
  const Trace trace = steps.trace(random, [](double t) { return 100 * t; });
  const auto window = energy_between(trace, Steps::ns(1.07), Steps::ns(1.09));
  ASSERT_TRUE(window.ok());
  EXPECT_NEAR(window->energy_j, 2, 0.1);
  EXPECT_NEAR(window->edge_j, 8, 0.1);  // from nothing to the 10 J of the step
  EXPECT_EQ(window->distinct_updates, 0);
  EXPECT_FALSE(std::isfinite(window->noise));
}

TEST(CounterTimeline, ACounterThatHadNoTimeToMoveIsNoEnergyOfZero) {
  Trace trace;
  trace.info = {
      .name = "gpu0_energy", .unit = "J", .kind = SensorKind::energy_counter, .period_s = 0.1};
  trace.period_s = 0.01;
  for (int i = 0; i < 6; ++i) trace.samples.push_back({Steps::ns(0.01 * i), 700});
  const auto window = energy_between(trace, 0, Steps::ns(0.05));
  ASSERT_FALSE(window.ok());
  EXPECT_EQ(window.error().code, Code::unavailable);
  EXPECT_NE(window.error().message.find("every 100 ms"), std::string::npos);
  // After a second it stands: nothing was used.
  for (int i = 6; i < 100; ++i) trace.samples.push_back({Steps::ns(0.01 * i), 700});
  const auto idle = energy_between(trace, Steps::ns(0.3), Steps::ns(0.9));
  ASSERT_TRUE(idle.ok());
  EXPECT_EQ(idle->energy_j, 0);
}

// What was used after a pause is not spread over the pause.
TEST(CounterTimeline, AStandingValueIsNoSlowStep) {
  Random random(1);
  const Steps steps{.step_s = 0.02, .stated_s = 0.02};
  const Trace trace = steps.trace(
      random, [](double t) { return 50 * std::clamp(t, 0.0, 0.5) + 50 * std::max(0.0, t - 1.5); });
  const auto pause = energy_between(trace, Steps::ns(0.6), Steps::ns(1.4));
  ASSERT_TRUE(pause.ok());
  EXPECT_NEAR(pause->energy_j, 0, 1e-9);
  const auto after = energy_between(trace, Steps::ns(1.6), Steps::ns(1.9));
  ASSERT_TRUE(after.ok());
  EXPECT_NEAR(after->energy_j, 15, after->edge_j);
  EXPECT_LT(after->edge_j, 1);
}

TEST(CounterTimeline, UpdatesGiveThePowerAndNoSpikes) {
  Random random(5);
  for (double step_s : {0.001, 0.013, 0.02, 0.1}) {
    Steps steps{.step_s = step_s, .phase_s = 0.3 * step_s, .jitter_s = 0.002, .stated_s = 0.1};
    const Trace trace = steps.trace(random, [](double t) { return 80 * t; });
    const auto window = energy_between(trace, Steps::ns(0), Steps::ns(1.9));
    ASSERT_TRUE(window.ok());
    EXPECT_GT(window->min_w, 80 * 0.7) << step_s;
    EXPECT_LT(window->max_w, 80 * 1.35) << step_s;
    EXPECT_GT(window->distinct_updates, 1.6 / std::max(step_s, 0.012)) << step_s;
  }
}

}  // namespace
}  // namespace flyball
