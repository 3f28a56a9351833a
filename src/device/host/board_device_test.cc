// Modes of whole boards: in which order files are written, and what drivers may answer.
#include "device/host/board_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "device/host/board_trees_testing.h"
#include "device/modes/mode.h"
#include "device/setting_script_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class BoardDeviceTest : public testing::Test {
 protected:
  std::unique_ptr<BoardDevice> open(const std::string& kind) {
    if (!fs::exists(root())) trees::write_tree(kind, root());
    start_ = content();
    return reopen();
  }
  std::unique_ptr<BoardDevice> reopen() {
    return open_known_board(identify_board(root()),
                            {.root = root(), .journal = journal(), .files = &script_});
  }
  fs::path root() const { return fs::canonical(folder_.path()) / "tree"; }
  fs::path journal() const { return folder_ / "state" / "board.journal"; }
  std::string get(const std::string& file) const {
    const auto text = read_file(root() / file);
    return text ? std::string(trim(*text)) : text.error().message;
  }
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root()))
      if (entry.is_regular_file()) all[entry.path().string()] = *read_file(entry.path());
    return all;
  }

  TempFolder folder_;
  SettingScript script_;
  std::map<std::string, std::string> start_;
};

const char* const policy0 = "sys/devices/system/cpu/cpufreq/policy0/";
const char* const gpu = "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/";
const char* const emc = "sys/kernel/debug/bpmp/debug/clk/emc/";

TEST_F(BoardDeviceTest, SetsAWholeModeAndPutsItBack) {
  {
    const auto board = open("orin_agx_jp6");
    const PowerMode before = board->caps();
    const Status status =
        board->apply({{{"cpu_cores", 4}, {"cpu_mhz", 1344}, {"gpu_mhz", 612}, {"mem_mhz", 2133}}});
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(get("sys/devices/system/cpu/cpu3/online"), "1");
    EXPECT_EQ(get("sys/devices/system/cpu/cpu4/online"), "0");
    EXPECT_EQ(get("sys/devices/system/cpu/cpu11/online"), "0");
    for (const char* file : {"scaling_min_freq", "scaling_max_freq"})
      EXPECT_EQ(get(policy0 + std::string(file)), "1344000");
    EXPECT_EQ(get(gpu + std::string("min_freq")), "612000000");
    EXPECT_EQ(get(emc + std::string("mrq_rate_locked")), "1");
    EXPECT_EQ(get(emc + std::string("rate")), "2133000000");
    EXPECT_EQ(board->caps().values.at("gpu_mhz"), 612);
    EXPECT_EQ(board->baseline().values, before.values);
  }
  EXPECT_EQ(content(), start_);
  EXPECT_FALSE(fs::exists(journal()));
}

// nvpmodel or jetson_clocks while a mode is held: what is measured then is of another mode. A cap
// that is lower may be the kernel's, for heat.
TEST_F(BoardDeviceTest, AClockThatAnotherProgramRaisedIsSaid) {
  const auto board = open("orin_agx_jp6");
  ASSERT_TRUE(board->apply({{{"cpu_cores", 4}, {"gpu_mhz", 612}, {"mem_mhz", 2133}}}).ok());
  EXPECT_TRUE(board->still_set().ok());
  const fs::path clock = root() / gpu / "max_freq",
                 core = root() / "sys/devices/system/cpu/cpu4/online";
  ASSERT_TRUE(write_file(clock, "408000000").ok());
  EXPECT_TRUE(board->still_set().ok());
  ASSERT_TRUE(write_file(clock, "1300500000").ok());
  const Status raised = board->still_set();
  ASSERT_FALSE(raised.ok());
  EXPECT_THAT(raised.error().message,
              HasSubstr("gpu_mhz was set to 612, and is 1300.5 now: another program has set"));
  ASSERT_TRUE(write_file(clock, "612000000").ok());
  ASSERT_TRUE(write_file(core, "1").ok());
  EXPECT_FALSE(board->still_set().ok());
  ASSERT_TRUE(board->restore().ok());
  EXPECT_TRUE(board->still_set().ok());
}

// Between the write that was read back and the end of the change.
TEST_F(BoardDeviceTest, AModeThatDoesNotStandIsNotSet) {
  const auto board = open("orin_agx_jp6");
  script_.on_write("cpu11/online", [this](const std::string& text) -> Result<std::string> {
    FLYBALL_CHECK(write_file(root() / gpu / "max_freq", "1300500000"));
    return text;
  });
  const auto set = set_mode(*board, root(), {.mode = {{{"cpu_cores", 4}, {"gpu_mhz", 612}}}});
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().message, HasSubstr("gpu_mhz was set to 612, and is 1300.5 now"));
  EXPECT_EQ(content(), start_);
}

// Neither ever passes the other: the maximum first when it rises, the minimum when it falls.
TEST_F(BoardDeviceTest, OrderOfMinimumAndMaximum) {
  const auto board = open("orin_agx_jp6");
  ASSERT_TRUE(board->apply({{{"gpu_mhz", 510}}}).ok());
  EXPECT_THAT(script_.log, ElementsAre("min_freq=510000000", "max_freq=510000000"));
  script_.log.clear();
  ASSERT_TRUE(board->apply({{{"gpu_mhz", 918}}}).ok());
  EXPECT_THAT(script_.log, ElementsAre("max_freq=918000000", "min_freq=918000000"));
}

TEST_F(BoardDeviceTest, CoresComeOnBeforeClocksAndGoOffAfter) {
  const auto board = open("xavier_nx_jp4");
  const auto place = [&](const std::string& part, size_t from = 0) {
    for (size_t i = from; i < script_.paths.size(); ++i)
      if (script_.paths[i].string().find(part) != std::string::npos) return i;
    return script_.paths.size();
  };
  ASSERT_TRUE(board->apply({{{"cpu_cores", 2}, {"cpu_mhz", 729.6}}}).ok());
  EXPECT_LT(place("scaling_"), place("/online"));
  script_.paths.clear();
  ASSERT_TRUE(board->apply({{{"cpu_cores", 6}, {"cpu_mhz", 1190.4}}}).ok());
  EXPECT_LT(place("/online"), place("scaling_"));
}

TEST_F(BoardDeviceTest, AnUnlistedValueIsRefusedWithTheNearestTwo) {
  const auto board = open("orin_agx_jp6");
  const Status refused = board->apply({{{"gpu_mhz", 600}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("gpu_mhz cannot be 600"));
  EXPECT_THAT(refused.error().hint, HasSubstr("510 and 612"));
  EXPECT_THAT(board->apply({{{"mem_mhz", 9000}}}).error().hint, HasSubstr("3199"));
  EXPECT_TRUE(script_.log.empty());
}

TEST_F(BoardDeviceTest, TheFirmwareRoundsTheMemoryClockUp) {
  const auto board = open("orin_agx_jp6");
  script_.on_write("emc/rate", [](const std::string& text) -> Result<std::string> {
    return text == "2133000000" ? "2133333333" : text == "665600000" ? "2133000000" : text;
  });
  EXPECT_TRUE(board->apply({{{"mem_mhz", 2133}}}).ok());
  const Status other = board->apply({{{"mem_mhz", 665.6}}});  // up to another listed one
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("mem_mhz was set to 665.6 but reads 2133"));
  EXPECT_TRUE(board->restore().ok());
  EXPECT_EQ(get(emc + std::string("mrq_rate_locked")), "0");
}

// A rate that is not locked moves by itself: it is no fault that it is not what it was.
TEST_F(BoardDeviceTest, AFreeMemoryClockIsLeftToItself) {
  const auto board = open("orin_agx_jp6");
  ASSERT_TRUE(board->apply({{{"mem_mhz", 2133}}}).ok());
  script_.on_write("emc/rate", [](const std::string&) -> Result<std::string> {
    return std::string("3199000000");
  });
  EXPECT_TRUE(board->restore().ok());
  EXPECT_FALSE(fs::exists(journal()));
}

TEST_F(BoardDeviceTest, WaitsForADriverThatLags) {
  const auto board = open("orin_agx_jp6");
  script_.lag("/max_freq", 3);
  EXPECT_TRUE(board->apply({{{"gpu_mhz", 612}}}).ok());
  script_.lag("/max_freq", 1 << 20);
  const Status never = board->apply({{{"gpu_mhz", 408}}});
  ASSERT_FALSE(never.ok());
  EXPECT_THAT(never.error().message, HasSubstr("gpu_mhz was not set to 408"));
  EXPECT_THAT(never.error().message, HasSubstr("was set to 408000000 but reads 612000000"));
  script_.lag("/max_freq", 0);
}

TEST_F(BoardDeviceTest, WhatIsRefusedNamesAskedAndGot) {
  const auto board = open("orin_agx_jp6");
  script_.refuse("policy4/scaling_max_freq");
  const Status refused = board->apply({{{"cpu_mhz", 729.6}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("cpu_mhz was not set to 729.6"));
  EXPECT_THAT(refused.error().message, HasSubstr("policy4"));
  EXPECT_EQ(get(policy0 + std::string("scaling_max_freq")), "729600");
  EXPECT_TRUE(board->restore().ok());
  EXPECT_EQ(content(), start_);
}

// Old releases: what was lowered stays low until a reboot, and nobody is asked for one.
TEST_F(BoardDeviceTest, AClockThatDoesNotRiseNamesTheReboot) {
  auto board = open("xavier_agx_jp4");
  script_.only_down("17000000.gv11b/max_freq");
  ASSERT_TRUE(board->apply({{{"gpu_mhz", 675.75}}}).ok());
  ASSERT_TRUE(board->apply({{{"gpu_mhz", 318.75}}}).ok());
  const Status stuck = board->apply({{{"gpu_mhz", 1377}}});
  ASSERT_FALSE(stuck.ok());
  EXPECT_THAT(stuck.error().message, HasSubstr("was set to 1377000000 but reads 318750000"));
  EXPECT_THAT(stuck.error().hint, HasSubstr("need a reboot"));
  const Status restored = board->restore();  // said, and kept for the next start
  ASSERT_FALSE(restored.ok());
  EXPECT_TRUE(fs::exists(journal()));
}

// A cluster that is off has no clock to put back: its cores come on for that, and go off again.
TEST_F(BoardDeviceTest, ClocksOfClustersThatWentOffAreStillPutBack) {
  trees::write_tree("orin_nx_jp6", root());
  const fs::path cpus = root() / "sys/devices/system/cpu";
  const fs::path away = root() / "sys/away";
  // What the kernel does with a cluster's files.
  const auto follow = [&](const std::string& text) -> Result<std::string> {
    if (text == "0" && fs::exists(cpus / "cpufreq/policy4"))
      fs::rename(cpus / "cpufreq/policy4", away);
    if (text == "1" && fs::exists(away)) fs::rename(away, cpus / "cpufreq/policy4");
    return text;
  };
  script_.on_write("cpu4/online", follow);
  const auto board = open("orin_nx_jp6");
  ASSERT_TRUE(board->apply({{{"cpu_cores", 8}, {"cpu_mhz", 729.6}}}).ok());
  ASSERT_TRUE(board->apply({{{"cpu_cores", 4}}}).ok());
  ASSERT_FALSE(fs::exists(cpus / "cpufreq/policy4"));
  const Status restored = board->restore();
  EXPECT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(content(), start_);
}

TEST_F(BoardDeviceTest, DenverCoresComeOnLast) {
  const auto board = open("tx2_jp4");
  ASSERT_TRUE(board->apply({{{"cpu_cores", 5}}}).ok());
  EXPECT_EQ(get("sys/devices/system/cpu/cpu1/online"), "1");
  EXPECT_EQ(get("sys/devices/system/cpu/cpu2/online"), "0");
  ASSERT_TRUE(board->apply({{{"cpu_cores", 4}}}).ok());
  EXPECT_EQ(get("sys/devices/system/cpu/cpu1/online"), "0");
  EXPECT_EQ(get("sys/devices/system/cpu/cpu5/online"), "1");
}

// `taskset -c 1 flyball …` of a user who may switch no core.
TEST(AffinityCores, KeepToTheCoresOfTheirProcess) {
  const std::vector<int> cpus = allowed_cpus();
  const auto narrowed = [&] {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cpus.back(), &own);
    if (::sched_setaffinity(0, sizeof own, &own) != 0) return 1;
    const KnobPtr knob = make_affinity_cores(cpus, {1}, true);
    if (!knob->set(1, 1, nullptr).ok() || !knob->undo().ok()) return 2;
    if (allowed_cpus() != std::vector{cpus.back()}) return 3;
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 4;
    const auto board = open_known_board(BoardIdentity(), {.journal = "/nowhere/board.journal"});
    const Knob* cores = board->find("cpu_cores");
    return cores && cores->axis().values == std::vector<double>{1} ? 0 : 5;
  };
  EXPECT_EXIT(::_exit(narrowed()), testing::ExitedWithCode(0), "");
}

TEST_F(BoardDeviceTest, APresetSetsCapsAsNvpmodelDoes) {
  const auto board = open("orin_agx_jp6");
  const auto mode = set_mode(*board, root(), {.preset = "15W"});
  ASSERT_TRUE(mode.ok()) << mode.error().message;
  EXPECT_EQ(mode->values,
            (Settings{{"cpu_cores", 4}, {"cpu_mhz", 1113.6}, {"gpu_mhz", 408}, {"mem_mhz", 2133}}));
  EXPECT_EQ(get(policy0 + std::string("scaling_min_freq")), "115200");  // free below the cap
  EXPECT_EQ(get(emc + std::string("mrq_rate_locked")), "0");
  EXPECT_EQ(get("sys/kernel/nvpmodel_clk_cap/emc"), "2133000000");
  EXPECT_TRUE(board->restore().ok());
  EXPECT_EQ(content(), start_);
  EXPECT_THAT(set_mode(*board, root(), {.preset = "20W"}).error().hint, HasSubstr("MAXN, 15W"));
}

TEST_F(BoardDeviceTest, PinMaxPinsTheClocksOfThePresetAndEndsIdling) {
  trees::write_tree("orin_agx_jp6", root());
  const trees::Writer tree(root());
  tree.put("sys/devices/system/cpu/cpu0/cpuidle/state1/disable", "0\n");
  tree.put(policy0 + std::string("scaling_max_freq"), "1113600\n");
  const auto board = open("orin_agx_jp6");
  EXPECT_EQ(read_fixed(root()).idle_states, 1);
  EXPECT_EQ(read_fixed(root()).dvfs_pinned, false);
  ASSERT_TRUE(set_mode(*board, root(), {.pin_max = true}).ok());
  EXPECT_EQ(get(gpu + std::string("min_freq")), "1300500000");
  EXPECT_EQ(get(emc + std::string("rate")), "3199000000");
  EXPECT_EQ(read_fixed(root()).idle_states, 0);
  EXPECT_EQ(read_fixed(root()).dvfs_pinned, true);
  EXPECT_EQ(read_fixed(root()).fan_pwm, 88);
  EXPECT_TRUE(board->restore().ok());
  EXPECT_EQ(content(), start_);
}

TEST_F(BoardDeviceTest, WhatFailsHalfwayIsUndoneAtOnce) {
  const auto board = open("orin_agx_jp6");
  script_.refuse("17000000.gpu/min_freq");
  EXPECT_FALSE(set_mode(*board, root(), {.mode = {{{"cpu_mhz", 729.6}, {"gpu_mhz", 612}}}}).ok());
  EXPECT_EQ(content(), start_);
}

TEST_F(BoardDeviceTest, AModeThatWasKeptTwiceGoesBackToTheFirst) {
  {
    const auto board = open("orin_agx_jp6");
    ASSERT_TRUE(board->apply({{{"gpu_mhz", 612}}}).ok());
    ASSERT_TRUE(board->keep().ok());
    ASSERT_TRUE(board->apply({{{"gpu_mhz", 408}, {"cpu_mhz", 729.6}}}).ok());
    ASSERT_TRUE(board->keep().ok());
  }
  EXPECT_EQ(recover_settings(journal()).value(), 0u);  // a start leaves it alone
  EXPECT_EQ(get(gpu + std::string("max_freq")), "408000000");
  const auto back = *SettingsJournal::open(journal(), root());
  EXPECT_EQ(back->restore_kept().value(), 8u);
  EXPECT_EQ(content(), start_);
  EXPECT_EQ(back->restore_kept().value(), 0u);
}

}  // namespace
}  // namespace flyball
