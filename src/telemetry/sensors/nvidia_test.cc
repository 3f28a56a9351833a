#include "telemetry/sensors/nvidia.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sensors/nvml_api.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/rapl.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class NvidiaTest : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("FAKE_NVML"); }
  static SensorList open(const char* mode, std::optional<std::string> visible = {}) {
    ::setenv("FAKE_NVML", mode, 1);
    return open_nvidia({library(), std::move(visible)});
  }
  static std::string library() { return FLYBALL_BIN_DIR "/libflyball_fake_nvml.so"; }
  static std::string gaps(const SensorList& list) {
    std::string text;
    for (const Error& gap : list.gaps) text += gap.message + "\n";
    return text;
  }
};

TEST_F(NvidiaTest, ReadsEveryMetricOfEveryGpu) {
  const SensorList list = open("");
  EXPECT_EQ(*list.find("gpu0_power")->read(), 100);
  EXPECT_EQ(*list.find("gpu1_power")->read(), 50);
  EXPECT_EQ(*list.find("gpu0_mhz")->read(), 1980);
  EXPECT_EQ(*list.find("gpu0_mem_mhz")->read(), 2619);
  EXPECT_EQ(*list.find("gpu0_busy")->read(), 87);
  EXPECT_EQ(*list.find("gpu0_mem_busy")->read(), 12);
  EXPECT_EQ(*list.find("gpu0_temperature")->read(), 61);
  EXPECT_EQ(*list.find("gpu0_throttle")->read(), 1);
  // The library has no entry for memory: that is a gap of its own, twice.
  EXPECT_EQ(list.find("gpu0_memory"), nullptr);
  ASSERT_EQ(list.gaps.size(), 2u);
  EXPECT_THAT(gaps(list), HasSubstr("gpu1_memory: Not Supported"));
}

TEST_F(NvidiaTest, ANetworkOnAGpuIsPaidForThere) {
  const TestTree tree;
  const std::string folder = "sys/class/powercap/intel-rapl:0/";
  tree.put(folder + "name", "package-0\n");
  tree.put(folder + "energy_uj", "1500000\n");
  tree.put(folder + "max_energy_range_uj", "262143328850\n");
  SensorList list = open("");
  EXPECT_EQ(total_where(list, "cpu"), "gpu");  // there is no other
  list.append(open_rapl(tree.root()));
  EXPECT_EQ(total_where(list, "cpu"), "package");
  EXPECT_EQ(total_where(list, "cuda:0"), "gpu");
}

// 100 W and 50 W, whose counters move in steps, over a window whose edges lie anywhere in one.
// Where a busy machine reads them late it is measured again.
Result<EnergyWindow> energy_of_gpus(const SensorList& list, int64_t lead_ns, int64_t length_ns) {
  for (int turn = 0;; ++turn) {
    Sampler sampler;
    for (const SensorPtr& sensor : list.sensors) EXPECT_TRUE(sampler.add(sensor, {0.005}).ok());
    EXPECT_TRUE(sampler.start().ok());
    const int64_t begin = monotonic_ns() + lead_ns;
    sleep_until_ns(begin + length_ns);
    sampler.stop();
    const std::vector<Trace> traces = sampler.traces();
    EXPECT_EQ(totals_of(traces), std::vector<std::string>{"gpu"});
    const bool late = std::ranges::any_of(traces, [&](const Trace& trace) {
      return trace.stats.late_max_us > 15'000 || trace.samples.empty() ||
             trace.samples.front().time_ns > begin + length_ns / 2;
    });
    if (!late || turn == 20) return total_between(traces, "gpu", begin, begin + length_ns);
  }
}

TEST_F(NvidiaTest, EnergyOfAWindowIsThatOfTheCounter) {
  for (const char* step : {"step=20", "step=100"}) {
    const auto window = energy_of_gpus(open(step), 223'000'000, 301'000'000);
    ASSERT_TRUE(window.ok()) << window.error().message;
    // Power sensors beside the counters are not added once more. A counter shows whole mJ.
    EXPECT_NEAR(window->energy_j, 150 * 0.301, window->edge_j + 0.004) << step;
    EXPECT_NEAR(window->mean_w, 150, 6) << step;
    EXPECT_GT(window->edge_j, 0);
    EXPECT_LT(window->edge_j, 0.1 * window->energy_j) << step;
    EXPECT_GT(window->noise, 0.001);
    EXPECT_LT(window->noise, 0.05);
  }
}

TEST_F(NvidiaTest, AWindowShorterThanAStepSaysSo) {
  const auto window = energy_of_gpus(open("step=100"), 223'000'000, 5'000'000);
  ASSERT_TRUE(window.ok()) << window.error().message;
  EXPECT_GE(window->edge_j, window->energy_j);
  EXPECT_FALSE(std::isfinite(window->noise));
  // From the beginning of the trace no step was seen at all: that is no energy of 0 J.
  const auto blind = energy_of_gpus(open("step=10000"), 0, 5'000'000);
  ASSERT_FALSE(blind.ok());
  EXPECT_THAT(blind.error().message, HasSubstr("did not move"));
  EXPECT_FALSE(blind.error().hint.empty());
}

TEST_F(NvidiaTest, WithoutTheCounterPowerMakesTheTotal) {
  const SensorList list = open("no_energy");
  EXPECT_EQ(list.find("gpu0_energy"), nullptr);
  EXPECT_EQ(list.find("gpu0_power")->info().total, "gpu");
  EXPECT_THAT(gaps(list), HasSubstr("gpu0_energy: Not Supported"));
}

TEST_F(NvidiaTest, ALibraryThatAnswersNothingIsNoSensor) {
  // So it is on Orin with JetPack 7: it loads, and every power query is not supported.
  const SensorList list = open("no_energy no_power");
  EXPECT_EQ(list.find("gpu0_power"), nullptr);
  EXPECT_NE(list.find("gpu0_mhz"), nullptr);
}

TEST_F(NvidiaTest, OnlyVisibleGpusMakeTheTotal) {
  EXPECT_EQ(open("", "1").find("gpu0_energy")->info().total, "");
  EXPECT_EQ(open("", "1").find("gpu1_energy")->info().total, "gpu");
  EXPECT_EQ(open("", "0, 1").find("gpu1_energy")->info().total, "gpu");
  EXPECT_EQ(open("", "GPU-1000").find("gpu0_energy")->info().total, "gpu");
  EXPECT_EQ(open("", "GPU-1000").find("gpu1_energy")->info().total, "");
  EXPECT_EQ(open("", "").find("gpu0_energy")->info().total, "");
}

TEST_F(NvidiaTest, AGpuThatIsLostIsAnErrorAndNotAZero) {
  const SensorList list = open("");
  const SensorPtr sensor = list.find("gpu0_power");
  ::setenv("FAKE_NVML", "lost", 1);
  ASSERT_FALSE(sensor->read().ok());
  EXPECT_THAT(sensor->read().error().message, HasSubstr("GPU is lost"));
  EXPECT_TRUE(open("lost").sensors.empty());
}

TEST_F(NvidiaTest, TellsWhyThereIsNone) {
  EXPECT_THAT(gaps(open("none")), HasSubstr("no NVIDIA GPU"));
  const SensorList absent = open_nvidia({"libno-such-library.so.1", {}});
  ASSERT_EQ(absent.gaps.size(), 1u);
  EXPECT_EQ(absent.gaps[0].code, Code::unavailable);
  EXPECT_FALSE(absent.gaps[0].hint.empty());
  EXPECT_THAT(gaps(open_nvidia({"libm.so.6", {}})), HasSubstr("is not NVIDIA's"));
  EXPECT_THAT(gaps(open("no_permission")), HasSubstr("gpu0_throttle: Insufficient Permissions"));
}

TEST_F(NvidiaTest, ADriverThatDoesNotStartIsTriedAgainLater) {
  // The same library under another name has not been started yet.
  const std::string copy = testing::TempDir() + "/libfake" + std::to_string(::getpid()) + ".so";
  std::filesystem::copy_file(library(), copy, std::filesystem::copy_options::overwrite_existing);
  ::setenv("FAKE_NVML", "no_driver", 1);
  const auto failed = NvmlApi::open(copy);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("Driver Not Loaded"));
  ::unsetenv("FAKE_NVML");
  EXPECT_TRUE(NvmlApi::open(copy).ok());
  std::filesystem::remove(copy);
}

TEST_F(NvidiaTest, TellsThrottlingFromIdlingAndCaps) {
  EXPECT_FALSE(is_throttled(0));
  EXPECT_FALSE(is_throttled(0x1 | 0x2 | 0x10 | 0x100));
  EXPECT_TRUE(throttle_reasons(0x1 | 0x2 | 0x10 | 0x100).empty());
  EXPECT_FALSE(is_throttled(0x4));
  EXPECT_EQ(throttle_reasons(0x4), std::vector<std::string>{"power cap"});
  EXPECT_TRUE(is_throttled(0x68));
  EXPECT_EQ(throttle_reasons(0x68), std::vector<std::string>{"thermal slowdown"});
  EXPECT_EQ(throttle_reasons(0x88), std::vector<std::string>{"power brake"});
  EXPECT_EQ(throttle_reasons(0x8), std::vector<std::string>{"hardware slowdown"});
  EXPECT_TRUE(is_throttled(static_cast<uint64_t>(*open("hot").find("gpu1_throttle")->read())));
}

}  // namespace
}  // namespace flyball
