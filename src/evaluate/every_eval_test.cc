#include "evaluate/every_eval.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "base/json.h"
#include "evaluate/drawn_problems.h"
#include "evaluate/tables_testing.h"
#include "problem/exact.h"

namespace flyball {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

EverySweep small_sweep() {
  EverySweep sweep;
  sweep.tables = {clock_table("net", Phase::train, {16}), clock_table("a", Phase::infer, {1, 4}),
                  clock_table("b", Phase::infer, {1, 4}), clock_table("far", Phase::train, {16})};
  sweep.tables.back().device = "elsewhere";
  sweep.strategies = {"brute-force", "maxn"};
  sweep.options.profile_budget = 1000;
  sweep.limit = 12;
  return sweep;
}

const EveryRow* find_row(const EveryEvaluation& evaluation, const std::string& strategy,
                         const std::string& kind, const std::string& tables = "") {
  for (const EveryRow& row : evaluation.rows)
    if (row.strategy == strategy && row.kind == kind && row.tables == tables) return &row;
  return nullptr;
}

TEST(EveryEval, EachKindIsPosedOverEachTableAndEachPairOfABoard) {
  const EveryEvaluation found = evaluate_every(small_sweep()).value();
  EXPECT_EQ(found.tables, 4u);
  EXPECT_EQ(found.configurations, 20u + 40 + 40 + 20);
  EXPECT_EQ(found.problems, 5u * 12);
  std::map<std::string, std::vector<std::string>> tables;
  size_t solvable = 0;
  for (const EveryRow& row : found.rows) {
    if (row.strategy != "maxn" || row.tables.empty()) continue;
    tables[row.kind].push_back(row.tables);
    solvable += row.solvable;
  }
  EXPECT_THAT(tables["training"], ElementsAre("net train on board", "far train on elsewhere"));
  EXPECT_THAT(tables["inference"], ElementsAre("a infer on board", "b infer on board"));
  EXPECT_THAT(tables["concurrent"],
              ElementsAre("net train, a infer on board", "net train, b infer on board"));
  EXPECT_THAT(tables["two-inference"], ElementsAre("a infer, b infer on board"));
  EXPECT_EQ(tables["dynamic"], tables["concurrent"]);
  EXPECT_EQ(found.solvable, solvable);
  EXPECT_GT(found.solvable, 30u);
}

TEST(EveryEval, WhoMeasuresAllIsSatisfiedWithTheBest) {
  const EveryEvaluation found = evaluate_every(small_sweep()).value();
  for (const char* kind : {"", "training", "inference", "concurrent", "two-inference", "dynamic"}) {
    const EveryRow* row = find_row(found, "brute-force", kind);
    ASSERT_NE(row, nullptr) << kind;
    EXPECT_GT(row->solvable, 0u) << kind;
    EXPECT_EQ(row->satisfied, row->solvable) << kind;
    EXPECT_EQ(row->satisfied_pct(), 100) << kind;
    EXPECT_NEAR(row->mean_distance_pct, 0, 1e-9) << kind;
    // The highest mode alone breaks power limits, and loses nothing where it does not.
    const EveryRow* maxn = find_row(found, "maxn", kind);
    EXPECT_LT(maxn->satisfied, maxn->solvable) << kind;
    EXPECT_LT(maxn->mean_profiles, row->mean_profiles) << kind;
  }
  EXPECT_EQ(find_row(found, "brute-force", "training")->max_profiles, 20);
  EXPECT_TRUE(find_row(found, "maxn", "dynamic")->tables.empty());
}

TEST(EveryEval, TheLimitHoldsWhateverTheNumberOfTables) {
  EverySweep sweep = small_sweep();
  sweep.limit = 1;
  sweep.strategies = {"brute-force"};
  const auto found = evaluate_every(sweep);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->problems, 5u);
  sweep.options.seed = 2;
  std::set<size_t> seen;
  sweep.progress = [&](size_t done, size_t all) {
    seen.insert(done);
    EXPECT_EQ(all, 5u);
  };
  ASSERT_TRUE(evaluate_every(sweep).ok());
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5));
}

TEST(EveryEval, TablesThatShareNoModeAreTold) {
  EverySweep sweep = small_sweep();
  for (const size_t one : {1u, 2u}) {
    WorkloadTable other = clock_table(one == 1 ? "a" : "b", Phase::infer, {1, 4});
    other.space =
        Space({named_axis(axis::batch_size), named_axis(axis::cpu_mhz), named_axis(axis::gpu_mhz)});
    other.minibatch_ms.clear();
    other.power_w.clear();
    other.add(std::array{1.0, 777.0, 333.0}, 10, 9);
    sweep.tables[one] = other;
  }
  const auto found = evaluate_every(sweep);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->failures.size(), 4u);
  EXPECT_THAT(found->failures[0].text(),
              StartsWith("6 concurrent problems of net train, a infer on board could not be posed: "
                         "the workloads have no power mode in common"));
  EXPECT_EQ(found->problems, 5u * 12);
  EXPECT_EQ(found->unposed, 6u + 6 + 6 + 6);
  EXPECT_EQ(find_row(*found, "maxn", "dynamic"), nullptr);
}

/// A search of `flyball` cannot even begin without a predictor.
TEST(EveryEval, SearchesThatBreakOffAreCountedAndTold) {
  EverySweep sweep = small_sweep();
  sweep.strategies = {"maxn", "flyball"};
  const EveryEvaluation found = evaluate_every(sweep).value();
  for (const char* kind : {"", "training", "inference", "concurrent", "two-inference", "dynamic"}) {
    const EveryRow* row = find_row(found, "flyball", kind);
    ASSERT_NE(row, nullptr) << kind;
    EXPECT_GT(row->failed, 0u) << kind;
    EXPECT_EQ(row->failed, row->solvable) << kind;
    EXPECT_EQ(row->satisfied, 0u) << kind;
    EXPECT_EQ(find_row(found, "maxn", kind)->failed, 0u) << kind;
  }
  size_t count = 0;
  for (const EveryFailure& one : found.failures) {
    count += one.count;
    EXPECT_EQ(one.strategy, "flyball");
    EXPECT_THAT(one.text(), HasSubstr("was given no predictor"));
  }
  EXPECT_EQ(count, found.solvable);
}

TEST(EveryEval, WhereEverySearchBreaksOffThatIsTheError) {
  EverySweep sweep = small_sweep();
  sweep.strategies = {"flyball"};
  const auto found = evaluate_every(sweep);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().code, Code::infeasible);
  EXPECT_THAT(found.error().message,
              AllOf(StartsWith("no search came to an end: "), HasSubstr("training problems"),
                    HasSubstr("was given no predictor")));
}

TEST(EveryEval, StrategiesAreChecked) {
  EverySweep sweep = small_sweep();
  sweep.strategies = {"exact"};
  EXPECT_THAT(evaluate_every(sweep).error().message, HasSubstr("searches nothing"));
  sweep.strategies = {"nobody"};
  EXPECT_THAT(evaluate_every(sweep).error().message, HasSubstr("nobody"));
  sweep.strategies = {"maxn", "maxn"};
  EXPECT_THAT(evaluate_every(sweep).error().message, HasSubstr("named twice"));
  sweep.strategies = {"maxn"};
  sweep.tables.clear();
  EXPECT_THAT(evaluate_every(sweep).error().message, HasSubstr("none of the tables"));
}

TEST(DrawnProblems, PairsAreWithinReachInOneMode) {
  const WorkloadTable a = clock_table("a", Phase::infer, {1, 4}),
                      b = clock_table("b", Phase::infer, {1, 4});
  const auto candidates =
      std::make_shared<const Candidates>(Candidates::link({a.space, b.space}).value());
  const std::array<const WorkloadTable*, 2> tables = {&a, &b};
  const Readings readings = readings_of(*candidates, tables).value();
  for (const ProblemKind kind : {ProblemKind::concurrent, ProblemKind::two_inference}) {
    const auto drawn = draw_pair_problems(kind, *candidates, readings, 40, 7);
    ASSERT_EQ(drawn.size(), 40u);
    for (ProblemSpec spec : drawn) {
      EXPECT_GE(spec.budgets.power_w, 5);
      EXPECT_LE(spec.budgets.power_w, 17);
      spec.budgets = {};  // time alone
      const Problem problem = make_problem(kind, candidates, {role_of(a), role_of(b)}, spec);
      EXPECT_TRUE(solve(problem, readings).outcome.feasible) << spec.rate_hz;
    }
  }
}

TEST(DrawnProblems, WindowsStayBelowTheirRate) {
  ProblemSpec spec;
  spec.rate_hz = 100;
  const auto windows = draw_windows(spec, 3);
  ASSERT_EQ(windows.size(), 6u);
  for (const RateWindow& window : windows) {
    EXPECT_GE(window.rate_hz, 30);
    EXPECT_LE(window.rate_hz, 100);
    EXPECT_GE(window.seconds, 300);
    EXPECT_LE(window.seconds, 1200);
  }
  EXPECT_NE(windows[0].rate_hz, draw_windows(spec, 4)[0].rate_hz);
}

}  // namespace
}  // namespace flyball
