#include "twin/board_at_work.h"

#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

const std::vector<WorkStage> stages = {{.network = "resnet18", .seconds = 4}, {.seconds = 2}};

BoardAtWork working(WorkOptions options = {}) {
  return {find_twin_board("orin_nano").value(), stages, std::move(options)};
}

TEST(BoardAtWork, StagesFollowEachOtherOnItsClock) {
  BoardAtWork work = working();
  for (const double at_s : {0.0, 3.9, 4.0, 5.9, 6.0, 9.99, 10.0}) {
    const auto piece = work.at(at_s);
    ASSERT_TRUE(piece.ok()) << piece.error().message;
    EXPECT_GT(piece->end_s, at_s);
    const bool trains = std::fmod(at_s, 6) < 4;
    EXPECT_EQ(work.stage().network.empty(), !trains) << at_s;
    EXPECT_EQ(work.memory_bytes() > 0, trains);
    EXPECT_EQ(piece->gpu_busy > 0, trains);
    EXPECT_EQ(work.stage_number(), static_cast<size_t>(at_s / 6) * 2 + (trains ? 0 : 1));
  }
}

TEST(BoardAtWork, PiecesHangTogetherAndItDrawsMoreAtWork) {
  BoardAtWork work = working();
  double at_s = 0, training_j = 0, resting_j = 0;
  while (at_s < 12) {
    const auto piece = work.at(at_s);
    ASSERT_TRUE(piece.ok());
    ASSERT_GT(piece->end_s, at_s);
    const double joules = twin_power(work.board(), piece->rail_w).module_w * (piece->end_s - at_s);
    (work.stage().network.empty() ? resting_j : training_j) += joules;
    at_s = piece->end_s;
  }
  EXPECT_EQ(at_s, 12);
  EXPECT_GT(training_j / 8, 1.5 * resting_j / 4);
}

TEST(BoardAtWork, AStageThatBeginsAnewHasTheModeThatIsNamedThen) {
  const auto board = find_twin_board("orin_nano").value();
  PowerMode mode;
  for (const Axis& axis : board.axes) mode.values[axis.name] = axis.values.back();
  BoardAtWork work = working({.mode = [&mode](size_t) { return mode; }});
  const double fast = work.at(1)->gpu_mhz;
  mode.values[axis::gpu_mhz] = find_axis(board.axes, axis::gpu_mhz)->values.front();
  work.restart(1);
  const auto piece = work.at(1);
  ASSERT_TRUE(piece.ok()) << piece.error().message;
  EXPECT_LT(piece->gpu_mhz, fast);
  EXPECT_EQ(work.stage_number(), 0u);
  EXPECT_EQ(work.stage_begin_s(), 1);
}

TEST(BoardHeat, ComesNearWhatThePowerMakesOfIt) {
  const auto board = find_twin_board("orin_nano").value();
  TwinRailPower rail_w{};
  rail_w[0] = 10;
  BoardHeat at_once, slowly;
  at_once.follow(board, rail_w, 100 * board.constants.thermal_s);
  for (int i = 0; i < 100; ++i) slowly.follow(board, rail_w, board.constants.thermal_s);
  EXPECT_NEAR(at_once.celsius(), slowly.celsius(), 1e-6);
  EXPECT_NEAR(
      at_once.celsius(),
      BoardHeat::ambient_c + board.constants.thermal_c_per_w * twin_power(board, rail_w).module_w,
      1e-6);
}

}  // namespace
}  // namespace flyball
