#include "compare/board_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

BoardFigures figures(double ms, double watts) {
  BoardFigures one;
  one.minibatches = 100;
  one.known.minibatch_ms = ms;
  one.known.power_w = watts;
  return one;
}

/// resnet18 and lstm on a baseline, a quick board, and one on which lstm does not fit.
BoardComparison comparison() {
  BoardComparison all;
  all.question.networks = {compared_network("resnet18", 0), compared_network("lstm", 0)};
  all.boards = {{.name = "orin_agx",
                 .title = "Orin",
                 .power_total = "module",
                 .figures = {figures(60, 40), figures(10, 30)}},
                {.name = "rtx3090",
                 .title = "Card",
                 .power_total = "GPU",
                 .figures = {figures(30, 160), figures(2.5, 150)}},
                {.name = "rpi5",
                 .title = "Pi",
                 .power_total = "module",
                 .figures = {figures(6000, 6), BoardFigures()}}};
  all.boards[2].figures[1].memory = MemoryNeed{.needed_bytes = 9e9, .available_bytes = 8e9};
  all.boards[2].figures[1].missing = "does not fit: needs 9 of 8 GB";
  all.names = names_of(all.boards);
  all.prices = *read_prices("");
  all.published = *known_published_epochs();
  return all;
}

TEST(BoardComparison, SaysInOneSentenceWhatABoardIsToAnother) {
  BoardComparison all = comparison();
  ASSERT_TRUE(compare_boards(all).ok());
  EXPECT_THAT(all.ratios[0].text, HasSubstr("Orin: the baseline"));
  EXPECT_THAT(
      all.ratios[1].text,
      HasSubstr("Card: 2.8 × as fast as Orin (geometric mean over 2 networks, 2 to 4), 1.6 × "
                "the energy (1.2 to 2; power of GPU against module); published: 3.8 × as fast"));
  EXPECT_THAT(all.ratios[2].text, HasSubstr("Pi: two orders of magnitude slower than Orin (100 ×), "
                                            "15 × the energy; published: "));
  EXPECT_THAT(all.ratios[2].text, HasSubstr("lstm: does not fit: needs 9 of 8 GB"));
}

TEST(BoardComparison, AnotherBaselineTurnsTheRatiosRound) {
  BoardComparison all = comparison();
  all.baseline = 1;
  ASSERT_TRUE(compare_boards(all).ok());
  EXPECT_DOUBLE_EQ(all.ratios[0].speed->mean, 1 / std::sqrt(8.0));
  EXPECT_FALSE(all.ratios[1].speed);
  EXPECT_THAT(all.ratios[0].text, HasSubstr("Orin: takes 2.8 × as long as Card"));
}

TEST(BoardComparison, PublishedEpochsOfAnotherLengthAreNotSubtracted) {
  BoardComparison all = comparison();
  ASSERT_TRUE(compare_boards(all).ok());
  EXPECT_NEAR(all.published_difference_pct(0, 0), 100 * (6.0 / 186 - 1), 1e-9);
  EXPECT_TRUE(std::isnan(all.published_difference_pct(0, 1)));
  EXPECT_THAT(all.notes,
              Contains(HasSubstr("published epochs of lstm are not known to be as long")));
  all.question.batch_size = 32;  // nothing was published of it
  EXPECT_EQ(all.published_epoch(0, 0), nullptr);
}

// A simulated LSTM has the papers' 8 words, a trial Flyball's own 35.
TEST(BoardComparison, SamplesOfOneNetworkThatDifferAreSaid) {
  BoardComparison all = comparison();
  ASSERT_TRUE(compare_boards(all).ok());
  const auto unlike = HasSubstr("not of the same work");
  EXPECT_THAT(all.notes, Not(Contains(unlike)));
  all = comparison();
  all.boards[1].source = BoardSource::store;
  all.boards[1].figures[1].known.provenance = Provenance::measured;
  ASSERT_TRUE(compare_boards(all).ok());
  EXPECT_THAT(all.notes, Contains(AllOf(unlike, HasSubstr("lstm: "), HasSubstr("8 tokens"))));
  EXPECT_THAT(all.notes, Not(Contains(AllOf(unlike, HasSubstr("resnet18: ")))));
}

TEST(BoardComparison, WhatWasMeasuredStandsBeside) {
  BoardComparison all = comparison();
  all.measured = {{"orin_agx", "resnet18", 16, 4, 50}, {"rtx3090", "resnet18", 16, 4, 10}};
  ASSERT_TRUE(compare_boards(all).ok());
  EXPECT_NEAR(all.measured_difference_pct(0, 0), 20, 1e-9);
  EXPECT_TRUE(std::isnan(all.measured_difference_pct(0, 1)));
  EXPECT_THAT(all.ratios[1].text, HasSubstr("; measured: 5 × as fast"));
}

TEST(BoardComparison, ChoosesWhereItIsAskedTo) {
  BoardComparison all = comparison();
  ASSERT_TRUE(compare_boards(all).ok());
  EXPECT_FALSE(all.choice);
  EXPECT_EQ(all.choice_text(), "");
  all = comparison();
  all.chooses = true;
  all.objective = BoardObjective::energy;
  ASSERT_TRUE(compare_boards(all).ok());
  EXPECT_EQ(
      all.choice_text(),
      "Orin: 84.9 J an epoch (geometric mean over 2 networks), the lowest energy of the 2 boards "
      "that qualify");
  EXPECT_THAT(all.notes,
              Contains("the power totals cover different parts of the boards: GPU; module"));
  all = comparison();
  all.chooses = true;
  all.limits.power_w = 35;
  ASSERT_TRUE(compare_boards(all).ok());
  ASSERT_TRUE(all.infeasible);
  EXPECT_EQ(all.infeasible->code, Code::infeasible);
  EXPECT_EQ(all.infeasible->hint,
            "relax a limit, leave a network out, or name other boards; lower modes of a board are "
            "chosen by `flyball fleet choose` and `flyball tune`");
  EXPECT_THAT(all.choice->misses[0], ElementsAre("power of resnet18: 40 W of 35 W"));
}

TEST(BoardComparison, WhereNothingIsKnownOfBothThatIsSaid) {
  BoardComparison all = comparison();
  all.boards[1].figures[0] = all.boards[2].figures[1];
  all.baseline = 2;
  ASSERT_TRUE(compare_boards(all).ok());
  EXPECT_FALSE(all.ratios[1].speed);
  EXPECT_THAT(all.ratios[1].text, HasSubstr("Card: no network has figures both here and on Pi; "));
}

TEST(BoardComparison, OneBoardFromTwoSourcesHasTwoNames) {
  const std::vector<ComparedBoard> boards = {
      {.name = "a", .title = ""},
      {.name = "a", .title = "", .source = BoardSource::table},
      {.name = "b", .title = ""}};
  EXPECT_THAT(names_of(boards), ElementsAre("a (twin)", "a (table)", "b"));
}

TEST(BoardComparison, SimulatedBoardsWithANumberAreNotOneBoard) {
  const std::vector<ComparedBoard> boards = {{.name = "a", .title = ""},
                                             {.name = "a", .title = "", .individual = "board 2"}};
  EXPECT_FALSE(boards[0].is_of(boards[1]));
  EXPECT_THAT(names_of(boards), ElementsAre("a (twin)", "a (twin, board 2)"));
}

}  // namespace
}  // namespace flyball
