#include "compare/board_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double minibatches = 100;

/// Of seconds of an epoch and watts.
BoardFigures epoch_figures(double seconds, double watts) {
  BoardFigures one;
  one.minibatches = minibatches;
  one.known.minibatch_ms = seconds * 1e3 / minibatches;
  one.known.power_w = watts;
  return one;
}

ComparedBoard one_board(const std::string& name, std::vector<BoardFigures> of) {
  return {.name = name, .title = name, .figures = std::move(of)};
}

const std::vector<ComparedNetwork> two = {{"a", 1600}, {"b", 1600}};

PriceList prices() {
  return {"p.toml",
          "USD",
          5,
          0.15,
          {{"quick", {1000, "USD"}, "2024-01", "", "told"},
           {"thrifty", {100, "USD"}, "2024-01", "", "told"}}};
}

std::vector<ComparedBoard> boards() {
  return {one_board("quick", {epoch_figures(10, 100), epoch_figures(20, 120)}),
          one_board("thrifty", {epoch_figures(40, 5), epoch_figures(90, 6)}),
          one_board("no_power", {epoch_figures(5, NAN), epoch_figures(5, NAN)})};
}

BoardChoice choose(const BoardLimits& limits, BoardObjective objective) {
  const auto choice = choose_board(boards(), two, prices(), limits, objective);
  EXPECT_TRUE(choice.ok());
  return *choice;
}

TEST(BoardChoice, IsTheBestOfThoseThatKeepEveryLimit) {
  EXPECT_EQ(choose({}, BoardObjective::time).board, 2u);
  EXPECT_EQ(choose({}, BoardObjective::energy).board, 1u);
  EXPECT_EQ(choose({}, BoardObjective::price).board, 1u);
  EXPECT_EQ(choose({.deadline_s = 30}, BoardObjective::energy).board, 0u);
  EXPECT_EQ(choose({.power_w = 10}, BoardObjective::time).board, 1u);
  EXPECT_EQ(choose({.board_price = Money{500, "USD"}}, BoardObjective::time).board, 1u);
  EXPECT_DOUBLE_EQ(choose({.power_w = 200}, BoardObjective::time).value, std::sqrt(10.0 * 20));
}

TEST(BoardChoice, SaysByWhatEachBoardMissesALimit) {
  const BoardChoice choice = choose({.deadline_s = 30, .power_w = 50}, BoardObjective::time);
  EXPECT_FALSE(choice.board);
  EXPECT_THAT(choice.misses[0], ElementsAre("power of b: 120 W of 50 W"));
  EXPECT_THAT(choice.misses[1], ElementsAre("epoch of b: 90 s of 30 s"));
  EXPECT_THAT(choice.misses[2], ElementsAre("power of a is not known"));
}

// What is missing is named, not what cannot be told without it.
TEST(BoardChoice, NamesWhatIsNotKnown) {
  const BoardLimits dear{.epoch_price = Money{1, "USD"}};
  EXPECT_THAT(choose(dear, BoardObjective::time).misses[2], ElementsAre("power of a is not known"));
  EXPECT_THAT(choose({}, BoardObjective::price).misses[2], Contains("power of a is not known"));
  std::vector<ComparedBoard> some = boards();
  some[0].figures[0].minibatches = 0;
  some[1].name = "unpriced";
  const auto choice = choose_board(some, two, prices(), dear, BoardObjective::time);
  ASSERT_TRUE(choice.ok());
  EXPECT_THAT(choice->misses[0],
              ElementsAre("the samples of an epoch of a are not known (--samples)"));
  EXPECT_THAT(choice->misses[1], ElementsAre("its list price is not known"));
}

TEST(BoardChoice, OfABoardThatCannotRunANetworkThereIsNone) {
  std::vector<ComparedBoard> one = {one_board("small", {epoch_figures(1, 1), {}})};
  one[0].figures[1].missing = "does not fit: needs 9 of 8 GB";
  const auto choice = choose_board(one, two, prices(), {}, BoardObjective::time);
  ASSERT_TRUE(choice.ok());
  EXPECT_FALSE(choice->board);
  EXPECT_THAT(choice->misses[0], ElementsAre("b: does not fit: needs 9 of 8 GB"));
}

TEST(BoardChoice, PricesAreOfOneCurrency) {
  const auto choice =
      choose_board(boards(), two, prices(), {.epoch_price = Money{1, "EUR"}}, BoardObjective::time);
  ASSERT_FALSE(choice.ok());
  EXPECT_THAT(choice.error().message, HasSubstr("EUR"));
}

// Whatever the figures are.
TEST(BoardChoice, ARelaxedLimitNeverWorsensIt) {
  Random random(7);
  const auto drawn = [&](double least, double most) {
    return least * std::pow(most / least, random.uniform());
  };
  size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<ComparedBoard> some;
    for (const char* name : {"quick", "thrifty", "third"})
      some.push_back(one_board(name, {epoch_figures(drawn(1, 1000), drawn(1, 300)),
                                      epoch_figures(drawn(1, 1000), drawn(1, 300))}));
    BoardLimits tight{.deadline_s = drawn(10, 2000), .power_w = drawn(5, 400)};
    if (round % 2) tight.energy_j = drawn(100, 1e5);
    if (round % 3 == 0) tight.epoch_price = Money{drawn(1e-5, 1), "USD"};
    BoardLimits relaxed = tight;
    *relaxed.deadline_s *= drawn(1, 3);
    *relaxed.power_w *= drawn(1, 3);
    if (relaxed.energy_j) *relaxed.energy_j *= drawn(1, 3);
    if (round % 5 == 0) relaxed.power_w.reset();
    for (const BoardObjective objective :
         {BoardObjective::time, BoardObjective::energy, BoardObjective::price}) {
      const auto before = choose_board(some, two, prices(), tight, objective);
      const auto after = choose_board(some, two, prices(), relaxed, objective);
      ASSERT_TRUE(before.ok() && after.ok());
      if (!before->board) continue;
      ++found;
      ASSERT_TRUE(after->board);
      EXPECT_LE(after->value, before->value);
      EXPECT_THAT(after->misses[*before->board], IsEmpty());
    }
  }
  EXPECT_GT(found, 50u);
}

}  // namespace
}  // namespace flyball
