#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "data/makers/digits.h"
#include "device/host/host.h"
#include "device/power_meter.h"
#include "module/module_testing.h"
#include "profile/trials/live_profiler.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

void sleep_ms(int64_t ms) {
  sleep_until_ns(monotonic_ns() + ms * 1'000'000);
}

// Counts the energy of a load that rises from 20 to 60 W within half a second, as RAPL shows it.
class FakeRapl {
 public:
  explicit FakeRapl(const TestTree& tree) {
    const std::string folder = "sys/class/powercap/intel-rapl:0/";
    tree.put(folder + "name", "package-0\n");
    tree.put(folder + "max_energy_range_uj", "262143328850\n");
    file_ = ::open(tree.put(folder + "energy_uj", fmt::format("{:012}\n", 0)).c_str(), O_WRONLY);
    thread_ = std::thread([this] { run(); });
  }
  ~FakeRapl() {
    done_ = true;
    thread_.join();
    ::close(file_);
  }
  static constexpr double final_w = 60;

 private:
  void run() {
    const int64_t begin = monotonic_ns();
    while (!done_) {
      const double t = static_cast<double>(monotonic_ns() - begin) * 1e-9;
      const double ramp = std::min(t, 0.5);
      const double joules = 20 * ramp + 40 * ramp * ramp + final_w * (t - ramp);
      const std::string text = fmt::format("{:012.0f}\n", joules * 1e6);
      (void)!::pwrite(file_, text.data(), text.size(), 0);  // in place: never an empty file
      sleep_ms(1);
    }
  }

  int file_ = -1;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

TEST(SensorMeter, WaitsForSettledPowerAndCountsNewUpdatesOnly) {
  TestTree tree;
  const auto throttle =
      tree.put("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n");
  const FakeRapl rapl(tree);
  const auto meter = open_power_meter(tree.root());
  EXPECT_EQ(meter->total(), "package");
  EXPECT_EQ(meter->gap(), "");
  const int64_t begin = monotonic_ns();
  ASSERT_TRUE(meter->begin().ok());
  EXPECT_FALSE(meter->settled());
  while (!meter->settled() && monotonic_ns() - begin < 20'000'000'000) sleep_ms(5);
  EXPECT_TRUE(meter->settled());
  // Two stretches of half a second after the ramp began, at the least.
  EXPECT_GT(monotonic_ns() - begin, 1'000'000'000);
  const int before = meter->updates();
  meter->count();
  EXPECT_LT(meter->updates(), before);
  sleep_ms(1000);  // long beside the few milliseconds by which a busy machine is late
  while (meter->updates() < power_updates_wanted && monotonic_ns() - begin < 40'000'000'000)
    sleep_ms(5);
  const auto power = meter->end();
  ASSERT_TRUE(power.ok()) << power.error().message;
  EXPECT_GE(power->distinct_updates, power_updates_wanted);
  EXPECT_LE(power->distinct_updates, power->samples_got);
  EXPECT_EQ(power->total, "package");
  EXPECT_NEAR(power->mean_w, FakeRapl::final_w, 0.03 * FakeRapl::final_w);
  EXPECT_NEAR(power->energy_j, power->mean_w * power->window_s, 1e-6);
  EXPECT_THAT(meter->throttling(), Optional(IsEmpty()));

  ASSERT_TRUE(meter->begin().ok());
  meter->count();
  sleep_ms(50);
  tree.put("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7\n");
  sleep_ms(50);
  ASSERT_TRUE(meter->end().ok());
  EXPECT_THAT(meter->throttling(), Optional(ElementsAre("cpu thermal slowdown")));

  // Nobody knows of what was not read.
  std::filesystem::remove(throttle);
  ASSERT_TRUE(meter->begin().ok());
  meter->count();
  sleep_ms(50);
  ASSERT_TRUE(meter->end().ok());
  EXPECT_EQ(meter->throttling(), std::nullopt);
}

TEST(SensorMeter, ACounterThatStandsStillHasNoUpdates) {
  TestTree tree;
  tree.put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  tree.put("sys/class/powercap/intel-rapl:0/energy_uj", "5000000\n");
  const auto meter = open_power_meter(tree.root());
  ASSERT_TRUE(meter->begin().ok());
  meter->count();
  sleep_ms(200);
  EXPECT_LT(meter->updates(), 2);
}

TEST(SensorMeter, WithoutASensorSaysWhyAndHoldsNobodyUp) {
  TestTree tree;
  const auto meter = open_power_meter(tree.root());
  EXPECT_EQ(meter->total(), "");
  EXPECT_THAT(meter->gap(), HasSubstr("no RAPL energy counters on this machine"));
  EXPECT_THAT(meter->gap(), testing::Not(HasSubstr("power is not available")));
  EXPECT_TRUE(meter->begin().ok());
  EXPECT_TRUE(meter->settled());
  EXPECT_GE(meter->updates(), power_updates_wanted);
  EXPECT_EQ(meter->end().error().code, Code::unavailable);
}

// A steady 10 W of a machine that is too hot, or not.
class HotMeter final : public PowerMeter {
 public:
  explicit HotMeter(bool hot) : hot_(hot) {}
  std::string total() const override { return "package"; }
  std::string gap() const override { return ""; }
  Status begin() override { return {}; }
  bool settled() override { return true; }
  void count() override {}
  int updates() override { return power_updates_wanted; }
  Result<PowerReading> lap() override { return end(); }
  Result<PowerReading> end() override { return PowerReading{.mean_w = 10, .total = "package"}; }
  std::optional<std::vector<std::string>> throttling() const override {
    return hot_ ? std::vector<std::string>{"cpu thermal slowdown"} : std::vector<std::string>{};
  }

 private:
  bool hot_;
};

TEST(LiveProfiler, ThrottlingMarksTheTrial) {
  FLYBALL_NEEDS_TORCH();
  TestTree tree;
  const std::string data = tree.root() / "digits";
  ASSERT_TRUE(make_digits(data, {.train = 200, .test = 10}).ok());
  for (const bool hot : {true, false}) {
    auto device = open_host();
    ASSERT_TRUE(device.ok());
    LiveOptions options;
    options.workload = "lenet5";
    options.data = data;
    options.warm_up_s = 0.01;
    options.stopping.max_seconds = 0.1;
    options.stopping.min_seconds = 0.01;
    const auto profiler =
        make_live_profiler(*std::move(device), std::make_unique<HotMeter>(hot), options);
    ASSERT_TRUE(profiler.ok()) << profiler.error().message;
    const auto m = (*profiler)->measure((*profiler)->default_config());
    ASSERT_TRUE(m.ok()) << m.error().message;
    EXPECT_EQ(m->failure, "");
    EXPECT_EQ(m->interference.throttled, hot);
    EXPECT_EQ(m->power_w(), 10.0);
  }
}

}  // namespace
}  // namespace flyball
