#include "monitor/board_metrics.h"

#include <gmock/gmock.h>

#include "monitor/frame_testing.h"
#include "monitor/metrics_text.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(BoardMetrics, AreInBaseUnits) {
  BoardMetrics metrics;
  EXPECT_EQ(metrics.text(0), "");
  metrics.take(full_frame());
  const std::string text = metrics.text(0);
  for (const char* line : {"# TYPE flyball_board_power_watts gauge",
                           "flyball_board_power_watts{total=\"module\"} 7.25\n",
                           "flyball_board_energy_joules_total{total=\"module\"} 90.625\n",
                           "flyball_rail_power_watts{rail=\"VDD_IN\",in_total=\"yes\"} 7.25\n",
                           "flyball_clock_hertz{clock=\"gpu\"} 306000000\n",
                           "flyball_clock_limit_hertz{clock=\"gpu\"} 624750000\n",
                           "flyball_cpu_busy_ratio{cpu=\"1\"} 0.25\n",
                           "flyball_temperature_celsius{sensor=\"gpu-thermal\"} 51\n",
                           "flyball_disk_read_bytes_total{device=\"nvme0n1\"} 1000000000\n",
                           "flyball_power_mode_info{preset=\"15W\"} 1\n", "flyball_throttled 1\n",
                           "flyball_throttled_by{reason=\"cpu thermal slowdown\"} 1\n",
                           "flyball_sensor_up{kind=\"rail\",sensor=\"VDD_SOC\"} 0\n"})
    EXPECT_THAT(text, HasSubstr(line)) << text;
  EXPECT_THAT(text, Not(HasSubstr("flyball_rail_power_watts{rail=\"VDD_SOC\"")))
      << "it is not known";
  EXPECT_THAT(text, Not(HasSubstr("cpu=\"2\""))) << "that core is off";
}

// Power is the slope between two looks at a counter: at the first one it reads all the same.
TEST(BoardMetrics, ACounterIsThereFromItsFirstLookOn) {
  BoardMetrics metrics;
  BoardFrame frame = full_frame();
  frame.rails = {{.name = "package-0", .in_total = true}};
  metrics.take(frame);
  EXPECT_THAT(metrics.text(0),
              HasSubstr("flyball_sensor_up{kind=\"rail\",sensor=\"package-0\"} 1\n"));
}

TEST(BoardMetrics, SeriesStayWhereTheirSourceGoes) {
  BoardMetrics metrics;
  metrics.take(full_frame());
  BoardFrame later = full_frame();
  later.at_s += 10;
  later.temperatures.clear();
  later.throttled->clear();
  metrics.take(later);
  const std::string text = metrics.text(0);
  EXPECT_THAT(text,
              HasSubstr("flyball_sensor_up{kind=\"temperature\",sensor=\"gpu-thermal\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("flyball_throttled_by{reason=\"cpu thermal slowdown\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("flyball_throttled 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("flyball_temperature_celsius")));
}

TEST(BoardMetrics, WhatIsNotKnownIsNotTold) {
  BoardMetrics metrics;
  metrics.take(BoardFrame());
  EXPECT_THAT(metrics.text(0), Not(HasSubstr("watts")));
  EXPECT_THAT(metrics.text(0), Not(HasSubstr("throttled")));
}

TEST(BoardMetrics, OwnCostIsToldOfAnyBoard) {
  BoardMetrics metrics;
  metrics.take(full_frame());
  EXPECT_THAT(metrics.text(0.25), HasSubstr("flyball_monitor_cpu_seconds_total 0.25\n"));
}

TEST(MetricsText, EscapesLabels) {
  EXPECT_EQ(metric_label("a", "b\"c\\d\ne"), "a=\"b\\\"c\\\\d\\ne\"");
}

}  // namespace
}  // namespace flyball
