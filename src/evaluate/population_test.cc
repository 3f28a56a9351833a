#include "evaluate/population.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "evaluate/references.h"
#include "evaluate/tables_testing.h"
#include "predictors/registry.h"

namespace flyball {
namespace {

SearchSweep sweep_of(ProblemKind kind) {
  SearchSweep sweep;
  sweep.kind = kind;
  sweep.strategies = {"brute-force", "maxn"};
  sweep.only_paper_modes = false;
  sweep.options.profile_budget = 1000;
  return sweep;
}

TEST(PopulationEvaluation, TakesTheKindFromTheName) {
  EXPECT_EQ(kind_of_workload("launch-recurrent__008"), "launch-recurrent");
  EXPECT_EQ(kind_of_workload("resnet18"), "resnet18");
}

TEST(PopulationEvaluation, DrawnProblemsAreWithinReach) {
  const WorkloadTable table = clock_table("a__1", Phase::infer, {1, 4});
  const auto drawn = draw_problems(ProblemKind::inference, table, 50, 3);
  ASSERT_EQ(drawn.size(), 50u);
  for (const ProblemSpec& spec : drawn) {
    EXPECT_GE(spec.budgets.power_w, 5);
    EXPECT_LE(spec.budgets.power_w, 17);
    EXPECT_GT(spec.rate_hz, 0);
    bool served = false;
    for (size_t i = 0; i < table.size(); ++i) {
      const double window = 1e3 * table.space.row(i)[0] / spec.rate_hz;
      served = served || (table.minibatch_ms[i] <= window * (1 + 1e-9) &&
                          table.minibatch_ms[i] + window <= spec.latency_ms * (1 + 1e-9));
    }
    EXPECT_TRUE(served);
  }
  EXPECT_NE(drawn[0].budgets.power_w,
            draw_problems(ProblemKind::inference, table, 1, 4)[0].budgets.power_w);
}

TEST(PopulationEvaluation, SumsUpByKindAndNamesTheWorst) {
  const std::vector<WorkloadTable> tables = {clock_table("a__1", Phase::train, {16}),
                                             clock_table("a__2", Phase::train, {16}),
                                             clock_table("b__3", Phase::train, {16})};
  const auto found = evaluate_search_population(sweep_of(ProblemKind::training), tables, 20);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->kinds.size(), 6u);  // two strategies × all, a, b
  ASSERT_EQ(found->cases.size(), 3 * 2 * 20u);
  EXPECT_EQ(found->cases.front().tables, tables.front().title());
  EXPECT_EQ(found->cases.back().tables, tables.back().title());
  for (const SearchKindRow& row : found->kinds) {
    EXPECT_EQ(row.tables, row.kind == "all" ? 3u : row.kind == "a" ? 2u : 1u);
    EXPECT_EQ(row.solvable, 20 * row.tables);
    if (row.strategy != "brute-force") {
      EXPECT_LT(row.solved, row.solvable);  // MAXN draws more than most budgets
      continue;
    }
    EXPECT_EQ(row.solved, row.solvable);
    EXPECT_NEAR(row.mean_excess_pct, 0, 1e-9);
    EXPECT_FALSE(row.worst_table.empty());
  }
}

TEST(PopulationEvaluation, RefusesProblemsOfTwoRoles) {
  const auto rows = evaluate_search_population(sweep_of(ProblemKind::concurrent), {}, 5);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code, Code::invalid_argument);
}

/// Notes who taught it what, and predicts as `gp` does.
class Listening : public Predictor {
 public:
  using Heard = std::map<std::string, std::set<std::string>>;  // references by workload
  explicit Listening(Heard& heard) : heard_(heard), own_(*make_predictor("gp")) {}
  std::string name() const override { return "listening"; }
  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable> references,
             const FitOptions& options) override {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    auto& heard = heard_[measured.workload];
    for (const WorkloadTable& reference : references) heard.insert(reference.workload);
    return own_->fit(measured, {}, options);
  }
  Result<Prediction> predict(const Space& space) const override { return own_->predict(space); }

 private:
  Heard& heard_;
  std::unique_ptr<Predictor> own_;
};

TEST(PopulationEvaluation, ReferencesReachEveryTableButThemselves) {
  const std::vector<WorkloadTable> tables = {clock_table("a__1", Phase::train, {16}),
                                             clock_table("b__2", Phase::train, {16})};
  Listening::Heard heard;
  SearchSweep sweep = sweep_of(ProblemKind::training);
  sweep.strategies = {"flyball"};
  sweep.references = {tables[0], clock_table("earlier", Phase::train, {16})};
  sweep.options.profile_budget = 4;
  sweep.options.make_predictor = [&] { return std::make_unique<Listening>(heard); };
  ASSERT_TRUE(evaluate_search_population(sweep, tables, 3).ok());
  EXPECT_EQ(heard["a__1"], std::set<std::string>{"earlier"});
  EXPECT_EQ(heard["b__2"], (std::set<std::string>{"a__1", "earlier"}));
}

TEST(References, GiveASearchedTableAwayWithAllOfItsRows) {
  const WorkloadTable table = clock_table("a__1", Phase::train, {16});
  EXPECT_TRUE(gives_away(table, table));
  WorkloadTable renamed = table, slower = table;
  renamed.workload = "other";
  EXPECT_TRUE(gives_away(renamed, table)) << "the rows are the same";
  const std::array<size_t, 3> few = {0, 1, 3};
  EXPECT_TRUE(gives_away(table, take_rows(table, few))) << "all that is asked stands in it";
  EXPECT_FALSE(gives_away(take_rows(table, few), table));
  slower.minibatch_ms[2] *= 1.01;  // another day's measurements
  EXPECT_FALSE(gives_away(slower, table));
  EXPECT_FALSE(gives_away(clock_table("b__2", Phase::train, {4}), table));
}

TEST(PopulationEvaluation, ATableIsNotPredictedFromItself) {
  PredictEvaluation evaluation;
  evaluation.predictors = {"transfer-gp"};
  evaluation.modes = {3};
  evaluation.runs = 1;
  const std::vector<WorkloadTable> tables = {clock_table("a__1", Phase::train, {16})};
  const auto alone = evaluate_predict_population(evaluation, tables);
  evaluation.references = tables;
  const auto taught = evaluate_predict_population(evaluation, tables);
  ASSERT_TRUE(alone.ok() && taught.ok());
  EXPECT_EQ((*alone)[0].time_median, (*taught)[0].time_median);
}

TEST(PopulationEvaluation, PredictsEveryTable) {
  PredictEvaluation evaluation;
  evaluation.predictors = {"gp"};
  evaluation.modes = {8};
  evaluation.runs = 2;
  const auto rows = evaluate_predict_population(
      evaluation,
      {clock_table("a__1", Phase::train, {16}), clock_table("b__2", Phase::train, {16})});
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 3u);
  EXPECT_EQ((*rows)[0].kind, "all");
  EXPECT_EQ((*rows)[0].tables, 2u);
  EXPECT_GE((*rows)[0].time_worst, (*rows)[0].time_median);
  EXPECT_LT((*rows)[0].time_median, 30);
}

}  // namespace
}  // namespace flyball
