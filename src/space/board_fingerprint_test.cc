#include "space/board_fingerprint.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(BoardFingerprint, ReadsWhatItWrites) {
  const std::string board = "Jetson AGX Orin, 12 cores; Linux 5.15; L4T R36.4.3";
  for (const std::string& text :
       {board, board + "; network on cpu", board + "; network on cuda:0; GPU L4, driver 550"})
    EXPECT_EQ(BoardFingerprint::parse(text).text(), text);
  const auto cuda = BoardFingerprint::parse(board + "; network on cuda:0; GPU L4, driver 550");
  EXPECT_EQ(cuda.board, board);
  EXPECT_EQ(cuda.compute, "cuda:0");
  EXPECT_EQ(cuda.gpu, "L4, driver 550");
}

TEST(BoardFingerprint, ATrialIsOfItsBoardWhereverItComputes) {
  EXPECT_TRUE(same_board("a", "a"));
  EXPECT_TRUE(same_board("a; network on cuda:0; GPU L4", "a"));
  EXPECT_TRUE(same_board("a; network on cpu", "a; network on cpu"));
  EXPECT_FALSE(same_board("a; network on cpu", "a; network on cuda:0"));
  EXPECT_FALSE(same_board("a", "a; network on cpu")) << "which may be another board for it";
  EXPECT_FALSE(same_board("ab; network on cpu", "a"));
}

TEST(BoardFingerprint, SimulatedBoardsWithANumberAreOfOneMake) {
  const std::string kind = "twin of orin_nano, constants 00000000000000ab";
  const std::string one = individual_fingerprint(kind, 17, 255);
  EXPECT_EQ(one, kind + ", board 17 of constants 00000000000000ff");
  EXPECT_EQ(make_of(one), kind);
  EXPECT_EQ(individual_of(one), "board 17");
  EXPECT_EQ(make_of(kind), kind);
  EXPECT_EQ(individual_of(kind), "");
  EXPECT_EQ(make_of("Jetson, board 7"), "Jetson, board 7");
  EXPECT_EQ(individual_of("Jetson, board 7"), "");
}

}  // namespace
}  // namespace flyball
