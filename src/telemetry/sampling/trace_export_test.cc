#include "telemetry/sampling/trace_export.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "telemetry/sampling/energy.h"

namespace flyball {
namespace {

constexpr int64_t kExportedMs = 1'000'000;

Trace rail_trace() {
  Trace trace;
  trace.info = {.name = "VDD \"IN\"", .unit = "W", .kind = SensorKind::power};
  trace.period_s = 0.1;
  for (int i = 0; i < 10; ++i)
    trace.samples.push_back({(100 + i * 100) * kExportedMs, i < 5 ? 10.0 : 20.0});
  return trace;
}

TEST(TraceExport, LeavesRepeatsOutAndKeepsThePicture) {
  Trace trace = rail_trace();
  const double before = energy_between(trace, 150 * kExportedMs, 950 * kExportedMs)->energy_j;
  trace.samples = without_repeats(trace.samples);
  EXPECT_EQ(trace.samples.size(), 4u);
  EXPECT_NEAR(energy_between(trace, 150 * kExportedMs, 950 * kExportedMs)->energy_j, before, 1e-9);
  std::vector<Sample> constant;
  for (int i = 0; i <= 100; ++i) constant.push_back({i * 100 * kExportedMs, 5});
  EXPECT_LE(without_repeats(constant).size(), 13u);
  EXPECT_GE(without_repeats(constant).size(), 11u);
  EXPECT_TRUE(without_repeats({}).empty());
}

TEST(TraceExport, WritesCsvInTheOrderOfTime) {
  Trace other;
  other.info = {.name = "mhz", .unit = "MHz"};
  other.samples = {{550 * kExportedMs, 1980}};
  EXPECT_EQ(traces_csv({rail_trace(), other}, 100 * kExportedMs),
            "time_s,sensor,unit,value\n"
            "0.000000,\"VDD \"\"IN\"\"\",W,10\n"
            "0.400000,\"VDD \"\"IN\"\"\",W,10\n"
            "0.450000,mhz,MHz,1980\n"
            "0.500000,\"VDD \"\"IN\"\"\",W,20\n"
            "0.900000,\"VDD \"\"IN\"\"\",W,20\n");
}

TEST(TraceExport, WritesAChromeTrace) {
  Trace counter;
  counter.info = {.name = "package-0",
                  .unit = "J",
                  .kind = SensorKind::energy_counter,
                  .period_s = 0.5,
                  .wrap = 100};
  counter.period_s = 0.1;
  // Every 0.5 s 5 J at first and 15 J later.
  for (const auto& [from_ms, joules] :
       {std::pair(0, 90), {500, 95}, {1000, 0}, {1500, 15}, {2000, 30}})
    for (int64_t ms = from_ms; ms < from_ms + 500; ms += 100)
      counter.samples.push_back({ms * kExportedMs, static_cast<double>(joules)});
  const std::vector<Span> spans = {{"compute", "step", 200 * kExportedMs, 300 * kExportedMs},
                                   {"loader \xff", "fetch", 100 * kExportedMs, 250 * kExportedMs},
                                   {"compute", "stall", 300 * kExportedMs, 310 * kExportedMs}};
  const auto json =
      SortedJson::parse(chrome_trace({rail_trace(), counter}, spans, 100 * kExportedMs));
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
  // When the first value was reached is not known: it may make no spike.
  ASSERT_EQ(watts.size(), 4u);
  EXPECT_LE(watts[0], 10);
  EXPECT_NEAR(watts[1], 10, 1e-9);
  EXPECT_NEAR(watts[2], 30, 1e-9);
  EXPECT_NEAR(watts[3], 30, 1e-9);
}

TEST(TraceExport, NothingIsStillADocument) {
  EXPECT_TRUE(SortedJson::accept(chrome_trace({}, {}, 0)));
  EXPECT_EQ(traces_csv({}, 0), "time_s,sensor,unit,value\n");
}

}  // namespace
}  // namespace flyball
