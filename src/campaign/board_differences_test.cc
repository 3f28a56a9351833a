#include "campaign/board_differences.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace flyball {
namespace {

Json measured(double ms, double watts) {
  return {{"measured", Json::array({{{"config", {{"gpu_mhz", 600}}},
                                     {"minibatch_ms", ms},
                                     {"power_w", watts},
                                     {"provenance", "simulated"}}})}};
}

CellAnswer cell(const std::string& board) {
  CellAnswer answer;
  answer.board = board;
  answer.kind = "orin_nano";
  answer.question = "tune";
  return answer;
}

TEST(BoardDifferences, AreThoseOfEqualConfigurations) {
  BoardDifferences differences;
  differences.add(cell("a"), measured(100, 10));
  differences.add(cell("b"), measured(110, 10));
  const auto all = differences.all();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].boards, 2u);
  EXPECT_EQ(all[0].configurations, 1u);
  EXPECT_NEAR(*all[0].time_cv, 7.071 / 105, 1e-4);
  EXPECT_NEAR(*all[0].energy_cv, 7.071 / 105, 1e-4);
  EXPECT_EQ(all[0].provenance, "simulated");
  EXPECT_TRUE(all[0].outliers.empty());
}

TEST(BoardDifferences, TheOddBoardIsNamed) {
  BoardDifferences differences;
  for (int i = 0; i < 9; ++i)
    differences.add(cell(fmt::format("b{}", i)), measured(100 + 0.2 * i, 10));
  differences.add(cell("slow"), measured(125, 10));
  const auto all = differences.all();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].outliers.size(), 1u);
  EXPECT_EQ(all[0].outliers[0].board, "slow");
  EXPECT_NEAR(all[0].outliers[0].time_pct, 24, 1.5);
}

// As `fleet show` counts them.
TEST(BoardDifferences, WhatWasThrottledOrDisturbedIsLeftOut) {
  for (const auto& [why, told] : {std::pair("throttled", Json(true)), {"disturbed", "process 7"}}) {
    BoardDifferences differences;
    Json slowed = measured(200, 10);
    slowed["profiled"] = Json::array({{{"config", {{"gpu_mhz", 600}}}, {why, told}}});
    Json sound = measured(100, 10);
    sound["profiled"] = Json::array({{{"config", {{"gpu_mhz", 600}}}, {why, nullptr}}});
    differences.add(cell("a"), sound);
    differences.add(cell("b"), slowed);
    EXPECT_TRUE(differences.all().empty()) << why;
    differences.add(cell("c"), sound);
    ASSERT_EQ(differences.all().size(), 1u) << why;
    EXPECT_EQ(differences.all()[0].time_cv, 0) << why;
  }
}

TEST(BoardDifferences, WhatIsNoMeasurementIsLeftOut) {
  BoardDifferences differences;
  const Json unusable = Json::parse(R"({"measured": [{"minibatch_ms": null}, {}]})");
  differences.add(cell("a"), measured(100, 10));
  differences.add(cell("b"), unusable);
  differences.add(cell("c"), Json());
  EXPECT_TRUE(differences.all().empty()) << "only one of them measured";
}

TEST(BoardDifferences, WhatIsMeasuredInOtherWaysIsNotCompared) {
  BoardDifferences differences;
  const auto of = [](const char* provenance, const char* total, double watts) {
    Json answer = measured(100, watts);
    answer["measured"][0]["provenance"] = provenance;
    answer["device"] = {{"power_total", total}};
    return answer;
  };
  differences.add(cell("a"), of("measured", "module", 10));
  differences.add(cell("b"), of("measured", "wall plug", 20));
  differences.add(cell("c"), of("simulated", "module", 30));
  Json unnamed = of("measured", "", 10);
  unnamed["device"]["power_total"] = nullptr;
  differences.add(cell("d"), unnamed);
  const auto all = differences.all();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].boards, 4u);
  EXPECT_EQ(all[0].configurations, 0u);
  EXPECT_FALSE(all[0].energy_cv);
}

}  // namespace
}  // namespace flyball
