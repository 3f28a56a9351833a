#include "space/like_boards.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

using Boards = std::vector<MinibatchOf>;

TEST(LikeBoards, IsOfEqualConfigurations) {
  LikeBoards comparison;
  const auto number = [](size_t board) { return std::to_string(board); };
  EXPECT_FALSE(comparison.spread(number).time_cv);
  comparison.add(Boards{{0, 100, 1}, {1, 110, 1.1}});
  comparison.add(Boards{{0, 100, 1}, {1, 100, 0}});
  comparison.add(Boards{{0, 50, 1}});
  const BoardsSpread spread = comparison.spread(number);
  EXPECT_EQ(spread.configurations, 2u) << "one board alone is compared with none";
  EXPECT_EQ(spread.boards, 2u);
  EXPECT_NEAR(*spread.max_time_cv, 7.071 / 105, 1e-4);
  EXPECT_NEAR(*spread.time_cv, 7.071 / 210, 1e-4);
  EXPECT_NEAR(*spread.energy_cv, 7.071 / 105, 1e-4) << "of those whose power is known";
  EXPECT_TRUE(spread.outliers.empty());
}

// A thousand configurations keep no more of a board than its median needs.
TEST(LikeBoards, NamesTheOddBoards) {
  LikeBoards comparison;
  for (int trial = 0; trial < 1000; ++trial) {
    Boards boards;
    for (size_t i = 0; i < 10; ++i)
      boards.push_back({i, 100 + 0.2 * static_cast<double>(i) + trial, 1});
    boards[3].ms *= 1.25;
    boards[7].joules = 0.8;
    if (trial % 10 == 0) boards[5].ms *= 3;  // now and then is not far
    comparison.add(boards);
  }
  const auto odd = comparison.far_boards();
  ASSERT_EQ(odd.size(), 2u);
  EXPECT_EQ(odd[0].board, 3u);
  EXPECT_NEAR(odd[0].time_pct, 25, 1);
  EXPECT_NEAR(odd[0].energy_pct, 0, 1e-6);
  EXPECT_EQ(odd[1].board, 7u);
  EXPECT_NEAR(odd[1].energy_pct, -20, 1e-4);
  const auto spread = comparison.spread([](size_t board) { return "b" + std::to_string(board); });
  EXPECT_EQ(spread.outliers[1].board, "b7");
}

}  // namespace
}  // namespace flyball
