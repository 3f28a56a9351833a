// Simulated boards from the command line: `--device twin:BOARD`. Everything says `simulated`.
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class TwinTest : public CommandTest {
 protected:
  static std::vector<std::string> tuned(const std::string& seed) {
    return {"tune", "resnet18", "--device", "twin:orin_agx", "--modes", "paper", "--power-budget",
            "30W",  "--seed",   seed,       "--profiles",    "8",       "-q"};
  }
  Json tune_json(const std::string& seed, const std::string& last = "--no-store") {
    auto words = tuned(seed);
    words.insert(words.end(), {"--json", last});
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.json();
  }
};

TEST_F(TwinTest, TuneSaysSimulatedOnTheTerminalInTheReportAndInTheStore) {
  auto words = tuned("1");
  const fs::path page = folder_ / "report.html";
  words.insert(words.end(), {"--report", page.string()});
  const Finished done = run(words);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("(simulated)"));
  EXPECT_THAT(done.out, HasSubstr("  simulated"));
  EXPECT_THAT(done.out, testing::Not(HasSubstr("  measured\n")));
  const std::string text = slurp(page);
  EXPECT_THAT(text, HasSubstr("(simulated)"));
  EXPECT_THAT(text, HasSubstr("\"provenance\":\"simulated\""));
  const Finished table = run({"export", "--workload", "resnet18"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr(",simulated"));
  EXPECT_THAT(table.out, testing::Not(HasSubstr("measured\n")));
}

TEST_F(TwinTest, TheSeedDecidesWhateverTheStoreHolds) {
  const Json first = tune_json("5"), again = tune_json("5"), other = tune_json("6");
  EXPECT_EQ(first["profiled"], again["profiled"]);
  EXPECT_EQ(first["choice"], again["choice"]);
  EXPECT_NE(first["profiled"], other["profiled"]);
  EXPECT_EQ(first["choice"]["provenance"], "simulated");
  EXPECT_LE(first["choice"]["power_w"], 30.0);
}

TEST_F(TwinTest, NothingSimulatedEntersAFitUnlessAsked) {
  ASSERT_EQ(run(tuned("1")).exit_code, 0);
  const fs::path table = folder_ / "twin.csv";
  ASSERT_EQ(run({"export", "--workload", "resnet18", "--out", table.string()}).exit_code, 0);
  const Finished left_out =
      run({"tune", "resnet18", "--device", "table:" + table.string(), "--no-store", "-q"});
  EXPECT_EQ(left_out.exit_code, 2);
  EXPECT_THAT(left_out.err, HasSubstr("--accept simulated"));
  const Finished asked =
      run({"predict", "resnet18", "--device", "twin:orin_agx", "--predictor", "linear", "--json"});
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_GE(asked.json()["profiled"], 5);
}

TEST_F(TwinTest, TwoRolesShareTheBoard) {
  const Finished done =
      run({"plan", "concurrent", "--device", "twin:orin_agx", "--modes", "paper", "--train",
           "resnet18", "--infer", "mobilenet_v3", "--rate", "60", "--latency", "1s",
           "--power-budget", "40W", "--json", "--no-store", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err << done.out;
  EXPECT_THAT(done.out, HasSubstr("\"simulated\""));
}

TEST_F(TwinTest, ProfilesAndTablesAreSimulatedToo) {
  const Finished profile = run({"profile", "resnet18", "--device", "twin:orin_agx", "--epochs", "2",
                                "--steps", "50", "--workers", "4", "--json"});
  ASSERT_EQ(profile.exit_code, 0) << profile.err;
  const Json run_ = profile.json();
  EXPECT_EQ(run_["provenance"], "simulated");
  const Json epoch = run_["epochs"][1];
  EXPECT_TRUE(epoch["loss"].is_null());
  EXPECT_NEAR(epoch["e2e_s"].get<double>(),
              epoch["stall_s"].get<double>() + epoch["compute_s"].get<double>() +
                  epoch["overhead_s"].get<double>(),
              1e-9);
  const Finished table =
      run({"twin", "table", "resnet18", "--device", "twin:orin_nano", "--modes", "12", "-q"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 13);
  EXPECT_THAT(table.out, HasSubstr("orin_nano,resnet18,train"));
}

TEST_F(TwinTest, WhatASimulationLacksIsOneClearLine) {
  const auto refused = [&](std::vector<std::string> words, const std::string& says) {
    const Finished done = run(std::move(words));
    EXPECT_EQ(done.exit_code, 2) << done.out;
    EXPECT_THAT(done.err, HasSubstr(says));
  };
  refused({"mode", "set", "cpu_cores=4", "--device", "twin:orin_agx"}, "is simulated");
  refused({"tune", "nothing", "--device", "twin:orin_agx", "--no-store"}, "nothing");
  refused({"tune", "resnet18", "--device", "twin:orin_agx", "--data", "x", "--no-store"}, "--data");
  refused({"twin", "table", "resnet18", "--device", "host"}, "no simulated board");
}

TEST_F(TwinTest, ExperimentsRunWhereTheTwinHasTheKnob) {
  const fs::path folder = fs::path(FLYBALL_SOURCE_DIR) / "experiments";
  const auto simulated = [&](const std::string& name, const std::string& board) {
    return run({"experiment", "run", (folder / name).string(), "--device", "twin:" + board, "--out",
                (folder_ / "out").string(), "--json"});
  };
  const Finished workers = simulated("workers.toml", "xavier_agx");
  ASSERT_EQ(workers.exit_code, 0) << workers.err;
  const Json document = workers.json();
  EXPECT_THAT(document["device"].get<std::string>(), HasSubstr("(simulated)"));
  ASSERT_EQ(document["groups"].size(), 3u);
  const Json groups = document["groups"];
  EXPECT_LT(groups[1]["later"]["e2e_s"], groups[0]["later"]["e2e_s"]);
  const Finished dvfs = simulated("dvfs.toml", "xavier_agx");
  ASSERT_EQ(dvfs.exit_code, 0) << dvfs.err;
  EXPECT_THAT(dvfs.json()["gaps"].dump(), HasSubstr("dvfs on"));
  const Finished suspended = simulated("suspended.toml", "xavier_agx");
  EXPECT_EQ(suspended.exit_code, 2);
  EXPECT_THAT(suspended.err, HasSubstr("does not sleep"));
}

}  // namespace
}  // namespace flyball::testing_tools
