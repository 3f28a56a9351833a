#include "evaluate/optimise_eval.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/json.h"
#include "evaluate/budget_choice.h"

namespace flyball {
namespace {

// Five modes: faster ones draw more.
WorkloadTable five() {
  WorkloadTable table;
  table.workload = "five";
  table.device = "board";
  table.space = Space({named_axis("gpu_mhz")});
  const std::array<double, 5> times = {50, 40, 30, 20, 10}, powers = {10, 12, 14, 18, 25};
  for (size_t i = 0; i < 5; ++i)
    table.add(std::array<double, 1>{100.0 * static_cast<double>(i + 1)}, times[i], powers[i]);
  return table;
}

TEST(BudgetProblem, ScoresTheFourMetrics) {
  const WorkloadTable table = five();
  const BudgetProblem problem(table, {9, 12, 15, 20});
  EXPECT_EQ(problem.solvable(), 3u);
  EXPECT_EQ(problem.maxn(), 4u);
  // 9 W cannot be met; right at 12 W; 18 W at 15 W; too slow at 20 W.
  const BudgetScore score = problem.score({{{0}, 0}, {{1}, 0}, {{3}, 0}, {{2}, 0}});
  EXPECT_EQ(score.solvable, 3u);
  EXPECT_EQ(score.exceeded, 1u);
  EXPECT_NEAR(score.al_pct, 100.0 / 3, 1e-9);
  EXPECT_NEAR(score.al1_pct, 100.0 / 3, 1e-9);
  // Excess 0, 0, 3, 0 W at 9, 12, 15, 20 W.
  EXPECT_NEAR(score.area_w, (3 * 1.5 + 5 * 1.5) / 11, 1e-12);
  // 0 %, −33 %, +50 %.
  EXPECT_NEAR(score.raw_penalty.median, 0, 1e-9);
  EXPECT_NEAR(score.raw_penalty.q1, -100.0 / 6, 1e-9);
  EXPECT_NEAR(score.raw_penalty.q3, 25, 1e-9);
}

TEST(BudgetProblem, NothingChosenIsUnsolvedAndNotAPenalty) {
  const WorkloadTable table = five();
  const BudgetProblem problem(table, {12, 15});
  const BudgetScore score = problem.score({{{}, 0}, {{2}, 0}});
  EXPECT_EQ(score.unsolved, 1u);
  EXPECT_EQ(score.raw_penalty.median, 0);
  EXPECT_EQ(score.area_w, 0);
  const BudgetScore none = problem.score({{{}, 0}, {{}, 0}});
  EXPECT_EQ(none.unsolved, 2u);
  EXPECT_TRUE(std::isnan(none.raw_penalty.median) && std::isnan(none.robust_penalty.q3));
}

// One profiled mode of five: in most runs the best of it is above the budget.
TEST(Optimise, RunsThatChoseNothingHaveNoPenalty) {
  OptimiseEvaluation evaluation;
  evaluation.target = five();
  evaluation.budgets_w = {14};
  evaluation.modes = 1;
  evaluation.runs = 10;
  for (uint64_t seed = 1; seed < 4; ++seed) {
    evaluation.seed = seed;
    const auto report = evaluate_optimise(evaluation);
    ASSERT_TRUE(report.ok()) << report.error().message;
    const OptimiseRow& best = report->rows[1];
    EXPECT_GT(best.score.unsolved, 0u);
    std::vector<double> penalties;
    for (size_t run = 0; run < evaluation.runs; ++run) {
      const size_t mode =
          evaluation.choose_modes(five(), evaluation.design, evaluation.modes, run)->front();
      if (five().power_w[mode] <= 14)
        penalties.push_back(100 * (five().minibatch_ms[mode] / 30 - 1));
    }
    ASSERT_EQ(best.score.unsolved, evaluation.runs - penalties.size());
    EXPECT_NEAR(best.score.raw_penalty.median, median(penalties), 1e-9);
  }
  evaluation.target.power_w = {20, 20, 20, 20, 10};
  evaluation.runs = 1;
  size_t without = 0;
  for (uint64_t seed = 1; seed < 9; ++seed) {
    evaluation.seed = seed;
    const auto report = evaluate_optimise(evaluation);
    ASSERT_TRUE(report.ok()) << report.error().message;
    const bool chosen = report->rows[1].score.unsolved == 0;
    EXPECT_EQ(to_json(*report)["rows"][1]["time_penalty"].is_null(), !chosen);
    without += !chosen;
  }
  EXPECT_GT(without, 0u);
}

TEST(BudgetProblem, RobustOptimumLeavesSuspiciousReadingsOut) {
  WorkloadTable table = five();
  table.power_w[3] = 13;  // between neighbours at 14 and 25 W
  const BudgetProblem problem(table, {14});
  EXPECT_EQ(problem.suspicious_rows(), 1u);
  const BudgetScore score = problem.score({{{2}, 0}});
  EXPECT_NEAR(score.raw_penalty.median, 50, 1e-9);
  EXPECT_NEAR(score.robust_penalty.median, 0, 1e-9);
  EXPECT_EQ(problem.score({{{3}, 0}}).suspicious, 1u);
}

TEST(BudgetProblem, TimeIsPerSampleWhereTheBatchSizeVaries) {
  WorkloadTable table;
  table.space = Space({named_axis("batch_size")});
  table.add(std::array<double, 1>{1}, 10, 10);
  table.add(std::array<double, 1>{16}, 40, 10);
  const BudgetProblem problem(table, {12});
  EXPECT_NEAR(problem.score({{{0}, 0}}).raw_penalty.median, 300, 1e-9);
}

Posteriors posterior_of(const std::vector<double>& power) {
  const WorkloadTable table = five();
  return {table.minibatch_ms, power, std::vector<double>(5, 2), std::vector<bool>(5, false)};
}

TEST(BudgetChoice, KeepsAMarginForConfidence) {
  const Posteriors posteriors = posterior_of({10, 12, 14, 18, 25});
  EXPECT_EQ(choose_within(posteriors, 18, 0.5), 3u);
  EXPECT_EQ(choose_within(posteriors, 18, 0.95), 2u);  // 18 + 2 W are above, 14 + 2 W are not
  EXPECT_EQ(choose_within(posteriors, 17.9, 0.05), 3u);
  EXPECT_FALSE(choose_within(posteriors, 5, 0.5));
}

// As 1011.3 mW come to 1.0112999999999999 W: a row keeps a limit of its own power.
TEST(Budgets, ALimitThatLostItsLastDigitIsKept) {
  const double just = std::nextafter(18.0, 0);
  EXPECT_EQ(choose_within(posterior_of({10, 12, 14, 18, 25}), just, 0.5), 3u);
  const WorkloadTable table = five();
  const BudgetProblem problem(table, {just});
  const BudgetScore score = problem.score({{{3}, 0}});
  EXPECT_EQ(score.exceeded, 0u);
  EXPECT_EQ(score.area_w, 0);
  EXPECT_EQ(score.raw_penalty.median, 0);
}

// Believes that everything draws `factor` times what it does, and knows the times.
class Mistaken : public Predictor {
 public:
  explicit Mistaken(double factor) : factor_(factor) {}
  std::string name() const override { return "mistaken"; }
  Status fit(const WorkloadTable&, std::span<const WorkloadTable>, const FitOptions&) override {
    return {};
  }
  Result<Prediction> predict(const Space& space) const override {
    const WorkloadTable truth = five();
    Prediction all;
    for (size_t i = 0; i < space.size(); ++i) {
      const size_t row = *truth.space.find(space.row(i));
      add(all.minibatch_ms, truth.minibatch_ms[row]);
      add(all.power_w, factor_ * truth.power_w[row]);
    }
    all.extrapolated.assign(space.size(), false);
    return all;
  }

 private:
  static void add(Estimates& to, double value) {
    to.mean.push_back(value);
    to.lo90.push_back(0.9 * value);
    to.hi90.push_back(1.1 * value);
  }
  double factor_;
};

BudgetSearch ground(double factor, size_t profiles, const std::vector<size_t>& known = {}) {
  const WorkloadTable truth = five();
  BudgetSearch made;
  made.candidates = std::make_shared<Candidates>(*Candidates::link({truth.space}));
  made.role = role_of(truth);
  made.readings = *readings_of(*made.candidates, std::array{&truth});
  for (size_t row : known) made.options.known.push_back({0, row, made.readings[0][row]});
  made.options.profile_budget = profiles;
  made.options.make_predictor = [factor] { return std::make_unique<Mistaken>(factor); };
  return made;
}

TEST(BudgetChoice, ASearchNeverEndsAboveTheBudget) {
  // Everything is believed to draw 30 % too little: 18 W read at the fourth, 14 W at the third.
  const BudgetChoice choice = search_within(ground(0.7, 3, {0, 4}), 13);
  EXPECT_EQ(choice.config, 1u);
  EXPECT_EQ(choice.extra_profiles, 3u);
  // One reading does not suffice, and what was measured draws more: no answer rather than a wrong
  // one.
  EXPECT_FALSE(search_within(ground(0.7, 1, {3, 4}), 13).config);
  EXPECT_EQ(search_within(ground(0.7, 1, {0, 4}), 13).config, 0u);
}

TEST(BudgetChoice, ASearchGoesOnWhereThereIsMoreToGain) {
  // Everything is believed to draw 5 % too much: a first answer is right, and not the best.
  EXPECT_EQ(search_within(ground(1.05, 1, {0, 4}), 18).config, 2u);
  EXPECT_EQ(search_within(ground(1.05, 3, {0, 4}), 18).config, 3u);
}

TEST(BudgetChoice, WhatIsKnownCostsNothing) {
  const BudgetChoice choice = search_within(ground(1, 3, {0, 1, 2, 3, 4}), 18);
  EXPECT_EQ(choice.config, 3u);
  EXPECT_EQ(choice.extra_profiles, 0u);
}

TEST(Budgets, AreRangesOrLists) {
  const auto range = parse_budgets("17:50:1W");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->size(), 34u);
  EXPECT_EQ(range->front(), 17);
  EXPECT_EQ(range->back(), 50);
  EXPECT_EQ(parse_budgets("10:11:0.1W")->size(), 11u);
  EXPECT_EQ(*parse_budgets("20,30,45W"), (std::vector<double>{20, 30, 45}));
  EXPECT_EQ(*parse_budgets("800mW,2W,2.5W"), (std::vector<double>{0.8, 2, 2.5}));
  for (const char* bad : {"", "x", "30:20:1W", "1:2:0W", "1:2:-1W", "3,2W", "1:2:3:4W", "0W",
                          "1:1e9:1W", "1:2:1s", "W"})
    EXPECT_FALSE(parse_budgets(bad).ok()) << bad;
  EXPECT_EQ(parse_budgets("17:50:1").error().hint, "say 17:50:1W or 17:50:1mW");
}

}  // namespace
}  // namespace flyball
