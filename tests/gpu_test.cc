// Power limit and clocks of NVIDIA GPUs as a user sets them, over the stand-in for the library in a
// tree of its own.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <thread>

#include "command_testing.h"
#include "device/host/nvidia_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class GpuTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (::geteuid() != 0) GTEST_SKIP() << "NVIDIA's driver lets only root set anything";
  }
  Finished mode(const std::string& verb, std::vector<std::string> words,
                const std::string& device = "cuda:0") {
    words.insert(words.begin(),
                 {"mode", verb, "--root", tree_.root().string(), "--device", device});
    return run(words);
  }
  Finished tune(std::vector<std::string> words, const std::string& device = "cuda:1") {
    const std::vector<std::string> first = {
        "tune",        "--root", tree_.root().string(), "--device",   device,        "--axis",
        "cpu_cores=8", "--axis", "cpu_mhz=3000",        "--strategy", "brute-force", "--json",
        "-q"};
    words.insert(words.begin(), first.begin(), first.end());
    words.insert(words.end(), {"--", "sh", "-c", "sleep 0.3; echo $CUDA_VISIBLE_DEVICES >>\"$0\"",
                               (folder_ / "seen").string()});
    return run(words);
  }
  void wait_for(const std::string& state) {
    for (int round = 0; round < 3000 && tree_.state(0) != state; ++round)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(tree_.state(0), state);
  }

  NvidiaTree tree_;
};

TEST_F(GpuTest, DoctorShowsWhatCanBeSet) {
  const auto gpus = run({"doctor", "--root", tree_.root().string(), "--json"}).json()["gpus"];
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[1]["name"], "Fake GPU");
  EXPECT_EQ(gpus[1]["uuid"], "GPU-2000-fake");
  EXPECT_EQ(gpus[1]["driver"], "550.0");
  EXPECT_EQ(gpus[1]["axes"][0]["name"], "power_limit_w");
  EXPECT_EQ(gpus[1]["axes"][0]["current"], 350);
  EXPECT_TRUE(gpus[1]["axes"][1]["current"].is_null());  // locks are not told
  EXPECT_EQ(gpus[1]["axes"][1]["now"], 1980);
  EXPECT_EQ(tree_.calls(), "");
}

TEST_F(GpuTest, SetStaysAndRestorePutsBack) {
  const Finished listed = mode("list", {});
  EXPECT_THAT(listed.out, HasSubstr("power_limit_w"));
  const Finished set = mode("set", {"power_limit_w=200,gpu_mhz=1200"});
  ASSERT_EQ(set.exit_code, 0) << set.err;
  EXPECT_THAT(set.out, HasSubstr("gpu_mhz 1200"));
  EXPECT_EQ(tree_.state(0), "200000 350000 1200 0");
  const auto axes = mode("show", {"--json"}).json()["axes"];
  const auto limit =
      std::ranges::find_if(axes, [](const auto& axis) { return axis["name"] == "power_limit_w"; });
  EXPECT_EQ((*limit)["current"], 200);
  EXPECT_EQ(mode("restore", {"--json"}).json()["restored"], 2);
  EXPECT_EQ(tree_.state(0), "350000 200000 0 0");
  EXPECT_EQ(tree_.state(1), "");
}

TEST_F(GpuTest, WhatCannotBeIsRefusedInOneLine) {
  EXPECT_THAT(mode("set", {"power_limit_w=202"}).err, HasSubstr("200 and 205"));
  EXPECT_THAT(mode("set", {"power_limit_w=200"}, "cuda:2").err, HasSubstr("there is no cuda:2"));
  EXPECT_THAT(mode("set", {"gpu_mhz=1200", "--dry-run"}).err, HasSubstr("cannot be shown"));
  EXPECT_THAT(mode("set", {"power_limit_w=200"}, "cuda:x").err, HasSubstr("no GPU 'x'"));
  EXPECT_THAT(mode("set", {"power_limit_w=200"}, "host").err, HasSubstr("no axis"));
  EXPECT_THAT(mode("show", {}, "table:x.csv").err, HasSubstr("a table has no power mode"));
  tree_.behave("set_denied");
  const Finished denied = mode("set", {"power_limit_w=200"});
  EXPECT_EQ(denied.exit_code, 2);
  EXPECT_THAT(denied.err, HasSubstr("Insufficient Permissions"));
  EXPECT_EQ(tree_.state(0), "");
}

TEST_F(GpuTest, HoldPutsBackAlsoAfterKill) {
  ASSERT_EQ(mode("hold", {"power_limit_w=150", "--", "true"}).exit_code, 0);
  EXPECT_EQ(tree_.state(0), "350000 150000 0 0");
  const pid_t holder = start({"mode", "hold", "power_limit_w=150,gpu_mhz=900", "--device", "cuda:0",
                              "--root", tree_.root().string(), "--", "sleep", "60"});
  wait_for("150000 350000 900 0");
  ::kill(holder, SIGKILL);
  finish(holder);
  run({"workloads"});  // or its guard is at it
  wait_for("350000 150000 0 0");
}

TEST_F(GpuTest, ATuneOfAProgramGoesThroughItsLimits) {
  const Finished done = tune({"--axis", "power_limit_w=150,250"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto answer = done.json();
  EXPECT_EQ(answer["device"]["name"], "cuda:1");
  EXPECT_THAT(answer["device"]["fingerprint"].dump(), HasSubstr("GPU Fake GPU, driver 550.0"));
  EXPECT_EQ(answer["device"]["power_total"], "gpu");
  std::set<double> limits;
  for (const auto& trial : answer["profiled"]) {
    limits.insert(trial["config"]["power_limit_w"].get<double>());
    EXPECT_NEAR(trial["power_w"], 50, 15);  // of this GPU alone: the other one draws 100 W
  }
  EXPECT_EQ(limits, (std::set<double>{150, 250}));
  EXPECT_THAT(slurp(folder_ / "seen"), HasSubstr("GPU-2000-fake\n"));
  EXPECT_THAT(tree_.state(1), ::testing::StartsWith("350000"));
  EXPECT_EQ(tree_.state(0), "");
}

// No settings: nobody's rights.
TEST_F(CommandTest, AProgramsProfileIsOfTheGpuThatItIsGiven) {
  const NvidiaTree tree_;
  const Finished done =
      run({"profile", "--root", tree_.root().string(), "--device", "cuda:1", "--json", "--", "sh",
           "-c", "sleep 0.5; echo $CUDA_VISIBLE_DEVICES >\"$0\"", (folder_ / "seen").string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = done.json();
  EXPECT_EQ(slurp(folder_ / "seen"), "GPU-2000-fake\n");
  EXPECT_EQ(json["power_total"], "gpu");
  EXPECT_EQ(json["gpu"]["index"], 1);
  const Finished none =
      run({"profile", "--root", tree_.root().string(), "--device", "cuda:9", "--", "true"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no cuda:9 here"));
  const Finished twin = run({"profile", "--device", "twin:orin_agx", "--", "true"});
  EXPECT_EQ(twin.exit_code, 2);
  EXPECT_THAT(twin.err, HasSubstr("a program cannot run on twin:orin_agx"));
}

TEST_F(GpuTest, AProgramThatIsHeldSeesItsGpuAlone) {
  const Finished done = run({"mode", "hold", "power_limit_w=300", "--root", tree_.root().string(),
                             "--device", "cuda:1", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "GPU-2000-fake\n");
  const Finished none = run({"mode", "hold", "power_limit_w=300", "--root", tree_.root().string(),
                             "--device", "cuda:9", "--", "true"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no cuda:9 here"));
}

TEST_F(GpuTest, ATuneThatDoesNotAskSetsNothing) {
  const Finished done = tune({"--axis", "batch_size=8"}, "cuda");
  // The program never reads batch_size: what counts is that no GPU was touched on the way.
  EXPECT_THAT(done.err, HasSubstr("never read batch_size"));
  ASSERT_EQ(tune({}, "cuda").exit_code, 0);
  EXPECT_EQ(tree_.calls(), "");
  const Finished lacking = tune({"--axis", "gpu_mhz=900"}, "host");
  EXPECT_EQ(lacking.exit_code, 2);
  EXPECT_THAT(lacking.err, HasSubstr("gpu_mhz cannot be set on this device"));
}

}  // namespace
}  // namespace flyball::testing_tools
