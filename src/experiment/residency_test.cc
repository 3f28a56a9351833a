#include "experiment/residency.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace flyball {
namespace {

Trace clock(const std::string& name, const std::vector<double>& mhz) {
  Trace trace;
  trace.info = {.name = name, .unit = "MHz"};
  for (size_t i = 0; i < mhz.size(); ++i)
    trace.samples.push_back({static_cast<int64_t>(i) * 100, mhz[i]});
  return trace;
}

TEST(Residency, CountsTheSamplesOfEachClock) {
  Trace watts = clock("VDD_IN", {5, 5, 5});
  watts.info.unit = "W";
  const auto clocks = residency_of(
      {clock("gpu_mhz", {612, 1300.5, 1300.4, 1300.5, 306}), watts, clock("emc_mhz", {})}, 0, 300);
  ASSERT_EQ(clocks.size(), 1u);  // power is no clock, and one showed nothing
  EXPECT_EQ(clocks[0].clock, "gpu_mhz");
  EXPECT_EQ(clocks[0].step_mhz, 0);
  ASSERT_EQ(clocks[0].values.size(), 3u);  // 306 came after the window
  EXPECT_EQ(clocks[0].values[0].mhz, 612);
  EXPECT_EQ(clocks[0].values[0].share, 0.25);
  EXPECT_NEAR(clocks[0].below(1000), 0.25, 1e-12);
  EXPECT_NEAR(clocks[0].below(2000), 1, 1e-12);
  EXPECT_EQ(residency_json(parse_residency(residency_json(clocks))), residency_json(clocks));
}

TEST(Residency, AClockThatRoamsIsToldInSteps) {
  std::vector<double> mhz;
  for (int i = 0; i < 100; ++i) mhz.push_back(1000 + 3.0 * i);
  const auto clocks = residency_of({clock("cpu0_mhz", mhz)}, 0, 1'000'000);
  ASSERT_EQ(clocks.size(), 1u);
  EXPECT_EQ(clocks[0].step_mhz, 100);
  EXPECT_LE(clocks[0].values.size(), 4u);
}

}  // namespace
}  // namespace flyball
