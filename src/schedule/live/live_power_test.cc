#include "schedule/live/live_power.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>

#include "base/clock.h"
#include "profile/trials/device_script_testing.h"
#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A service that is busy half of the time and a training a quarter of it.
class Course {
 public:
  ServingResult operator()() const {
    const double seconds = static_cast<double>(monotonic_ns() - began_ns_) * 1e-9;
    ServingResult result;
    result.seconds = seconds;
    result.services.push_back({.name = "net", .busy_s = 0.5 * seconds});
    result.trainings.push_back({.name = "learn", .busy_s = 0.25 * seconds});
    return result;
  }

 private:
  int64_t began_ns_ = monotonic_ns();
};

TEST(LivePower, LapsAddUpAndAreSharedByTheTimeThatEachHad) {
  const Course course;
  int64_t told_ns = 0, last_ns = 0;
  const auto told = [&](int64_t begin_ns, int64_t end_ns, double watts) {
    EXPECT_TRUE(last_ns == 0 || begin_ns == last_ns);  // no gap between laps
    EXPECT_DOUBLE_EQ(watts, 20);
    told_ns += end_ns - begin_ns;
    last_ns = end_ns;
  };
  LivePower power(std::make_unique<ScriptedMeter>([] { return 20.0; }), course, told, 0.05);
  power.start();
  while (std::isnan(power.now_w())) sleep_until_ns(monotonic_ns() + 10 * ms);
  EXPECT_DOUBLE_EQ(power.now_w(), 20);
  sleep_until_ns(monotonic_ns() + 200 * ms);
  ServingResult result = course();
  std::vector<std::string> notes;
  EXPECT_EQ(power.end(result, notes), "");
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_NEAR(result.energy_j, 20 * result.seconds, 1e-6);
  EXPECT_GT(told_ns, 200 * ms);
  EXPECT_NEAR(result.services[0].energy_j / result.energy_j, 0.5, 0.25);
  EXPECT_NEAR(result.trainings[0].energy_j / result.services[0].energy_j, 0.5, 1e-6);
}

// What is drawn while networks are made before, and while trainings are kept behind, is none of it.
TEST(LivePower, OnlyWhatIsServedInCounts) {
  std::atomic<double> drawn = 1000;
  const Course course;
  LivePower power(std::make_unique<ScriptedMeter>([&drawn] { return drawn.load(); }), course, {},
                  0.05);
  sleep_until_ns(monotonic_ns() + 120 * ms);
  drawn = 20;
  power.start();
  while (std::isnan(power.now_w())) sleep_until_ns(monotonic_ns() + 10 * ms);
  power.stop();
  ServingResult result = course();
  drawn = 1000;
  sleep_until_ns(monotonic_ns() + 120 * ms);
  std::vector<std::string> notes;
  EXPECT_EQ(power.end(result, notes), "");
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_NEAR(result.energy_j, 20 * result.seconds, 1e-6);
}

TEST(LivePower, WithoutASensorNothingIsToldButWhy) {
  LivePower power(make_no_power("no sensor here"), Course());
  power.start();
  ServingResult result = Course()();
  result.energy_j = result.services[0].energy_j = not_measured;
  EXPECT_TRUE(std::isnan(power.now_w()));
  std::vector<std::string> notes;
  EXPECT_EQ(power.end(result, notes), "no sensor here");
  EXPECT_TRUE(std::isnan(result.energy_j));
  EXPECT_TRUE(std::isnan(result.services[0].energy_j));
}

/// A sensor that fails from one lap to another; each that does not is of `lap_s`, as it says.
class FailingMeter final : public PowerMeter {
 public:
  FailingMeter(std::atomic<int>& laps, int first, int last, double lap_s = 0.05)
      : laps_(laps), first_(first), last_(last), lap_s_(lap_s) {}
  std::string total() const override { return "module"; }
  std::string gap() const override { return ""; }
  Status begin() override { return {}; }
  bool settled() override { return true; }
  void count() override {}
  int updates() override { return power_updates_wanted; }
  Result<PowerReading> lap() override {
    const int lap = ++laps_;
    if (lap >= first_ && lap <= last_) return Error{Code::unavailable, "the rail is gone", ""};
    return PowerReading{.mean_w = 7, .total = "module", .window_s = lap_s_};
  }
  Result<PowerReading> end() override { return lap(); }

 private:
  std::atomic<int>& laps_;
  int first_, last_;
  double lap_s_;
};

TEST(LivePower, ALongGapInTheLapsLeavesNoEnergy) {
  std::atomic<int> laps{0};
  LivePower power(std::make_unique<FailingMeter>(laps, 2, 1000), Course(), {}, 0.02);
  power.start();
  while (laps < 2) sleep_until_ns(monotonic_ns() + 10 * ms);
  ServingResult result = Course()();
  result.energy_j = not_measured;
  std::vector<std::string> notes;
  EXPECT_EQ(power.end(result, notes), "the rail is gone");
  EXPECT_TRUE(std::isnan(result.energy_j));
  EXPECT_TRUE(std::isnan(power.now_w()));
  EXPECT_THAT(notes, IsEmpty());
}

// As one moment in days, at which the machine was too busy to read a sensor.
TEST(LivePower, AShortGapInTheLapsIsNotedAndTakenAsTheRest) {
  std::atomic<int> laps{0};
  const Course course;
  LivePower power(std::make_unique<FailingMeter>(laps, 2, 2, 100), course, {}, 0.02);
  power.start();
  while (laps < 4) sleep_until_ns(monotonic_ns() + 10 * ms);
  ServingResult result = course();
  result.energy_j = not_measured;
  std::vector<std::string> notes;
  EXPECT_EQ(power.end(result, notes), "");
  EXPECT_NEAR(result.energy_j, 7 * result.seconds, 1e-9);
  EXPECT_GT(result.services[0].energy_j, 0);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("power was not known for "));
  EXPECT_THAT(notes[0], HasSubstr("the rail is gone"));
}

}  // namespace
}  // namespace flyball
