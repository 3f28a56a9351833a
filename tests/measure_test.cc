// `flyball measure`: traces, the plug meter, and that each key of its document is known.
#include <gmock/gmock.h>

#include <set>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class MeasureCommandTest : public CommandTest {};

TEST_F(MeasureCommandTest, WritesAChromeTraceAndCsv) {
  const Finished done = run({"measure", "--trace", (folder_ / "trace.json").string(), "--csv",
                             (folder_ / "trace.csv").string(), "--json", "--", "sleep", "0.4"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto trace = nlohmann::json::parse(slurp(folder_ / "trace.json"));
  bool span = false;
  std::set<std::string> counters;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      span = true;
      EXPECT_EQ(event.at("name"), "sleep 0.4");
      EXPECT_NEAR(event.at("dur").get<double>(), 1e6 * done.json().at("wall_s").get<double>(), 1);
    }
    if (event.at("ph") == "C") counters.insert(event.at("name"));
  }
  EXPECT_TRUE(span);
  EXPECT_TRUE(counters.contains("memory_used (B)"));
  EXPECT_TRUE(counters.contains("cpu0_time (s)"));
  EXPECT_THAT(slurp(folder_ / "trace.csv"), HasSubstr("time_s,sensor,unit,value\n"));
  EXPECT_THAT(slurp(folder_ / "trace.csv"), HasSubstr(",cpu_time,s,"));
}

TEST_F(MeasureCommandTest, JoinsAPlugMeterByTime) {
  const Finished done =
      run({"measure", "--plug", plug_log().string(), "--json", "--", "sleep", "1.2"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = done.json();
  ASSERT_EQ(json["totals"].size(), 1u) << done.out;
  EXPECT_EQ(json["totals"][0]["name"], "plug");
  EXPECT_NEAR(json["totals"][0]["energy_j"].get<double>(), 12.5 * json["wall_s"].get<double>(),
              0.01);
  EXPECT_EQ(json["totals"][0]["gaps"], 0);
}

TEST_F(MeasureCommandTest, APlugLogOfAnotherDayIsAStatedGap) {
  const auto log = write("plug.csv", "time,watts\n1767225600,5\n1767225601,5\n1767225602,5\n");
  const Finished done = run({"measure", "--plug", log.string(), "--", "true"});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("plug meter: "));
}

TEST_F(MeasureCommandTest, TheIntervalIsKept) {
  const Finished done = run({"measure", "--interval", "20ms", "--json", "--", "sleep", "0.1"});
  EXPECT_EQ(done.json()["interval_ms"], 20);
  EXPECT_GE(done.json()["memory_interval_ms"].get<double>(), 19.999);
}

TEST_F(MeasureCommandTest, EveryKeyIsDocumented) {
  const Finished done =
      run({"measure", "--plug", plug_log().string(), "--json", "--", "sleep", "0.6"});
  const std::string manual = slurp(fs::path(FLYBALL_SOURCE_DIR) / "docs/json.md");
  const auto check = [&](const nlohmann::json& object) {
    for (const auto& [key, value] : object.items()) EXPECT_THAT(manual, HasSubstr("`" + key + "`"));
  };
  const auto json = done.json();
  check(json);
  check(json.at("io"));
  for (const char* list : {"totals", "sampling", "missing"}) {
    ASSERT_FALSE(json.at(list).empty()) << list;
    check(json.at(list)[0]);
  }
}

}  // namespace
}  // namespace flyball::testing_tools
