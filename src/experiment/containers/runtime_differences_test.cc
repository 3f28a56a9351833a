#include "experiment/runtime_differences.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace flyball {
namespace {

// Logarithms of ratios of runs that scatter by 1 %.
std::vector<double> drawn(double ratio, int repeats, uint64_t seed) {
  Random random(seed);
  std::vector<double> logs;
  for (int i = 0; i < repeats; ++i) logs.push_back(std::log(ratio) + 0.01 * random.normal());
  return logs;
}

// How many of 200 draws come to this verdict.
int verdicts(DifferenceVerdict verdict, double ratio, int repeats, double within_pct = 3) {
  int found = 0;
  for (uint64_t seed = 0; seed < 200; ++seed)
    found += difference_of(drawn(ratio, repeats, seed), within_pct).verdict == verdict;
  return found;
}

TEST(RuntimeDifferences, EqualOnesAreSaidToBeEqual) {
  EXPECT_GT(verdicts(DifferenceVerdict::none, 1, 8), 190);
}

// The test errs in one of twenty draws at the margin itself.
TEST(RuntimeDifferences, WhatDiffersByTheMarginIsRarelySaidToBeEqual) {
  EXPECT_LE(verdicts(DifferenceVerdict::none, 1.03, 8), 20);
}

TEST(RuntimeDifferences, FivePercentAreFound) {
  EXPECT_GT(verdicts(DifferenceVerdict::higher, 1.05, 8), 195);
  EXPECT_GT(verdicts(DifferenceVerdict::lower, 1 / 1.05, 8), 195);
  const RelativeDifference d = difference_of(drawn(1.05, 8, 1), 3);
  EXPECT_NEAR(d.ratio, 1.05, 0.01);
  EXPECT_LT(d.low, d.ratio);
  EXPECT_GT(d.high, d.ratio);
  EXPECT_FALSE(d.more);
}

TEST(RuntimeDifferences, TooFewSayHowManyMore) {
  const std::vector<double> two = {-0.01, 0.03};
  const RelativeDifference d = difference_of(two, 3);
  EXPECT_EQ(d.verdict, DifferenceVerdict::unknown);
  ASSERT_TRUE(d.more);
  // A mean of 0.01, a deviation of 0.028 and a margin of 0.0296: half an interval of 0.0196 tells,
  // which t90(7) · 0.028 / √8 = 0.0189 is.
  EXPECT_EQ(*d.more, 6);
  EXPECT_GT(*difference_of(std::vector<double>{-0.1, 0.3}, 3).more, 10);
}

TEST(RuntimeDifferences, OneRepeatTellsNothing) {
  const RelativeDifference d = difference_of(std::vector<double>{0.2}, 3);
  EXPECT_EQ(d.verdict, DifferenceVerdict::unknown);
  EXPECT_FALSE(d.more);
  EXPECT_TRUE(std::isnan(d.low));
}

RunFigures run_of(const std::string& runtime, int repeat, double seconds) {
  RunFigures run;
  run.settings.runtime = runtime;
  run.repeat = repeat;
  run.start_ms = runtime == "bare" ? 1 : 8;
  run.epochs = {{.epoch = 0, .e2e_s = 100, .minibatches = 10},
                {.epoch = 1, .e2e_s = seconds, .compute_s = seconds, .minibatches = 10}};
  return run;
}

// A machine that gets slower from repeat to repeat slows both.
TEST(RuntimeDifferences, RepeatsAreComparedWithThemselves) {
  ExperimentResult result;
  result.spec.question = Question::containers;
  result.spec.repeats = 4;
  result.spec.vary = {{"runtime", {std::string("bare"), std::string("bwrap")}}};
  for (int repeat = 0; repeat < 4; ++repeat) {
    const double drift = 1 + repeat;
    result.runs.push_back(run_of("bwrap", repeat, 1.1 * drift));
    result.runs.push_back(run_of("bare", repeat, drift));
  }
  const auto groups = groups_of(result);
  const auto differences = runtime_differences(result.spec, groups);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].runtime, "bwrap");
  EXPECT_EQ(differences[0].start_ms, 8);
  ASSERT_EQ(differences[0].figures.size(), 2u) << "stall and energy are not known";
  EXPECT_EQ(differences[0].figures[0].figure, "minibatch_ms");
  EXPECT_NEAR(differences[0].figures[0].difference.low, 1.1, 1e-9);
  EXPECT_EQ(differences[0].figures[0].difference.verdict, DifferenceVerdict::higher);
  const auto findings = findings_of(result, groups);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].text,
            "bwrap: slower by 10.0 % in the time of a minibatch (90 %: +10.0 to +10.0 %, 4 "
            "repeats); an empty program takes 8 ms, bare 1 ms.");
  EXPECT_EQ(findings[0].as_expected, false);
}

}  // namespace
}  // namespace flyball
