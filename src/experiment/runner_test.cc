#include "experiment/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "base/os/temp_folder.h"
#include "data/makers/digits.h"
#include "data/makers/make.h"
#include "experiment/fingerprint.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ExperimentPlace : public testing::Test {
 protected:
  ExperimentPlace() {
    options_.out = folder_ / "out";
    options_.board.name = {"host", ""};
    options_.board.device = {.name = "board", .title = "A board", .fingerprint = "this board"};
  }
  ExperimentOptions on(const std::string& compute, bool may_compute_on_gpu = false) const {
    ExperimentOptions options = options_;
    options.board.compute = compute;
    options.board.may_compute_on_gpu = may_compute_on_gpu;
    return options;
  }
  ExperimentResult begun(const ExperimentOptions& options) const {
    return begin_experiment(spec_, options, options.board);
  }

  const TempFolder folder_;
  const ExperimentSpec spec_ = *parse_experiment(
      "question = \"workers\"\n[dataset]\nmake = \"digits\"\nsamples = 64\n[fixed]\nepochs = "
      "1\nsteps = 2\nthreads = 1\n[vary]\nworkers = [0]\n",
      "place.toml");
  ExperimentOptions options_;
};

// A resumed run takes up rows of an equal fingerprint only.
TEST_F(ExperimentPlace, RowsOfTheCpuAndOfAGpuAreNotMixed) {
  auto file = ResultsFile::open(results_path(spec_, options_));
  ASSERT_TRUE(file.ok());
  for (const char* place : {"cpu", "cuda:0"}) {
    RunFigures run{.settings = spec_.runs().front()};
    run.fingerprint = begun(on(place)).fingerprint;
    run.epochs = {{.epoch = 0, .e2e_s = place == std::string("cpu") ? 9.0 : 1.0}};
    ASSERT_TRUE(file->append(run).ok());
  }
  const auto cpu = load_experiment(spec_, on("cpu")), gpu = load_experiment(spec_, on("cuda:0"));
  ASSERT_TRUE(cpu.ok() && gpu.ok());
  ASSERT_EQ(cpu->runs.size() * gpu->runs.size(), 1u);
  EXPECT_EQ(cpu->runs[0].epochs[0].e2e_s, 9);
  EXPECT_EQ(gpu->runs[0].epochs[0].e2e_s, 1);
  EXPECT_EQ(gpu->compute, "cuda:0");
  const auto other = load_experiment(spec_, on("cuda:1"));
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("for networks on cuda:1"));
}

// What was measured before a GPU could be chosen ran on the CPU, and is found again.
TEST_F(ExperimentPlace, TheCpuIsNotSaidInTheFingerprint) {
  EXPECT_THAT(begun(on("cpu", true)).fingerprint, EndsWith("; data digits-64-500x375"));
  EXPECT_EQ(begun(on("cpu", true)).fingerprint, begun(on("cpu")).fingerprint);
  EXPECT_THAT(begun(on("cuda:0")).fingerprint, EndsWith("; network on cuda:0"));
}

// What else decides how long a run takes: runs under other conditions are none of these.
TEST_F(ExperimentPlace, ConditionsArePartOfWhatIsTakenUp) {
  const fs::path data = folder_ / "data";
  ASSERT_TRUE(make_digits(data, {.train = 64, .test = 8}).ok());
  ExperimentOptions options = on("cpu");
  options.data = data;
  ExperimentSpec spec = spec_;
  spec.media = {{.name = "slow", .folder = {}, .read_mb_s = 20}};
  options.board.device.settings = {{"cpu governor", "powersave"}};
  const auto now = [&] {
    return with_conditions(experiment_fingerprint(spec, options, options.board), spec, options,
                           options.board);
  };
  const char* given = std::getenv("OMP_WAIT_POLICY");
  const std::string policy = given ? given : "";
  ::unsetenv("OMP_WAIT_POLICY");
  const std::string first = now();
  EXPECT_EQ(first, now());
  EXPECT_TRUE(agrees(first, experiment_fingerprint(spec, options, options.board)));
  EXPECT_FALSE(agrees(first, experiment_fingerprint(spec, on("cpu"), on("cpu").board)));

  spec.media[0].read_mb_s = 40;
  EXPECT_NE(first, now());
  spec.media[0].read_mb_s = 20;
  options.board.device.settings = {{"cpu governor", "performance"}};
  EXPECT_NE(first, now());
  options.board.device.settings = {{"cpu governor", "powersave"}};
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  EXPECT_NE(first, now());
  EXPECT_EQ(other_conditions(first, now()), "without OMP_WAIT_POLICY passive");
  EXPECT_EQ(other_conditions(now(), first), "under OMP_WAIT_POLICY passive, which is no more so");
  ::unsetenv("OMP_WAIT_POLICY");
  EXPECT_EQ(first, now());
  if (given) ::setenv("OMP_WAIT_POLICY", policy.c_str(), 1);
  options.data = data / "." / "";  // the same folder, written otherwise
  EXPECT_EQ(first, now());
  ASSERT_TRUE(make_digits(data, {.train = 128, .test = 8}).ok());
  EXPECT_NE(first, now());
}

// What an earlier start drew onto a medium, and what others keep there, is no change of it.
TEST_F(ExperimentPlace, ADrawnSetIsKnownByItsLabelOnEveryMedium) {
  ExperimentSpec spec = spec_;
  spec.media = {{.name = "card", .folder = folder_.path(), .read_mb_s = 0}};
  const auto now = [&] { return with_conditions("here", spec, options_, options_.board); };
  const std::string first = now();
  ASSERT_TRUE(make_dataset("images", 8, folder_ / "flyball-data" / "set", {.size = {8, 8}}).ok());
  EXPECT_EQ(first, now());
  options_.data = folder_ / "flyball-data" / "set";  // one's own is looked at, on the medium too
  const std::string own = now();
  EXPECT_NE(first, own);
  ASSERT_TRUE(make_dataset("images", 8, folder_ / "flyball-data" / "more", {.size = {8, 8}}).ok());
  EXPECT_NE(own, now());
}

TEST_F(ExperimentPlace, WhatIsMeasuredAgainIsSaidBeforeItRuns) {
  auto file = ResultsFile::open(results_path(spec_, options_));
  ASSERT_TRUE(file.ok());
  RunFigures run{.settings = spec_.runs().front()};
  run.fingerprint = begun(on("cpu")).fingerprint + "; under CPU governor powersave";
  run.epochs = {{.epoch = 0, .e2e_s = 1}};
  ASSERT_TRUE(file->append(run).ok());
  run.repeat = 7;  // is not asked for
  ASSERT_TRUE(file->append(run).ok());
  std::string said;
  std::atomic<bool> interrupted = true;
  ExperimentOptions options = on("cpu");
  options.interrupted = &interrupted;
  options.note = [&](const std::string& text) { said = text; };
  EXPECT_FALSE(run_experiment(spec_, options).ok());
  EXPECT_THAT(said, StartsWith("1 earlier run is measured again: made under CPU governor "
                               "powersave; now: "));
}

// The report is of the latest conditions, whichever hold when it is written.
TEST_F(ExperimentPlace, TheLatestConditionsAreReported) {
  auto file = ResultsFile::open(results_path(spec_, options_));
  ASSERT_TRUE(file.ok());
  for (const double seconds : {3.0, 2.0, 1.0}) {
    RunFigures run{.settings = spec_.runs().front()};
    run.fingerprint = begun(on("cpu")).fingerprint;
    if (seconds < 3) run.fingerprint += "; under cpu governor " + std::to_string(seconds);
    run.epochs = {{.epoch = 0, .e2e_s = seconds}};
    ASSERT_TRUE(file->append(run).ok());
  }
  RunFigures unasked{.settings = spec_.runs().front()};
  unasked.settings.epochs = 9;
  unasked.epochs = {{.epoch = 0, .e2e_s = 7}};
  unasked.fingerprint = begun(on("cpu")).fingerprint + "; under cpu governor 0";
  ASSERT_TRUE(file->append(unasked).ok());
  const auto found = load_experiment(spec_, on("cpu"));
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->runs.size(), 1u);
  EXPECT_EQ(found->runs[0].epochs[0].e2e_s, 1);
  EXPECT_THAT(found->fingerprint, HasSubstr("cpu governor 1"));
}

TEST_F(ExperimentPlace, AGpuOfTheBoardThatStaysUnusedIsKnown) {
  EXPECT_TRUE(begun(on("cpu", true)).gpu_unused);
  EXPECT_FALSE(begun(on("cuda:0", true)).gpu_unused);
  EXPECT_FALSE(begun(on("cpu")).gpu_unused);
}

// It fails where there is no such GPU, and leaves no row of another place behind.
TEST_F(ExperimentPlace, NetworksRunWhereItIsAsked) {
  const auto result = run_experiment(spec_, on("cuda:99"));
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(load_experiment(spec_, on("cpu")).ok());
  EXPECT_THAT(result.error().message, AnyOf(HasSubstr("CUDA device"), HasSubstr("LibTorch")));
}

}  // namespace
}  // namespace flyball
