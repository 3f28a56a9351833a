#include "tune/planned_mode.h"

#include <gmock/gmock.h>

#include "profile/trials/table_profiler.h"
#include "tune/live_table_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

SharedBoard two_roles() {
  std::vector<std::unique_ptr<Profiler>> profilers;
  for (const char* name : {"a", "b"})
    profilers.push_back(make_table_profiler(testing_live::smooth_table(name, {1, 4})));
  return share_board(std::move(profilers)).value();
}

TEST(PlannedMode, IsThatOfTheChosenCandidate) {
  const SharedBoard board = two_roles();
  Answer answer;
  answer.choice = {3, 5};
  const PowerMode mode = planned_mode(board, answer);
  EXPECT_EQ(mode.values, board.candidates->space(0).trial(3, "", Phase::train).mode.values);
  EXPECT_FALSE(mode.values.empty());
  EXPECT_EQ(mode.values.count("batch_size"), 0u);
}

TEST(PlannedMode, OfSeparateModesThereIsNoSingleOne) {
  Request request;
  EXPECT_TRUE(check_one_mode(request).ok());
  request.separate_modes = true;
  EXPECT_THAT(check_one_mode(request).error().message, HasSubstr("no single one"));
}

TEST(PlannedMode, OnlyABoardThatWasMeasuredHereHasKnobs) {
  ProfilerInfo board;
  board.device_title = "Nano";
  EXPECT_TRUE(check_has_knobs(board).ok());
  board.provenance = Provenance::simulated;
  board.live = true;
  EXPECT_THAT(check_has_knobs(board).error().message, HasSubstr("Nano: there is no board"));
  board.provenance = Provenance::table;
  EXPECT_THAT(check_has_knobs(board).error().message, HasSubstr("a table has no knobs"));
}

TEST(PlannedMode, PairsAreCountedWhereEachRoleHasItsOwnMode) {
  SharedBoard board = two_roles();
  Request request;
  request.separate_modes = true;
  EXPECT_TRUE(check_pairs(request, board).ok());
  for (MeasuredRole& role : board.roles) role.config.resize(20'000);
  EXPECT_THAT(check_pairs(request, board).error().message, HasSubstr("400000000 pairs"));
  request.separate_modes = false;
  EXPECT_TRUE(check_pairs(request, board).ok());
}

}  // namespace
}  // namespace flyball
