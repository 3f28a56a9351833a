#include "telemetry/sampling/trace_export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "telemetry/sampling/energy.h"

namespace flyball {
namespace {

constexpr int64_t kMs = 1'000'000;

Trace rail() {
  Trace trace;
  trace.info = {.name = "VDD \"IN\"", .unit = "W", .kind = SensorKind::power};
  trace.period_s = 0.1;
  for (int i = 0; i < 10; ++i)
    trace.samples.push_back({(100 + i * 100) * kMs, i < 5 ? 10.0 : 20.0});
  return trace;
}

TEST(TraceExport, LeavesRepeatsOutAndKeepsThePicture) {
  Trace trace = rail();
  const double before = energy_between(trace, 150 * kMs, 950 * kMs)->energy_j;
  trace.samples = without_repeats(trace.samples);
  EXPECT_EQ(trace.samples.size(), 4u);
  EXPECT_NEAR(energy_between(trace, 150 * kMs, 950 * kMs)->energy_j, before, 1e-9);
  std::vector<Sample> constant;
  for (int i = 0; i <= 100; ++i) constant.push_back({i * 100 * kMs, 5});
  EXPECT_LE(without_repeats(constant).size(), 13u);
  EXPECT_GE(without_repeats(constant).size(), 11u);
  EXPECT_TRUE(without_repeats({}).empty());
}

TEST(TraceExport, WritesCsvInTheOrderOfTime) {
  Trace other;
  other.info = {.name = "mhz", .unit = "MHz"};
  other.samples = {{550 * kMs, 1980}};
  EXPECT_EQ(traces_csv({rail(), other}, 100 * kMs),
            "time_s,sensor,unit,value\n"
            "0.000000,\"VDD \"\"IN\"\"\",W,10\n"
            "0.400000,\"VDD \"\"IN\"\"\",W,10\n"
            "0.450000,mhz,MHz,1980\n"
            "0.500000,\"VDD \"\"IN\"\"\",W,20\n"
            "0.900000,\"VDD \"\"IN\"\"\",W,20\n");
}

TEST(TraceExport, WritesAChromeTrace) {
  Trace counter;
  counter.info = {
      .name = "package-0", .unit = "J", .kind = SensorKind::energy_counter, .wrap = 100};
  counter.samples = {{0, 95}, {500 * kMs, 95}, {1000 * kMs, 5}, {2000 * kMs, 35}};
  const std::vector<Span> spans = {{"compute", "step", 200 * kMs, 300 * kMs},
                                   {"loader \xff", "fetch", 100 * kMs, 250 * kMs},
                                   {"compute", "stall", 300 * kMs, 310 * kMs}};
  const auto json = nlohmann::json::parse(chrome_trace({rail(), counter}, spans, 100 * kMs));
  std::vector<double> watts;
  int spans_seen = 0, tracks = 0;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "C" && event["name"] == "package-0 (W)")
      watts.push_back(event["args"]["value"]);
    if (event["ph"] == "X") ++spans_seen;
    if (event["ph"] == "M" && event["name"] == "thread_name") ++tracks;
    if (event["name"] == "fetch") {
      EXPECT_EQ(event["ts"], 0.0);
      EXPECT_EQ(event["dur"], 150'000.0);
      EXPECT_EQ(event["tid"], 2);
    }
    if (event["name"] == "stall") {
      EXPECT_EQ(event["tid"], 1);
    }
  }
  EXPECT_EQ(spans_seen, 3);
  EXPECT_EQ(tracks, 2);
  ASSERT_EQ(watts.size(), 2u);
  EXPECT_NEAR(watts[0], 10, 1e-9);
  EXPECT_NEAR(watts[1], 30, 1e-9);
}

TEST(TraceExport, NothingIsStillADocument) {
  EXPECT_TRUE(nlohmann::json::accept(chrome_trace({}, {}, 0)));
  EXPECT_EQ(traces_csv({}, 0), "time_s,sensor,unit,value\n");
}

}  // namespace
}  // namespace flyball
