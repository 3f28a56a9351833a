// Power limit and clocks of NVIDIA GPUs, over the stand-in for the library: it refuses, lags,
// rounds and forgets as drivers do, and counts what is set.
#include "device/host/cuda_device.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/files.h"
#include "device/host/nvidia_tree_testing.h"
#include "device/nvidia_settings.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<BoardDevice> open(const NvidiaTree& tree, size_t n = 0) {
  return open_cuda_knobs(tree.root(), n, tree.journal());
}
std::string said(const Status& status) {
  return status.ok() ? "" : status.error().message + "; " + status.error().hint;
}
std::string gaps_of(const Device& device) {
  std::string all;
  for (const std::string& gap : device.gap_texts()) all += gap + "\n";
  return all;
}

std::vector<std::string> asked_axes(const Device& device) {
  std::vector<std::string> names;
  for (const AxisState& state : device.states())
    if (state.asked) names.push_back(state.axis.name);
  return names;
}

TEST(CudaDevice, ListsWhatTheDriverOffers) {
  const NvidiaTree tree;
  const auto gpu = open(tree, 1);
  const auto axes = gpu->axes();
  const Axis* limit = find_axis(axes, axis::power_limit_w);
  ASSERT_NE(limit, nullptr);
  EXPECT_EQ(limit->values.size(), 61u);  // 100, 105, … 400 W
  EXPECT_EQ(limit->values.front(), 100);
  EXPECT_EQ(limit->values.back(), 400);
  EXPECT_THAT(find_axis(axes, axis::gpu_mhz)->values, ElementsAre(345, 900, 1200, 1500, 1980));
  // At 405 MHz the GPU has one clock only.
  EXPECT_THAT(find_axis(axes, axis::mem_mhz)->values, ElementsAre(1593, 2619));
  EXPECT_THAT(gaps_of(*gpu), HasSubstr("mem_mhz 405 is left out"));
  EXPECT_THAT(asked_axes(*gpu), ElementsAre("power_limit_w", "gpu_mhz", "mem_mhz"));
  EXPECT_EQ(gpu->baseline().values.at(axis::power_limit_w), 350);
  EXPECT_EQ(gpu->baseline().values.at(axis::gpu_mhz), 1980);
  EXPECT_THAT(gpu->info().fingerprint, HasSubstr("GPU Fake GPU, driver 550.0"));
  EXPECT_EQ(gpu->info().name, "cuda:1");
}

// Nobody asked for the GPU: not one call sets anything of it.
TEST(CudaDevice, SetsNothingThatWasNotAsked) {
  const NvidiaTree tree;
  {
    const auto gpu = open(tree);
    ASSERT_TRUE(gpu->apply({{{axis::cpu_cores, 2}, {axis::cpu_mhz, 2200}}}).ok());
    // The limit that it has already needs no call either.
    ASSERT_TRUE(gpu->apply({{{axis::power_limit_w, 350}}}).ok());
    EXPECT_TRUE(gpu->restore().ok());
  }
  EXPECT_EQ(tree.calls(), "");
}

TEST(CudaDevice, SetsReadsBackAndPutsBack) {
  const NvidiaTree tree;
  const auto gpu = open(tree, 1);
  const PowerMode mode{{{axis::power_limit_w, 200}, {axis::gpu_mhz, 1200}, {axis::mem_mhz, 1593}}};
  const Status set = gpu->apply(mode);
  ASSERT_TRUE(set.ok()) << said(set);
  EXPECT_EQ(
      tree.calls(),
      "gpu1 lock_gpu 1200 1200\ngpu1 lock_memory 1593 1593\ngpu1 power_limit 200000 200000\n");
  EXPECT_EQ(tree.state(1), "200000 350000 1200 1593");
  EXPECT_EQ(tree.state(0), "");
  const Settings seen = gpu->observed();
  for (const auto& [name, value] : mode.values) EXPECT_EQ(seen.at(name), value) << name;
  EXPECT_THAT(*read_file(tree.journal()), HasSubstr("nvml/GPU-2000-fake/power_limit_mw"));
  EXPECT_TRUE(gpu->restore().ok());
  EXPECT_EQ(tree.state(1), "350000 200000 0 0");
  EXPECT_EQ(tree.count_calls(), 6);
  EXPECT_FALSE(std::filesystem::exists(tree.journal()));
  EXPECT_TRUE(gpu->restore().ok());
  EXPECT_EQ(tree.count_calls(), 6);
}

TEST(CudaDevice, WhatDoesNotTakeIsSaidAndUndone) {
  struct Case {
    const char* behaves;
    PowerMode mode;
    const char* says;
  };
  const PowerMode limit{{{axis::power_limit_w, 250}}}, clock{{{axis::gpu_mhz, 900}}};
  const Case cases[] = {
      {"set_denied", limit, "Insufficient Permissions; run as root; in a container"},
      {"set_denied", clock, "gpu_mhz was not set to 900"},
      {"set_ignored", limit, "was set to 250000 but reads 350000"},
      {"set_ignored", clock, "it reads 1980 MHz"},
      {"rounds", limit, "was set to 250000 but reads 260000"},
      {"held", limit, "the limit in force is 220 W; something else limits this GPU"},
      {"", {{{axis::power_limit_w, 252}}}, "the nearest it can be: 250 and 255"},
      {"", {{{axis::power_limit_w, 500}}}, "the nearest it can be: 400"},
      {"", {{{axis::mem_mhz, 405}}}, "mem_mhz cannot be 405 here"},
  };
  for (const Case& c : cases) {
    NvidiaTree tree(c.behaves);
    const auto gpu = open(tree);
    EXPECT_THAT(said(gpu->apply(c.mode)), HasSubstr(c.says)) << c.behaves;
    tree.behave("");
    EXPECT_TRUE(gpu->restore().ok()) << c.behaves;
    const std::string left = tree.state(0);
    EXPECT_THAT(left, testing::AnyOf("", testing::AllOf(testing::StartsWith("350000"),
                                                        testing::EndsWith(" 0 0"))))
        << c.behaves;
  }
}

// No reboot helps there, and the limit may be free again for the next trial.
TEST(CudaDevice, ALimitThatSomethingElseHoldsIsNoClockThatNeedsAReboot) {
  NvidiaTree tree("held");
  const auto gpu = open(tree);
  ASSERT_TRUE(gpu->apply({{{axis::power_limit_w, 150}}}).ok());
  const PowerMode higher{{{axis::power_limit_w, 300}}};
  EXPECT_THAT(said(gpu->apply(higher)), HasSubstr("something else limits this GPU"));
  EXPECT_EQ(gpu->out_of_reach(higher), "");
  tree.behave("");
  EXPECT_TRUE(gpu->apply(higher).ok());
}

TEST(CudaDevice, ADriverThatLagsIsWaitedForAndNotForEver) {
  NvidiaTree tree("lag=300");
  const auto gpu = open(tree);
  const Stopwatch watch;
  const Status set = gpu->apply({{{axis::power_limit_w, 150}}});
  EXPECT_TRUE(set.ok()) << said(set);
  EXPECT_GE(watch.seconds(), 0.3);
  tree.behave("lag=600000");
  EXPECT_THAT(said(gpu->apply({{{axis::power_limit_w, 300}}})), HasSubstr("the limit in force"));
  EXPECT_LT(watch.seconds(), 30);
}

TEST(CudaDevice, WhatADriverLacksIsNoAxis) {
  const auto axes_with = [](const char* behaves) {
    const NvidiaTree tree(behaves);
    const auto gpu = open(tree);
    std::string names = gaps_of(*gpu) + "|";
    for (const std::string& name : asked_axes(*gpu)) names += " " + name;
    return names;
  };
  EXPECT_THAT(axes_with("limit_missing"), testing::EndsWith("| gpu_mhz mem_mhz"));
  EXPECT_THAT(axes_with("limit_missing"),
              HasSubstr("power_limit_w cannot be set: its limits: Not"));
  EXPECT_THAT(axes_with("lock_missing"), testing::EndsWith("| power_limit_w"));
  EXPECT_THAT(axes_with("lock_missing"), HasSubstr("gpu_mhz cannot be set: the driver lists no"));
  EXPECT_THAT(axes_with("mig"), testing::EndsWith("|"));
  EXPECT_THAT(axes_with("mig"), HasSubstr("cut into slices (MIG)"));
  EXPECT_THAT(axes_with("none"), HasSubstr("there is no cuda:0 here"));
  EXPECT_THAT(axes_with("no_driver"), HasSubstr("Driver Not Loaded"));
}

// A process that sets a mode and is killed; then another one looks.
std::string killed_after_setting(const NvidiaTree& tree) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto gpu = open(tree);
    const bool set = gpu->apply({{{axis::power_limit_w, 150}, {axis::gpu_mhz, 900}}}).ok();
    ::kill(::getpid(), set ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  return tree.state(0);
}

TEST(CudaDevice, AfterKillTheNextOnePutsBack) {
  const NvidiaTree tree;
  EXPECT_EQ(killed_after_setting(tree), "150000 350000 900 0");
  const auto put_back = recover_settings(tree.journal());
  ASSERT_TRUE(put_back.ok()) << put_back.error().message;
  EXPECT_EQ(*put_back, 2u);
  EXPECT_EQ(tree.state(0), "350000 150000 0 0");
  EXPECT_FALSE(std::filesystem::exists(tree.journal()));
}

TEST(CudaDevice, WhatCannotBePutBackIsKeptForTheNext) {
  NvidiaTree tree;
  killed_after_setting(tree);
  tree.behave("set_denied");
  const auto refused = recover_settings(tree.journal());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("Insufficient Permissions"));
  EXPECT_THAT(gaps_of(*open(tree)), HasSubstr("could not be put back"));
  tree.behave("");
  ASSERT_TRUE(recover_settings(tree.journal()).ok());
  EXPECT_EQ(tree.state(0), "350000 150000 0 0");
}

// As an earlier program wrote it before it was killed: GPUs stood in it under names of files.
TEST(CudaDevice, TheJournalOfAnEarlierProgramIsPutBack) {
  const NvidiaTree tree;
  EXPECT_EQ(killed_after_setting(tree), "150000 350000 900 0");
  const std::string body = fmt::format(R"({{
 "boot": "",
 "root": "{}",
 "settings": [
  [
   "nvml/GPU-1000-fake/gpu_lock_mhz",
   "unlocked",
   "fluid"
  ],
  [
   "nvml/GPU-1000-fake/power_limit_mw",
   "350000"
  ]
 ]
}}
)",
                                       tree.root().string());
  const auto sum = ::crc32(0, reinterpret_cast<const unsigned char*>(body.data()),
                           static_cast<unsigned>(body.size()));
  const std::string recorded = fmt::format("flyball-journal-2 {:08x}\n{}", sum, body);
  EXPECT_EQ(*read_file(tree.journal()), recorded);  // and this one writes the same
  ASSERT_TRUE(write_file(tree.journal(), recorded).ok());
  const auto put_back = recover_settings(tree.journal());
  ASSERT_TRUE(put_back.ok()) << put_back.error().message;
  EXPECT_EQ(*put_back, 2u);
  EXPECT_EQ(tree.state(0), "350000 150000 0 0");
}

// A journal of ours names GPUs and settings out of a list, and nothing else is called.
TEST(CudaDevice, AJournalNamesNothingElse) {
  const std::filesystem::path root = "/tree";
  EXPECT_TRUE(NvidiaSetting::of_journal(root, "nvml/GPU-1000-fake/power_limit_mw"));
  for (const char* name :
       {"nvml/GPU-1000-fake/compute_mode", "nvml/0/power_limit_mw", "nvml/GPU-/../x/gpu_lock_mhz",
        "nvml//GPU-1/power_limit_mw", "/nvml/GPU-1/power_limit_mw", "nvml/GPU-1/power_limit_mw/",
        "x/nvml/GPU-1/power_limit_mw", "nvml/GPU-1;/power_limit_mw", "sys/nvml", "nvml", ""})
    EXPECT_FALSE(NvidiaSetting::of_journal(root, name)) << name;

  const NvidiaTree tree;
  const NvidiaSetting limit{tree.root(), "GPU-1000-fake", NvidiaSetting::power_limit};
  for (const char* value : {"", "x", "-1", "0", "1e9", "99999999999", "150000;", "99999", "400001"})
    EXPECT_FALSE(limit.write(value).ok()) << value;
  const NvidiaSetting lock{tree.root(), "GPU-1000-fake", NvidiaSetting::gpu_lock};
  for (const char* value : {"", "900", "1200,900", "-1,900", "900,900,900", "free"})
    EXPECT_FALSE(lock.write(value).ok()) << value;
  EXPECT_THAT(said(NvidiaSetting{tree.root(), "GPU-3", NvidiaSetting::gpu_lock}.write("unlocked")),
              HasSubstr("is not there any more"));
  EXPECT_EQ(tree.state(0), "");
}

}  // namespace
}  // namespace flyball
