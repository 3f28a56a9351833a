#include "profile/trials/mode_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "device/helper/helper_testing.h"
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

// A board whose cores this process chooses for itself, beside a clock that only root may set.
std::unique_ptr<BoardDevice> board_of_affinity(const KnobPlace& place,
                                               const std::filesystem::path& journal) {
  BoardDevice::Parts parts;
  const std::vector<int> cpus = allowed_cpus();
  std::vector<double> counts;
  for (size_t n = 1; n <= cpus.size(); ++n) counts.push_back(static_cast<double>(n));
  parts.knobs.push_back(make_affinity_cores(cpus, counts, true));
  if (auto clock = find_cpu_clock(place, {0})) parts.knobs.push_back(*std::move(clock));
  parts.clocks_tell = true;
  return std::make_unique<BoardDevice>(BoardDeviceOptions{.root = place.root, .journal = journal},
                                       std::move(parts));
}

// 0: one core of all is what the mode asks for and what the process then has.
int keeps_one_core(Device& device, const std::function<int()>& switch_off) {
  const PowerMode one{{{"cpu_cores", 1}}};
  const std::string all = fmt::format("cpu_cores 1 reads {}", allowed_cpus().size());
  if (not_kept(device, one) != std::vector{all}) return 1;
  if (!device.apply(one).ok()) return 2;
  if (const int failed = switch_off(); failed != 0) return failed;
  if (device.observed().at("cpu_cores") != 1) return 3;
  if (const auto other = not_kept(device, one); !other.empty()) {
    fmt::print(stderr, "{}\n", join(other, ", "));
    return 4;
  }
  return 0;
}

class CoresOfAProcess : public HelperTest {};

TEST_F(CoresOfAProcess, FewerAreKeptByAffinity) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "one core alone";
  EXPECT_EQ(TestProcess([&] {
              const auto board = board_of_affinity({tree_.root()}, folder() / "own.journal");
              return keeps_one_core(*board, [] { return 0; });
            }).wait(),
            0);
}

// The kernel takes cores that are off from what a process may use.
TEST_F(CoresOfAProcess, FewerAreKeptByTheHelper) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "one core alone";
  start_helper();
  EXPECT_EQ(as_user({},
                    [&] {
                      auto own = board_of_affinity({tree_.root()}, folder() / "own.journal");
                      const auto device = with_helper(std::move(own), tree_.root(), {}, socket());
                      return keeps_one_core(*device, [] {
                        cpu_set_t one;
                        CPU_ZERO(&one);
                        CPU_SET(allowed_cpus().back(), &one);
                        return ::sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : 5;
                      });
                    }),
            0);
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
