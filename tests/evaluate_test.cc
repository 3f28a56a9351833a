// flyball evaluate predict and optimise: keys, known answers, bad input.
#include <fstream>
#include <iterator>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

class EvaluateTest : public CommandTest {
 protected:
  nlohmann::json evaluate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "evaluate");
    arguments.insert(arguments.end(), {"--json", "-q"});
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.exit_code == 0 ? done.json() : nlohmann::json();
  }
  // All but the seconds.
  static nlohmann::json figures(nlohmann::json report) {
    for (auto& row : report["rows"]) {
      row.erase("fit_s");
      row.erase("predict_s");
    }
    return report;
  }
};

TEST_F(EvaluateTest, PredictHasTheKeysItPromises) {
  const auto report = evaluate({"predict", "--truth", small_table().string(), "--predictor",
                                "linear,analytical", "--profiles", "10,20", "--design", "random",
                                "--runs", "3", "--seed", "1", "--floor"});
  EXPECT_EQ(report["target"], "net train on board");
  ASSERT_EQ(report["rows"].size(), 5u);
  for (const auto& row : report["rows"]) {
    for (const char* key :
         {"predictor", "design", "modes", "runs", "time_mape", "power_mape", "time_mdape",
          "power_mdape", "time_coverage90", "power_coverage90", "fit_s", "predict_s"})
      EXPECT_TRUE(row.contains(key)) << key;
    for (const char* key : {"median", "q1", "q3"}) {
      EXPECT_TRUE(row["time_mape"][key].is_number()) << key;
      EXPECT_TRUE(row["power_mape"][key].is_number()) << key;
    }
    EXPECT_LE(row["time_mape"]["q1"], row["time_mape"]["median"]);
    EXPECT_LE(row["time_mape"]["median"], row["time_mape"]["q3"]);
  }
  EXPECT_EQ(report["rows"][0]["predictor"], "linear");
  EXPECT_EQ(report["rows"][0]["modes"], 10);
  EXPECT_EQ(report["rows"][4]["predictor"], "floor");
  // A smooth surface without noise is known from nine tenths of it.
  EXPECT_LT(report["rows"][4]["power_mape"]["median"], 1);
  EXPECT_LT(report["rows"][4]["time_mape"]["median"], 5);
}

TEST_F(EvaluateTest, PredictIsTheSameForAnyNumberOfThreadsAndOtherForAnotherSeed) {
  const std::vector<std::string> one = {
      "predict", "--truth",  small_table().string(), "--predictor", "analytical", "--profiles",
      "12",      "--design", "random,maximin,lhs",   "--runs",      "4",          "--threads",
      "1"};
  auto three = one, other = one;
  three.back() = "3";
  other.insert(other.end(), {"--seed", "2"});
  const auto report = figures(evaluate(one));
  EXPECT_EQ(report, figures(evaluate(three)));
  EXPECT_NE(report, figures(evaluate(other)));
}

TEST_F(EvaluateTest, PredictSaysWhatFailedBesideWhatDidNot) {
  const auto report = evaluate({"predict", "--truth", small_table().string(), "--predictor",
                                "roofline,analytical", "--profiles", "10", "--runs", "2"});
  ASSERT_EQ(report["rows"].size(), 2u);
  EXPECT_TRUE(report["rows"][0]["time_mape"]["median"].is_null());
  EXPECT_NE(report["rows"][0]["error"].get<std::string>().find("FLOPs"), std::string::npos);
  EXPECT_TRUE(report["rows"][1]["error"].is_null());
}

// Whoever is judged is no reference for itself.
TEST_F(EvaluateTest, TheTruthTeachesNothingOfItself) {
  const fs::path truth = small_table();
  std::ifstream file(truth);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (size_t at = 0; (at = text.find(",net,", at)) != std::string::npos;) text[at + 1] = 's';
  const fs::path other = write("other.csv", text);
  const std::vector<std::string> predict = {"predict",    "--predictor", "transfer-gp",
                                            "--profiles", "5",           "--runs",
                                            "2",          "--truth",     truth.string()};
  const std::vector<std::string> optimise = {"optimise", "--predictor", "transfer-gp", "--profiles",
                                             "5",        "--runs",      "2",           "--budgets",
                                             "10:20:5W", "--truth",     truth.string()};
  for (auto alone : {predict, optimise}) {
    auto both = alone, itself = alone;
    alone.insert(alone.end(), {"--reference", other.string()});
    both.insert(both.end(), {"--reference", truth.string(), other.string()});
    EXPECT_EQ(figures(evaluate(both)), figures(evaluate(alone)));
    itself.insert(itself.begin(), "evaluate");
    itself.insert(itself.end(), {"--reference", truth.string(), "-q"});
    const Finished refused = run(itself);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("names net train on board alone, which is judged"),
              std::string::npos)
        << refused.err;
  }
}

TEST_F(EvaluateTest, OptimiseKnowsItsFourMetricsAndVerifies) {
  const std::vector<std::string> plain = {"optimise",   "--truth",   small_table().string(),
                                          "--profiles", "15",        "--predictor",
                                          "analytical", "--budgets", "9:20:1W",
                                          "--runs",     "5"};
  const auto report = evaluate(plain);
  EXPECT_EQ(report["solvable"], 12);
  ASSERT_EQ(report["rows"].size(), 3u);
  EXPECT_EQ(report["rows"][0]["predictor"], "maxn");
  EXPECT_EQ(report["rows"][1]["predictor"], "rnd");
  // MAXN draws 29.8 W, above each of the twelve budgets: 20.8 W too much to 9.8, straight.
  EXPECT_NEAR(report["rows"][0]["area_w"].get<double>(), 15.3, 1e-9);
  EXPECT_EQ(report["rows"][0]["al_pct"], 100);
  EXPECT_EQ(report["rows"][0]["al1_pct"], 100);
  EXPECT_LT(report["rows"][0]["time_penalty"]["median"], 0);
  // The best of what was measured never exceeds, and is never faster than the optimum.
  EXPECT_EQ(report["rows"][1]["exceeded"], 0);
  EXPECT_GE(report["rows"][1]["time_penalty"]["q1"], 0);

  auto verified = plain;
  verified.insert(verified.end(), {"--verify", "3"});
  const auto checked = evaluate(verified);
  EXPECT_EQ(checked["rows"][2]["exceeded"], 0);
  EXPECT_EQ(checked["rows"][2]["area_w"], 0);
  EXPECT_GT(checked["rows"][2]["extra_profiles_mean"], 0);
  EXPECT_LE(checked["rows"][2]["extra_profiles_max"], 3);
}

// Baselines that two tables and no model decide: PowerTrain's published rows.
TEST_F(EvaluateTest, MaxnIsAsPowerTrainPublishedIt) {
  const fs::path folder = measured_tables();
  if (folder.empty()) GTEST_SKIP() << "no measured tables: FLYBALL_DATA, or ../shared/data";
  struct Published {
    const char* file;
    double penalty, area, al, al1;
  };
  for (const Published& row : {Published{"orin_agx__resnet18__train.csv", -6, 17.6, 100, 100},
                               Published{"orin_agx__mobilenet_v3__train.csv", -16, 10.9, 79, 76}}) {
    const auto report = evaluate({"optimise", "--truth", (folder / row.file).string(),
                                  "--predictor", "analytical", "--runs", "2"});
    const auto& maxn = report["rows"][0];
    EXPECT_NEAR(maxn["time_penalty"]["median"].get<double>(), row.penalty, 1) << row.file;
    EXPECT_NEAR(maxn["area_w"].get<double>(), row.area, 0.05) << row.file;
    EXPECT_NEAR(maxn["al_pct"].get<double>(), row.al, 0.5) << row.file;
    EXPECT_NEAR(maxn["al1_pct"].get<double>(), row.al1, 0.5) << row.file;
  }
}

TEST_F(EvaluateTest, TheFloorOfTheTrainingTablesIsTheKnownOne) {
  const fs::path folder = measured_tables();
  if (folder.empty()) GTEST_SKIP() << "no measured tables: FLYBALL_DATA, or ../shared/data";
  for (const char* file : {"orin_agx__resnet18__train.csv", "orin_agx__mobilenet_v3__train.csv"}) {
    const auto report = evaluate({"predict", "--truth", (folder / file).string(), "--predictor",
                                  "analytical", "--profiles", "50", "--runs", "1", "--floor"});
    const auto& floor = report["rows"][1];
    EXPECT_GT(floor["time_mape"]["median"], 1.4) << file;
    EXPECT_LT(floor["time_mape"]["median"], 2.5) << file;
    EXPECT_GT(floor["power_mape"]["median"], 1.0) << file;
    EXPECT_LT(floor["power_mape"]["median"], 1.5) << file;
  }
}

}  // namespace
}  // namespace flyball::testing_tools
