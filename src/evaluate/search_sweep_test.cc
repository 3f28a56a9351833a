// The published counts, from the measured tables where they are at hand, and the sweep's own rules.
#include "evaluate/search_sweep.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/csv.h"
#include "base/json.h"
#include "evaluate/search_score.h"
#include "search/registry.h"
#include "search/run.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

namespace surface = testing_surface;

std::filesystem::path data_folder() {
  const char* known = std::getenv("FLYBALL_DATA");
  return known ? known : FLYBALL_SOURCE_DIR "/../shared/data";
}

class Published : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_folder() / "oracle_gmd_training.csv"))
      GTEST_SKIP() << "the measured tables are not at " << data_folder();
  }

  WorkloadTable table(const std::string& name) {
    return read_table(data_folder() / ("orin_agx__" + name + ".csv"))->workloads[0];
  }

  SearchRow row(ProblemKind kind, const std::vector<std::string>& names,
                const std::string& strategy) {
    std::vector<WorkloadTable> tables;
    for (const std::string& name : names) tables.push_back(table(name));
    SearchSweep sweep;
    sweep.kind = kind;
    for (const WorkloadTable& one : tables) sweep.tables.push_back(&one);
    sweep.strategies = {strategy};
    return evaluate_search(sweep)->rows[0];
  }
};

TEST_F(Published, GradientSearchOfTraining) {
  const SearchRow resnet = row(ProblemKind::training, {"resnet18__train"}, "gmd");
  EXPECT_EQ(resnet.solvable, 36u);
  EXPECT_EQ(resnet.solved, 36u);
  EXPECT_NEAR(resnet.median_excess_pct, 8.8, 0.06);
  EXPECT_NEAR(resnet.mean_excess_pct, 19.6, 0.06);
  EXPECT_NEAR(resnet.mean_profiles, 9.5, 0.06);
  EXPECT_EQ(resnet.max_profiles, 11);
  EXPECT_EQ(resnet.violations, 0u);
  const SearchRow mobile = row(ProblemKind::training, {"mobilenet_v3__train"}, "gmd");
  EXPECT_EQ(mobile.solved, 36u);
  EXPECT_NEAR(mobile.median_excess_pct, 3.4, 0.06);
  EXPECT_NEAR(mobile.mean_excess_pct, 20.4, 0.06);
  EXPECT_NEAR(mobile.mean_profiles, 9.1, 0.06);
  EXPECT_EQ(mobile.max_profiles, 10);
}

TEST_F(Published, BinarySearchOfTraining) {
  const SearchRow resnet = row(ProblemKind::training, {"resnet18__train"}, "binary-search");
  EXPECT_NEAR(resnet.median_excess_pct, 10.6, 0.06);
  EXPECT_NEAR(resnet.mean_excess_pct, 18.1, 0.06);
  EXPECT_EQ(resnet.max_profiles, 7);
  const SearchRow mobile = row(ProblemKind::training, {"mobilenet_v3__train"}, "binary-search");
  EXPECT_NEAR(mobile.median_excess_pct, 2.5, 0.06);
  EXPECT_NEAR(mobile.mean_excess_pct, 6.6, 0.06);
}

TEST_F(Published, GradientSearchOfInference) {
  const SearchRow resnet = row(ProblemKind::inference, {"resnet50__infer"}, "gmd");
  EXPECT_EQ(resnet.problems, 5863u);
  EXPECT_EQ(resnet.solvable, 4041u);
  EXPECT_EQ(resnet.solved, 3570u);
  EXPECT_NEAR(resnet.median_excess_pct, 5.1, 0.06);
  const SearchRow mobile = row(ProblemKind::inference, {"mobilenet_v3__infer"}, "gmd");
  EXPECT_EQ(mobile.solvable, 4297u);
  EXPECT_EQ(mobile.solved, 3905u);
  EXPECT_NEAR(mobile.median_excess_pct, 7.4, 0.06);
}

TEST_F(Published, GradientSearchOfConcurrentWorkloads) {
  const SearchRow resnet =
      row(ProblemKind::concurrent, {"resnet18__train", "mobilenet_v3__infer"}, "gmd");
  EXPECT_EQ(resnet.problems, 6560u);
  EXPECT_EQ(resnet.solvable, 5520u);
  EXPECT_EQ(resnet.solved, 5425u);
  EXPECT_EQ(resnet.median_n, 5);
  const SearchRow mobile =
      row(ProblemKind::concurrent, {"mobilenet_v3__train", "mobilenet_v3__infer"}, "gmd");
  EXPECT_EQ(mobile.solvable, 5626u);
  EXPECT_EQ(mobile.solved, 5523u);
  EXPECT_EQ(mobile.median_n, 3);
  EXPECT_NEAR(mobile.mean_n_loss_pct, 12, 0.6);
}

TEST_F(Published, EveryBudgetOfTheTrainingOracle) {
  const Csv oracle = *read_csv(data_folder() / "oracle_gmd_training.csv");
  const auto at = [&](size_t row, const char* column) {
    return *oracle.number(row, *oracle.column(column));
  };
  for (size_t i = 0; i < oracle.rows.size(); ++i) {
    const WorkloadTable tabled = table(oracle.rows[i][0] + "__train");
    const auto candidates =
        std::make_shared<Candidates>(*Candidates::link({*paper_modes(tabled.space)}));
    const Readings readings = *readings_of(*candidates, std::vector{&tabled});
    const auto problem = std::make_shared<Problem>(
        make_problem(ProblemKind::training, candidates, {role_of(tabled)},
                     {{at(i, "budget_w"), unlimited, unlimited}, unlimited, 0}));
    EXPECT_NEAR(solve(*problem, readings).outcome.loss, at(i, "optimum_ms"), 6e-4);
    auto strategy = *make_strategy("gmd", problem, {});
    const auto answer = run_search(*strategy, readings);
    ASSERT_TRUE(answer.ok());
    const Settings mode = candidates->space(0).settings(answer->choice[0]);
    for (const char* axis : {"cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz"})
      EXPECT_EQ(mode.at(axis), at(i, axis)) << "budget " << at(i, "budget_w");
    EXPECT_NEAR(answer->outcome.loss, at(i, "gmd_ms"), 6e-4);
    EXPECT_EQ(static_cast<double>(answer->profiles), at(i, "profiles"));
  }
}

WorkloadTable surface_table() {
  WorkloadTable table;
  table.workload = "net";
  const Space space = surface::space();
  table.space = Space(space.axes());
  for (size_t i = 0; i < space.size(); ++i)
    table.add(space.row(i), surface::time_ms(space.row(i)), surface::power_w(space.row(i)));
  return table;
}

SearchSweep surface_sweep(const WorkloadTable& table) {
  SearchSweep sweep;
  sweep.tables = {&table};
  sweep.only_paper_modes = false;
  for (double watts = 5; watts < 30; ++watts)
    sweep.problems.push_back({{watts, unlimited, unlimited}});
  sweep.options.make_predictor = [] { return std::make_unique<surface::NearestPredictor>(); };
  for (const StrategyEntry& entry : strategies())
    if (!entry.all_known) sweep.strategies.push_back(entry.name);
  return sweep;
}

TEST(SearchSweep, FiguresDoNotDependOnTheNumberOfThreads) {
  const WorkloadTable table = surface_table();
  SearchSweep sweep = surface_sweep(table);
  sweep.seeds = 3;
  const auto figures = [&](size_t threads) {
    sweep.threads = threads;
    SortedJson json = to_json(*evaluate_search(sweep));
    for (auto& row : json["rows"]) row.erase("seconds");
    return json;
  };
  EXPECT_EQ(figures(1), figures(4));
}

TEST(SearchSweep, BruteForceIsTheOptimum) {
  const WorkloadTable table = surface_table();
  SearchSweep sweep = surface_sweep(table);
  sweep.strategies = {"brute-force"};
  size_t last = 0, all = 0;
  sweep.progress = [&](size_t done, size_t of) { last = done, all = of; };
  const SearchRow row = evaluate_search(sweep)->rows[0];
  EXPECT_EQ(row.problems, 25u);
  EXPECT_EQ(row.solvable, row.solved);
  EXPECT_LT(row.solvable, 25u);
  EXPECT_EQ(row.mean_excess_pct, 0);
  EXPECT_EQ(row.robust_mean_excess_pct, 0);
  EXPECT_EQ(row.mean_profiles, 40);
  EXPECT_EQ(last, all);
  EXPECT_EQ(all, row.solvable);
}

TEST(SearchSweep, TheRobustOptimumLeavesOutFaultyReadings) {
  WorkloadTable table = surface_table();
  const auto lying = *table.space.find(std::vector<double>{8, 900});
  table.power_w[lying] *= 0.8;
  SearchSweep sweep = surface_sweep(table);
  sweep.strategies = {"brute-force"};
  sweep.problems = {{{table.power_w[lying] + 0.1, unlimited, unlimited}}};
  const SearchRow row = evaluate_search(sweep)->rows[0];
  EXPECT_EQ(row.mean_excess_pct, 0);
  EXPECT_LT(row.robust_mean_excess_pct, 0);  // the answer stands on the faulty reading
}

TEST(SearchSweep, APredictedChoiceIsSolvedWithinTheSlackOfThePaper) {
  const auto problem = surface::problem({.power_w = 14});
  const Readings all = surface::readings(*problem);
  const Optima optima = find_optima(*problem, all, all);
  size_t within = 0, beyond = 0;
  for (size_t i = 0; i < all[0].size(); ++i) {
    const double over = all[0][i].power_w - 14;
    const std::array choice = {i};
    const Scored scored = score_predicted(*problem, optima, all, choice);
    EXPECT_EQ(scored.solved, over <= 1) << over;
    EXPECT_EQ(scored.over_power, over > 0);
    EXPECT_EQ(score(*problem, optima, all, choice).solved, over <= 0);
    within += over > 0 && over <= 1;
    beyond += over > 1;
  }
  EXPECT_GT(within, 0u);
  EXPECT_GT(beyond, 0u);
}

TEST(SearchSweep, EveryTakesAPartOfTheProblemsAndCasesListThem) {
  const WorkloadTable table = surface_table();
  SearchSweep sweep = surface_sweep(table);
  sweep.strategies = {"brute-force"};
  sweep.every = 10;  // 5, 15 and 25 W
  const auto evaluation = evaluate_search(sweep);
  EXPECT_EQ(evaluation->rows[0].problems, 3u);
  ASSERT_EQ(evaluation->cases.size(), 2u);  // no mode draws 5 W or less
  EXPECT_EQ(evaluation->cases[0].asked.budgets.power_w, 15);
  EXPECT_EQ(evaluation->cases[1].asked.budgets.power_w, 25);
  EXPECT_EQ(evaluation->cases[0].answer, evaluation->cases[0].optimum);
  const Csv csv = *parse_csv(cases_csv(evaluation->cases), "cases");
  ASSERT_EQ(csv.rows.size(), 2u);
  EXPECT_EQ(csv.rows[0][*csv.column("power_budget_w")], "15");
  EXPECT_EQ(csv.rows[0][*csv.column("latency_ms")], "");
  EXPECT_EQ(csv.rows[0][*csv.column("profiles")], "40");
}

TEST(SearchSweep, TablesOfDifferentBoardsAreRefused) {
  const WorkloadTable table = surface_table();
  WorkloadTable other = table;
  other.device = "another board";
  SearchSweep sweep = surface_sweep(table);
  sweep.kind = ProblemKind::concurrent;
  sweep.tables = {&table, &other};
  const auto refused = evaluate_search(sweep);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, testing::HasSubstr(" was measured on "));
}

TEST(SearchSweep, JsonHasTheDocumentedKeys) {
  const WorkloadTable table = surface_table();
  SearchSweep sweep = surface_sweep(table);
  sweep.strategies = {"maxn"};
  const auto json = to_json(*evaluate_search(sweep));
  EXPECT_EQ(json["problem"], "training");
  for (const char* key :
       {"strategy", "problems", "solvable", "solved", "median_excess_pct", "mean_excess_pct",
        "p90_excess_pct", "robust_mean_excess_pct", "robust_p90_excess_pct", "mean_profiles",
        "max_profiles", "mean_trials", "violations", "violations_over_1w", "seconds"})
    EXPECT_TRUE(json["rows"][0].contains(key)) << key;
  EXPECT_FALSE(json["rows"][0].contains("median_n"));
}

TEST(SearchSweep, AFigureOfNothingIsNull) {
  const WorkloadTable table = surface_table();
  SearchSweep sweep = surface_sweep(table);
  sweep.strategies = {"maxn"};
  sweep.problems = {
      {{8, unlimited, unlimited}}};  // solvable, but not with everything at its highest
  const auto row = to_json(*evaluate_search(sweep))["rows"][0];
  EXPECT_EQ(row["solvable"], 1);
  EXPECT_EQ(row["solved"], 0);
  EXPECT_TRUE(row["mean_excess_pct"].is_null());
  EXPECT_EQ(row["mean_profiles"], 1);
}

TEST(SearchSweep, BadRequestsAreNamed) {
  const WorkloadTable table = surface_table();
  SearchSweep sweep = surface_sweep(table);
  sweep.kind = ProblemKind::concurrent;
  EXPECT_FALSE(evaluate_search(sweep).ok());
  sweep.kind = ProblemKind::training;
  sweep.only_paper_modes = true;
  EXPECT_THAT(evaluate_search(sweep).error().message, testing::HasSubstr("441"));
  sweep.only_paper_modes = false;
  sweep.strategies = {"magic"};
  EXPECT_FALSE(evaluate_search(sweep).ok());
}

}  // namespace
}  // namespace flyball
