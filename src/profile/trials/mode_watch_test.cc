#include "profile/trials/mode_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/temp_folder.h"
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
  EXPECT_LT(settle(*board, mode, 0.1), 1);
  EXPECT_TRUE(not_kept(*board, {}).empty());
  ASSERT_TRUE(write_file(now, "1300500000\n").ok());  // it is to fall, and has not yet
  EXPECT_THAT(not_kept(*board, mode), testing::ElementsAre("gpu_mhz 918 reads 1300.5"));
}

// What was asked and what was seen are numbers of the measurement.
TEST(ModeWatch, ClocksAreSeenWhileATrialIsCounted) {
  const TempFolder folder;
  const auto root = std::filesystem::canonical(folder.path()) / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const auto board = open_known_board(identify_board(root),
                                      {.root = root, .journal = folder / "state/board.journal"});
  const auto now = root / "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/cur_freq";
  Measurement m;
  m.trial.mode = {{{"gpu_mhz", 918}, {"cpu_cores", 12}}};
  m.figures = {{"accuracy", 0.5}};
  ClockWatch watch(*board, m.trial.mode);
  // Without waiting for the disk: the looks follow one another.
  const auto put = [&](const char* hertz) { std::ofstream(now) << hertz; };
  put("306000000\n");
  watch.look();  // of the warm-up
  watch.begin();
  put("918000000\n");
  watch.look();
  put("900000000\n");
  watch.look();  // too early for another look
  sleep_until_ns(monotonic_ns() + 250'000'000);
  watch.look();
  watch.end(m);
  const auto& seen = m.clocks;
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].axis, "cpu_cores");
  EXPECT_EQ(seen[0].least, 12);
  EXPECT_EQ(seen[1].axis, "gpu_mhz");
  EXPECT_EQ(seen[1].mean, 909);
  EXPECT_EQ(seen[1].least, 900);
  EXPECT_EQ(m.interference.throttled, false);
  EXPECT_EQ(m.figures, (Figures{{"accuracy", 0.5}}));

  ASSERT_TRUE(write_file(now, "612000000\n").ok());
  watch.begin();
  watch.look();
  watch.end(m);
  EXPECT_EQ(m.interference.throttled, true);
}

}  // namespace
}  // namespace flyball
