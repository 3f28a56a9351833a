#include "answers/figure_limit.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

namespace flyball {
namespace {

using testing::HasSubstr;

FigureLimit limit(const std::string& text, bool at_most) {
  return parse_figure_limit(text, at_most).value();
}

TEST(FigureLimit, TakesTimesEnergiesAndShares) {
  EXPECT_EQ(parse_figure_limit("ttft=500ms", true)->limit, 0.5);
  EXPECT_EQ(parse_figure_limit("ttft=500ms", true)->text(), "ttft ≤ 500 ms");
  EXPECT_EQ(parse_figure_limit("request_j=2kJ", true)->limit, 2000);
  EXPECT_EQ(parse_figure_limit("failed=1%", true)->limit, 0.01);
  EXPECT_EQ(parse_figure_limit("failed=1%", true)->text(), "failed ≤ 1 %");
  EXPECT_FALSE(parse_figure_limit("ttft=500W", true).ok());
  EXPECT_TRUE(is_worse("latency_p99", 2, 1, {}));
  EXPECT_TRUE(is_worse("throughput", 1, 2, {}));
}

TEST(FigureLimit, IsReadWithItsUnit) {
  EXPECT_EQ(limit("memory=2GB", true), (FigureLimit{"memory", 2e9, true}));
  EXPECT_EQ(limit("memory=1.5 GiB", true).limit, 1.5 * 1073741824);
  EXPECT_EQ(limit("memory=100B", true).limit, 100);
  EXPECT_EQ(limit("accuracy=0.7", false), (FigureLimit{"accuracy", 0.7, false}));
  EXPECT_EQ(limit("memory=2GB", true).text(), "memory ≤ 2 GB");
  EXPECT_EQ(limit("accuracy=0.7", false).text(), "accuracy ≥ 0.7");
  for (const char* wrong :
       {"", "memory", "=2GB", "memory=", "memory=much", "memory=2XB", "memory=nan", "memory=2",
        "memory=2s", "ttft=500", "ttft=2GB", "accuracy=0.7%", "a name of more than 23 bytes=1"}) {
    const auto parsed = parse_figure_limit(wrong, true);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_NE(parsed.error().hint, "") << wrong;
  }
}

TEST(FigureLimit, OfTheSlowdownIsAPercentage) {
  EXPECT_TRUE(limits_slowdown("slowdown=5%"));
  EXPECT_TRUE(limits_slowdown("slowdown"));
  EXPECT_FALSE(limits_slowdown("slowdowns=5"));
  EXPECT_DOUBLE_EQ(parse_slowdown("5%").value(), 1.05);
  EXPECT_DOUBLE_EQ(parse_slowdown(" 7.5 % ").value(), 1.075);
  EXPECT_EQ(parse_slowdown("0%").value(), 1);
  for (const char* wrong : {"", "%", "5", "0.05", "1.05x", "5%%", "nan%", "inf%", "-5%"}) {
    const auto parsed = parse_slowdown(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_NE(parsed.error().hint, "") << wrong;
  }
}

TEST(FigureLimit, TheWorstFigureCounts) {
  const std::vector<FigureLimit> limits = {limit("memory=2GB", true), limit("accuracy=0.8", false)};
  EXPECT_LT(excess_of({{"memory", 1e9}, {"accuracy", 0.9}}, limits), 0);
  EXPECT_EQ(excess_of({{"memory", 2e9}, {"accuracy", 0.9}}, limits), 0);  // just held
  EXPECT_DOUBLE_EQ(excess_of({{"memory", 3e9}, {"accuracy", 0.9}}, limits), 0.5);
  EXPECT_DOUBLE_EQ(excess_of({{"memory", 1e9}, {"accuracy", 0.4}}, limits), 1);
  EXPECT_TRUE(std::isinf(excess_of({{"memory", 1e9}}, limits)));
  EXPECT_EQ(excess_of({{"memory", 9e9}}, {}), 0);
  // A limit of 0, and values below it.
  EXPECT_GT(excess_of({{"drift", 0.5}}, std::vector{limit("drift=0", true)}), 0);
  EXPECT_LT(excess_of({{"drift", -0.5}}, std::vector{limit("drift=0", true)}), 0);
}

TEST(FigureLimit, RoundingBreaksNone) {
  const double reported = 1 - 0.01 * 32;
  ASSERT_LT(reported, 0.68);
  EXPECT_LE(excess_of({{"accuracy", reported}}, std::array{limit("accuracy=0.68", false)}), 0);
  EXPECT_GT(excess_of({{"accuracy", 0.6799}}, std::array{limit("accuracy=0.68", false)}), 0);
}

TEST(FigureLimit, WhatNoTrialHeldIsNamedWithTheNearest) {
  const std::vector<FigureLimit> limits = {limit("memory=2GB", true), limit("accuracy=0.8", false)};
  const std::vector<Figures> trials = {{{"memory", 1e9}, {"accuracy", 0.5}},
                                       {{"memory", 3e9}, {"accuracy", 0.75}}};
  EXPECT_EQ(unheld_limits(trials, limits), "accuracy ≥ 0.8: the nearest of 2 trials is 0.75");
  EXPECT_THAT(unheld_limits(std::vector<Figures>{{}}, limits), HasSubstr("no trial reported it"));
}

// Of one configuration the first trial held the limit, of the other the second.
TEST(FigureLimit, WhatNoConfigurationHoldsIsToldOfTheNearest) {
  const std::vector<FigureLimit> limits = {limit("failed=1%", true)};
  const auto trial = [](double failed) { return Figures{{"failed", failed}}; };
  const NearestToLimits nearest = nearest_to_limits(
      {{3, {trial(0.0), trial(0.05)}}, {5, {trial(0.04), trial(0.0)}}, {8, {trial(0.3)}}}, limits);
  EXPECT_EQ(nearest.config, 5u);
  EXPECT_EQ(nearest.text, "failed ≤ 1 %: 2 % in the median of its 2 trials");
  EXPECT_EQ(nearest_to_limits({{3, {trial(0.3)}}}, limits).text, "failed ≤ 1 %: 30 %");
  EXPECT_EQ(nearest_to_limits({{3, {trial(0.0)}}, {5, {trial(0.3)}}}, limits).text, "");
  // What reported nothing in two trials is not the nearest.
  EXPECT_EQ(nearest_to_limits({{3, {{}, {}}}, {5, {trial(0.3)}}}, limits).text,
            "failed ≤ 1 %: 30 %");
}

TEST(FigureLimit, WhichOfTwoIsWorseGoesByTheLimitElseTheName) {
  EXPECT_TRUE(is_worse("loss", 2.271, 2.205, {}));
  EXPECT_FALSE(is_worse("loss", 2.1, 2.205, {}));
  EXPECT_TRUE(is_worse("top1_accuracy", 0.6, 0.7, {}));
  EXPECT_FALSE(is_worse("lines", 3, 4, {}));
  const FigureLimit at_least{"lines", 1, false};
  EXPECT_TRUE(is_worse("lines", 3, 4, {&at_least, 1}));
}

}  // namespace
}  // namespace flyball
