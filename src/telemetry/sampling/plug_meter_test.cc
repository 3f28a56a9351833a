#include "telemetry/sampling/plug_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

std::string plug_complaint(const std::string& text, const PlugOptions& options = {}) {
  const auto trace = parse_plug_log(text, "plug.csv", options);
  return trace.ok() ? "accepted" : trace.error().message;
}

TEST(PlugMeter, JoinsARunByTime) {
  // The meter logged 30 W once a second, and a run took place two seconds into it.
  const int64_t run_begin = monotonic_ns();
  const double log_begin =
      static_cast<double>(run_begin + wall_minus_monotonic_ns()) * 1e-9 - 2 + 100;
  std::string text = "Timestamp,Voltage,Power\n";
  for (int i = 0; i < 10; ++i)
    text += std::to_string(log_begin + i) + ",230," + (i < 2 ? "5" : "30") + "\n";
  const auto trace = parse_plug_log(text, "plug.csv", {.clock_ahead_s = 100});
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->info.total, "plug");
  EXPECT_NEAR(trace->period_s, 1, 1e-6);
  const auto window = energy_between(*trace, run_begin + 500'000'000, run_begin + 4'500'000'000);
  ASSERT_TRUE(window.ok());
  EXPECT_NEAR(window->energy_j, 120, 0.1);
  EXPECT_TRUE(window->complete());
  // A run after the log's end is not covered: no number is made up.
  EXPECT_FALSE(energy_between(*trace, run_begin + 60'000'000'000, run_begin + 61'000'000'000).ok());
}

TEST(PlugMeter, TakesNamedColumns) {
  EXPECT_EQ(
      plug_complaint("when,load\n1767225600,5\n", {.time_column = "when", .power_column = "load"}),
      "accepted");
}

TEST(PlugMeter, NamesFileLineAndColumn) {
  EXPECT_THAT(plug_complaint("a,b\n1,2\n"), HasSubstr("no column of times; it has: a, b"));
  EXPECT_THAT(plug_complaint("time,b\n1,2\n"), HasSubstr("no column of watts"));
  EXPECT_THAT(plug_complaint("time,w\n1,2\n", {.power_column = "x"}), HasSubstr("no column 'x'"));
  EXPECT_THAT(plug_complaint("time,w\n1,5\nsoon,5\n"), HasSubstr("plug.csv:3: column 'time'"));
  EXPECT_THAT(plug_complaint("time,w\n1,5\n2,much\n"), HasSubstr("plug.csv:3: column 'w'"));
  EXPECT_THAT(plug_complaint("time,w\n2,5\n2,5\n"), HasSubstr("time does not rise"));
  EXPECT_THAT(plug_complaint("time,w\n"), HasSubstr("no readings"));
  EXPECT_THAT(plug_complaint(""), testing::Ne("accepted"));
}

}  // namespace
}  // namespace flyball
