#include "profile/trials/mode_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/temp_folder.h"
#include "device/host/board_device.h"
#include "device/host/board_trees_testing.h"

namespace flyball {
namespace {

TEST(ModeWatch, AClockThatDoesNotKeepItsModeIsNamed) {
  const TempFolder folder;
  const auto root = std::filesystem::canonical(folder.path()) / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const auto board = open_known_board(identify_board(root),
                                      {.root = root, .journal = folder / "state/board.journal"});
  const auto now = root / "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/cur_freq";
  const PowerMode mode{{{"gpu_mhz", 918}}};
  ASSERT_TRUE(board->apply(mode).ok());
  EXPECT_THAT(not_kept(*board, mode), testing::ElementsAre("gpu_mhz 918 reads 306"));
  EXPECT_GE(settle(*board, mode, 0.01), 0.1);  // it waits for the clock, but not for ever
  ASSERT_TRUE(write_file(now, "900000000\n").ok());
  EXPECT_TRUE(not_kept(*board, mode).empty());
  EXPECT_LT(settle(*board, mode, 0.01), 0.1);
  EXPECT_TRUE(not_kept(*board, {}).empty());
}

}  // namespace
}  // namespace flyball
