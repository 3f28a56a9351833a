#include "telemetry/sampling/tegrastats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/tegrastats_line.h"
#include "telemetry/sampling/time_stamp.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Trace* find(const TegrastatsLog& log, const std::string& name) {
  for (const Trace& trace : log.traces)
    if (trace.info.name == name) return &trace;
  return nullptr;
}

double first(const TegrastatsLog& log, const std::string& name) {
  const Trace* trace = find(log, name);
  return trace ? trace->samples.front().value : -1;
}

std::string seed(const char* name) {
  return *read_file(std::string(FLYBALL_SOURCE_DIR) +
                    "/src/telemetry/sampling/tegrastats_fuzz_seeds/" + name);
}

std::string complaint(const std::string& text) {
  const auto log = parse_tegrastats(text, "t.log");
  return log.ok() ? "accepted" : log.error().message;
}

TEST(Tegrastats, ReadsALogOfJetPack4) {
  const auto log = parse_tegrastats(seed("nano_jp4.log"), "nano.log", {.interval_s = 0.5});
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_EQ(log->lines, 2);
  EXPECT_EQ(log->skipped, 0);
  EXPECT_FALSE(log->timed);
  EXPECT_THAT(log->unknown, IsEmpty());
  EXPECT_EQ(first(*log, "ram"), 1310 * 1048576.0);
  EXPECT_EQ(first(*log, "swap"), 7 * 1048576.0);
  EXPECT_EQ(first(*log, "iram"), 0);
  EXPECT_EQ(first(*log, "cpu0_busy"), 11);
  EXPECT_EQ(first(*log, "cpu1_mhz"), 1479);
  EXPECT_EQ(find(*log, "cpu2_busy"), nullptr);  // off
  EXPECT_EQ(first(*log, "emc_busy"), 4);
  EXPECT_EQ(first(*log, "emc_mhz"), 1600);
  EXPECT_EQ(first(*log, "gpu_busy"), 58);
  EXPECT_EQ(first(*log, "gpu_mhz"), 921);
  EXPECT_EQ(first(*log, "APE_mhz"), 25);
  EXPECT_EQ(first(*log, "temp:thermal"), 33.75);
  EXPECT_EQ(find(*log, "temp:PMIC")->samples.size(), 1);  // −256: off in the second line
  EXPECT_EQ(first(*log, "POM_5V_IN"), 4.21);              // now, not the mean behind it
  EXPECT_THAT(log->module_rails, ElementsAre("POM_5V_IN"));
  EXPECT_EQ(find(*log, "ram")->samples[1].time_ns, 500'000'000);  // from the first line on
  // Without times it belongs to no run, until somebody says when it began.
  const auto power = tegrastats_power(*log, "nano.log");
  ASSERT_FALSE(power.ok());
  EXPECT_THAT(power.error().message, HasSubstr("nano.log names no times"));
  EXPECT_THAT(power.error().hint, HasSubstr("--plug-begin"));
}

TEST(Tegrastats, ReadsALogOfJetPack6) {
  const auto log = parse_tegrastats(seed("orin_jp6.log"), "orin.log",
                                    {.utc_offset_s = 3600, .clock_ahead_s = 2});
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_TRUE(log->timed);
  EXPECT_EQ(first(*log, "gpu_mhz"), 1300);
  EXPECT_EQ(first(*log, "VIC_mhz"), 115);  // off in the second line
  EXPECT_EQ(find(*log, "VIC_mhz")->samples.size(), 1);
  EXPECT_EQ(first(*log, "temp:tj"), 54.125);  // an average stands behind it
  EXPECT_THAT(log->module_rails, ElementsAre("VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"));
  const auto power = tegrastats_power(*log, "orin.log");
  ASSERT_TRUE(power.ok()) << power.error().message;
  EXPECT_EQ(power->info.total, "tegrastats");
  ASSERT_EQ(power->samples.size(), 2);
  EXPECT_NEAR(power->samples[0].value, 26.8, 1e-9);  // the memory's rail is part of VIN_SYS_5V0
  const double unix_s =
      static_cast<double>(power->samples[0].time_ns + wall_minus_monotonic_ns()) * 1e-9;
  EXPECT_NEAR(unix_s, *parse_time_stamp("2024-11-15T07:38:09Z") - 2, 0.01);
}

TEST(Tegrastats, ReadsALogOfJetPack7) {
  const auto log = parse_tegrastats(seed("jp7.log"), "t.log");
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_EQ(log->lines, 2);  // MTS is left alone, and a third power is the highest
  EXPECT_EQ(first(*log, "VDD_IN"), 17.5);
  EXPECT_EQ(find(*log, "gpu_mhz"), nullptr);
}

TEST(Tegrastats, LinesOfOneSecondShareIt) {
  std::string text;
  for (const char* second : {"09", "09", "10", "10", "10", "10", "12"})
    text +=
        std::string("11-15-2024 08:38:") + second + " RAM 1/2MB (lfb 1x4MB) VDD_IN 5000mW/1mW\n";
  const auto log = parse_tegrastats(text, "t.log");
  ASSERT_TRUE(log.ok()) << log.error().message;
  const Trace& rail = *find(*log, "VDD_IN");
  std::vector<double> since;
  for (const Sample& sample : rail.samples)
    since.push_back(static_cast<double>(sample.time_ns - rail.samples[0].time_ns) * 1e-9);
  EXPECT_THAT(since, testing::Pointwise(testing::DoubleNear(1e-6),
                                        std::vector<double>{0, 0.5, 1, 1.25, 1.5, 1.75, 3}));
}

TEST(Tegrastats, JoinsARunByTime) {
  const std::string begin = "2026-03-01T12:00:00Z";
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "RAM 1/2MB CPU [5%@100] VDD_IN " + std::to_string(i < 10 ? 5000 : 12000) + "/6000\n";
  const auto log = parse_tegrastats(text, "nx.log", {.begin_unix_s = parse_time_stamp(begin)});
  ASSERT_TRUE(log.ok()) << log.error().message;
  const auto power = tegrastats_power(*log, "nx.log");
  ASSERT_TRUE(power.ok()) << power.error().message;
  const int64_t run =
      static_cast<int64_t>((*parse_time_stamp(begin) + 12) * 1e9) - wall_minus_monotonic_ns();
  const auto window = energy_between(*power, run, run + 4'000'000'000);
  ASSERT_TRUE(window.ok()) << window.error().message;
  EXPECT_NEAR(window->energy_j, 48, 0.01);
  EXPECT_TRUE(window->complete());
}

TEST(Tegrastats, SkipsAndNamesBadLines) {
  const std::string good =
      "11-15-2024 08:38:09 RAM 1/2MB (lfb 1x4MB) CPU [1%@2] VDD_IN 5000mW/1mW\n";
  const std::string bad =
      "11-15-2024 08:38:09 RAM 1/2MB (lfb 1x4MB) CPU [1%@2] VDD_IN 500\n"  // cut off: a clock
      "11-15-2024 08:38:10 RAM 1/2MB (lfb 1x4M\n"
      "11-15-2024 08:38:10 RAM 1/2MB (lfb 1x4MB) CPU [1%@\n"
      "11-15-2024 08:38:10 RAM 1/2MB CPU [101%@2]\n"
      "11-15-2024 08:38:10 RAM 1/2MB cpu@53.9\n"
      "11-15-2024 08:38:10 RAM 1/2MB VDD_IN 5000mW/51\n"
      "11-15-2024 08:38:10 RAM 1/2MB VDD_IN nanmW/5mW\n"
      "11-15-2024 08:38:08 RAM 1/2MB\n"
      "RAM 1/2MB VDD_IN 5/5\n"
      "13-45-2024 08:38:10 RAM 1/2MB\n"
      "RAM\n"
      "hello\n";
  const auto log = parse_tegrastats(good + bad + good, "t.log");
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_EQ(log->lines, 2);
  EXPECT_EQ(log->skipped, 12);
  ASSERT_EQ(log->refused.size(), 10);
  EXPECT_THAT(log->refused[0].message, HasSubstr("t.log:2: 'VDD_IN_mhz' is a clock"));
  EXPECT_THAT(log->refused[7].message, HasSubstr("t.log:9: time goes back"));
  EXPECT_THAT(log->refused[8].message, HasSubstr("t.log:10: a line without a time"));
  EXPECT_EQ(find(*log, "VDD_IN")->samples.size(), 2);
  EXPECT_THAT(complaint(bad.substr(bad.find("RAM\n"))), HasSubstr("t.log:1: 'RAM' has no value"));
  EXPECT_THAT(complaint("hello\n"), HasSubstr("does not begin as tegrastats' do"));
  EXPECT_THAT(complaint(""), HasSubstr("t.log holds no line of tegrastats"));
  EXPECT_THAT(complaint("RAM 1/2MB \xff\xfe@3C\n"), HasSubstr("is not UTF-8"));
}

TEST(Tegrastats, LeavesOutWhatItDoesNotKnow) {
  const auto log = parse_tegrastats("RAM 1/2MB NVENC on GR3D_FREQ 3% VDD_ODD 10/10\n", "t.log",
                                    {.begin_unix_s = 1.7e9});
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_THAT(log->unknown, ElementsAre("NVENC"));
  EXPECT_EQ(first(*log, "gpu_busy"), 3);
  EXPECT_THAT(log->module_rails, IsEmpty());  // whose rail it is nobody knows
  EXPECT_THAT(tegrastats_power(*log, "t.log").error().message,
              HasSubstr("add up to no total that is known: VDD_ODD"));
  const auto plain = parse_tegrastats("RAM 1/2MB\n", "t.log", {.begin_unix_s = 1.7e9});
  EXPECT_THAT(tegrastats_power(*plain, "t.log").error().message,
              HasSubstr("tells them to root alone"));
}

TEST(Tegrastats, IsToldFromAPlugMetersLog) {
  EXPECT_TRUE(looks_like_tegrastats(seed("nano_jp4.log")));
  EXPECT_TRUE(looks_like_tegrastats(seed("orin_jp6.log")));
  EXPECT_FALSE(looks_like_tegrastats("time,watts\n1,2\n"));
  EXPECT_FALSE(looks_like_tegrastats("\n"));
}

}  // namespace
}  // namespace flyball
