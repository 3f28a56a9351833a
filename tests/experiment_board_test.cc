// E5, E6 and E7 over a tree with a scripted power rail, as a user runs them.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "base/clock_testing.h"
#include "device/host/board_trees_testing.h"
#include "living_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class ExperimentBoardTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    root_ = folder_ / "tree";
    trees::write_tree("orin_agx_jp6", root_);
  }
  /// A file of experiments/ with a small dataset and three epochs.
  fs::path small(const std::string& name, const std::string& from = "",
                 const std::string& to = "") {
    std::string text = slurp(fs::path(FLYBALL_SOURCE_DIR) / "experiments" / name);
    const auto replace = [&](const std::string& a, const std::string& b) {
      const size_t at = text.find(a);
      ASSERT_NE(at, std::string::npos) << a;
      text.replace(at, a.size(), b);
    };
    replace("samples = 12000", "samples = 6000");
    replace("epochs = 6", "epochs = 3\nthreads = 1");
    if (!from.empty()) replace(from, to);
    return write(name, text);
  }
  Finished experiment(const fs::path& file, std::vector<std::string> more = {},
                      const char* what = "run") {
    std::vector<std::string> words = {"experiment",
                                      what,
                                      file.string(),
                                      "--root",
                                      root_.string(),
                                      "--out",
                                      (folder_ / "results").string(),
                                      "--json"};
    if (std::string(what) == "run") words.push_back("-q");
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::map<std::string, std::string> settings() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      if (entry.is_regular_file() && !entry.path().string().ends_with("curr1_input") &&
          !entry.path().string().ends_with("cur_freq"))
        all[entry.path().string()] = slurp(entry.path());
    return all;
  }
  static double watts(double gpu_mhz) { return 19 * (0.2005 + gpu_mhz * 1e-3) + 1.9 + 4; }

  fs::path root_;
};

TEST_F(ExperimentBoardTest, E5PinsAndFreesTheClocks) {
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  const auto start = settings();
  const fs::path file = small("dvfs.toml");
  Finished done;
  {
    const LivingTree tree(root_);
    done = experiment(file);
  }
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto document = done.json();
  ASSERT_EQ(document["groups"].size(), 2u);
  // The tree's GPU is at work for others; a network runs on the CPU here, which is said and kept.
  EXPECT_EQ(document["compute"], "cpu");
  EXPECT_THAT(done.err, HasSubstr("ATTENTION: the network runs on the CPU, not on the GPU"));
  EXPECT_THAT(document["gaps"].dump(), HasSubstr("ran on the CPU, not on this board's GPU"));
  for (const auto& group : document["groups"]) {
    // The tree's clocks follow their caps, pinned or free.
    const auto gpu = group["residency"]["gpu_mhz"]["values"];
    ASSERT_FALSE(gpu.empty()) << group;
    EXPECT_NEAR(gpu.back()["mhz"], 1300.5, 1) << group;
    EXPECT_GT(gpu.back()["share"], 0.5);
    EXPECT_TRUE(group["residency"].contains("cpu0_mhz"));
    EXPECT_EQ(group["later"]["gpu_load_pct"], 33);
    EXPECT_NEAR(group["later"]["gpu_mhz"], 1300.5, 1);
    EXPECT_TRUE(group["later"]["gpu_memory_bytes"].is_null());
    EXPECT_NEAR(group["later"]["power_w"], watts(1300.5), 0.5);
  }
  EXPECT_THAT(document["findings"].dump(), HasSubstr("with clocks free an epoch goes from"));
  EXPECT_THAT(document["findings"].dump(), HasSubstr("gpu_mhz is at"));
  EXPECT_EQ(settings(), start);
  const auto again = experiment(file, {}, "report").json();
  for (const char* key : {"residency", "later"})
    EXPECT_EQ(again["groups"][0][key], document["groups"][0][key]);
  EXPECT_EQ(again["gaps"], document["gaps"]);
}

TEST_F(ExperimentBoardTest, E7GoesThroughModesAndPutsBack) {
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  const auto start = settings();
  const fs::path file = small("power_modes.toml", "power_mode = [\"15W\", \"30W\", \"MAXN\"]",
                              "power_mode = [\"15W\", \"slow\", \"gpu_mhz=1020\"]\n"
                              "[modes]\nslow = \"gpu_mhz=408,cpu_mhz=1344\"");
  Finished done;
  {
    const LivingTree tree(root_);
    done = experiment(file);
  }
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto groups = done.json()["groups"];
  ASSERT_EQ(groups.size(), 3u);
  const double clocks[] = {408, 408, 1020};  // a 15 W preset caps the GPU at 408 MHz
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(groups[i]["later"]["power_w"], watts(clocks[i]), 0.5) << groups[i]["label"];
    EXPECT_NEAR(groups[i]["residency"]["gpu_mhz"]["values"].back()["mhz"], clocks[i], 1);
  }
  EXPECT_THAT(done.json()["findings"].dump(), HasSubstr("No other mode is both faster and"));
  EXPECT_EQ(settings(), start);
}

TEST_F(ExperimentBoardTest, E6WatchesTheBoardPinnedAndFree) {
  const auto start = settings();
  const fs::path file = write("states.toml",
                              "question = \"base_load\"\n[fixed]\nepochs = 2\nseconds = 1\n"
                              "[vary]\nstate = [\"idle\"]\ndvfs = [\"off\", \"on\"]\n");
  Finished done;
  {
    const LivingTree tree(root_);
    done = experiment(file);
  }
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json document = done.json();
  const auto& groups = document["groups"];
  EXPECT_EQ(groups.size(), 2u);
  for (const auto& group : groups)
    ASSERT_TRUE(group["later"]["power_w"].is_number()) << document["gaps"];
  for (const auto& group : groups)
    EXPECT_NEAR(group["later"]["power_w"], watts(1300.5), 0.5) << group;
  EXPECT_EQ(settings(), start);
}

TEST_F(ExperimentBoardTest, ASignalEndsItAndTheBoardIsPutBack) {
  const auto before = settings();
  const fs::path file = write("states.toml",
                              "question = \"base_load\"\n[fixed]\nepochs = 2\nseconds = 60\n"
                              "[vary]\nstate = [\"idle\"]\ndvfs = [\"off\", \"on\"]\n");
  const fs::path pinned = (root_ / gpu_max).parent_path() / "min_freq";
  const std::string free = slurp(pinned);
  {
    const LivingTree tree(root_);
    const pid_t child = start({"experiment", "run", file.string(), "--root", root_.string(),
                               "--out", (folder_ / "results").string()});
    EXPECT_TRUE(within_seconds_of_now(30, [&] { return slurp(pinned) != free; }));
    ::usleep(300'000);
    EXPECT_EQ(expect_ends(child, SIGTERM).exit_code, 128 + SIGTERM);
  }
  EXPECT_EQ(settings(), before);
}

// A pipe stands for the kernel: it lists mem, and a write to it returns when somebody has read it.
TEST_F(ExperimentBoardTest, E6SuspendsAndAPlugMeterSeesIt) {
  const fs::path file = write("suspended.toml",
                              "question = \"base_load\"\n[fixed]\nstate = \"suspended\"\n"
                              "epochs = 1\nseconds = 1\n");
  const fs::path state = root_ / "sys/power/state";
  fs::create_directories(state.parent_path());
  ASSERT_EQ(::mkfifo(state.c_str(), 0600), 0);
  std::string written;
  std::thread kernel([&] {
    std::ofstream(state) << "freeze mem\n";
    std::this_thread::sleep_for(std::chrono::milliseconds(4000));
    std::ifstream(state) >> written;
  });
  const Finished done = experiment(file, {"--plug", plug_log().string()});
  kernel.join();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(written, "mem");
  const auto group = done.json()["groups"][0];
  EXPECT_GT(group["first"]["e2e_s"], 1);
  EXPECT_NEAR(group["first"]["power_w"], 12.5, 1e-6);
  const Finished without = experiment(file, {}, "report");
  EXPECT_TRUE(without.json()["groups"][0]["first"]["power_w"].is_null());
  EXPECT_THAT(without.json()["gaps"].dump(), HasSubstr("--plug joins a plug meter's log"));
}

TEST_F(ExperimentBoardTest, E6SaysWhenTheMachineDoesNotSuspend) {
  const fs::path file = write("suspended.toml",
                              "question = \"base_load\"\n[fixed]\nstate = \"suspended\"\n"
                              "epochs = 1\nseconds = 1\n");
  const Finished without = experiment(file);
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("this machine has no knob for suspending"));
  const fs::path state = root_ / "sys/power/state", alarm = root_ / "sys/class/rtc/rtc0/wakealarm";
  fs::create_directories(state.parent_path());
  fs::create_directories(alarm.parent_path());
  std::ofstream(state) << "freeze mem\n";
  std::ofstream(alarm) << "\n";
  const Finished awake = experiment(file);
  EXPECT_EQ(awake.exit_code, 2);
  EXPECT_THAT(awake.err, HasSubstr("was to sleep for 1 s and was back after 0.0 s"));
  EXPECT_EQ(slurp(state).substr(0, 3), "mem");
  EXPECT_EQ(slurp(alarm).substr(0, 2), "+1");
}

// Every mode of the study's list is one of the board's own clocks.
TEST_F(ExperimentBoardTest, ModesAToNAreLegalOnAnAgxXavier) {
  const fs::path xavier = folder_ / "xavier";
  trees::write_tree("xavier_agx_jp4", xavier);
  root_ = xavier;
  const std::string text =
      slurp(fs::path(FLYBALL_SOURCE_DIR) / "experiments/power_modes_xavier.toml");
  size_t legal = 0;
  for (size_t at = text.find("cpu_cores="); at != std::string::npos;
       at = text.find("cpu_cores=", at + 1)) {
    const std::string mode = text.substr(at, text.find('"', at) - at);
    const Finished set = run({"mode", "set", mode, "--root", root_.string()});
    EXPECT_EQ(set.exit_code, 0) << mode << ": " << set.err;
    legal += set.exit_code == 0 ? 1 : 0;
  }
  EXPECT_EQ(legal, 14u);
}

}  // namespace
}  // namespace flyball::testing_tools
