#include "experiment/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>

#include "base/os/temp_folder.h"
#include "data/makers/digits.h"
#include "data/makers/make.h"
#include "experiment/fingerprint.h"
#include "experiment/stored_figures.h"

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
    options_.store = &store_;
    options_.board.name = {BoardName::Kind::host, ""};
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

  // A run of the experiment that takes so long, measured where networks compute on the CPU.
  RunFigures measured(double seconds, const std::optional<Conditions>& conditions = {}) const {
    RunFigures run{.settings = spec_.runs().front()};
    run.fingerprint = begun(on("cpu")).fingerprint;
    run.conditions = conditions;
    run.epochs = {{.epoch = 0, .e2e_s = seconds}};
    return run;
  }
  void keep(const RunFigures& run) {
    ASSERT_TRUE(store_.add_experiment({}, std::vector{row_of(run)}).ok());
  }

  const TempFolder folder_;
  Store store_ = Store::open(folder_ / "store.db").value();
  const ExperimentSpec spec_ = *parse_experiment(
      "question = \"workers\"\n[dataset]\nmake = \"digits\"\nsamples = 64\n[fixed]\nepochs = "
      "1\nsteps = 2\nthreads = 1\n[vary]\nworkers = [0]\n",
      "place.toml");
  ExperimentOptions options_;
};

// A resumed run takes up rows of an equal fingerprint only.
TEST_F(ExperimentPlace, RowsOfTheCpuAndOfAGpuAreNotMixed) {
  keep(measured(9));
  RunFigures run = measured(1);
  run.fingerprint = begun(on("cuda:0")).fingerprint;
  keep(run);
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

TEST_F(ExperimentPlace, OfABoardWithAGpuOfItsOwnTheOtherPlaceServes) {
  RunFigures run = measured(1);
  run.fingerprint = begun(on("cuda:0")).fingerprint;
  keep(run);
  ExperimentOptions options = on("cpu");
  EXPECT_FALSE(load_experiment(spec_, options).ok());
  options.board.may_compute_on_gpu = true;
  const auto found = load_experiment(spec_, options);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->compute, "cuda:0");
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
    return with_conditions(experiment_fingerprint(spec, options, options.board),
                           experiment_conditions(spec, options, options.board));
  };
  const char* given = std::getenv("OMP_WAIT_POLICY");
  const std::string policy = given ? given : "";
  ::unsetenv("OMP_WAIT_POLICY");
  const std::string first = now();
  EXPECT_EQ(first, now());
  EXPECT_TRUE(first.starts_with(experiment_fingerprint(spec, options, options.board) + "; under"));
  EXPECT_FALSE(first.starts_with(begun(on("cpu")).fingerprint));

  spec.media[0].read_mb_s = 40;
  EXPECT_NE(first, now());
  spec.media[0].read_mb_s = 20;
  options.board.device.settings = {{"cpu governor", "performance"}};
  EXPECT_NE(first, now());
  options.board.device.settings = {{"cpu governor", "powersave"}};
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  EXPECT_NE(first, now());
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
  const auto now = [&] {
    return with_conditions("here", experiment_conditions(spec, options_, options_.board));
  };
  const std::string first = now();
  ASSERT_TRUE(make_dataset("images", 8, folder_ / "flyball-data" / "set", {.size = {8, 8}}).ok());
  EXPECT_EQ(first, now());
  options_.data = folder_ / "flyball-data" / "set";  // one's own is looked at, on the medium too
  const std::string own = now();
  EXPECT_NE(first, own);
  ASSERT_TRUE(make_dataset("images", 8, folder_ / "flyball-data" / "more", {.size = {8, 8}}).ok());
  EXPECT_NE(own, now());
}

// The same set on another disk is read at another speed.
TEST_F(ExperimentPlace, WhereASetIsDrawnIsACondition) {
  const auto now = [&] { return experiment_conditions(spec_, options_, options_.board); };
  const Conditions first = now();
  options_.out = folder_ / "elsewhere";
  EXPECT_NE(first, now());
  options_.data = folder_.path();  // nothing is drawn
  EXPECT_FALSE(now().contains(drawn_in(options_.out).begin()->first));
}

TEST_F(ExperimentPlace, WhatIsMeasuredAgainIsSaidBeforeItRuns) {
  RunFigures run = measured(1, Conditions{{"CPU governor", "powersave"}});
  keep(run);
  run.repeat = 7;  // is not asked for
  keep(run);
  std::string said;
  std::atomic<bool> interrupted = true;
  ExperimentOptions options = on("cpu");
  options.interrupted = &interrupted;
  options.note = [&](const std::string& text) { said = text; };
  EXPECT_FALSE(run_experiment(spec_, options).ok());
  EXPECT_THAT(said, StartsWith("1 earlier run is measured again: CPU governor was powersave, now "
                               "not set; "));
}

// Nothing is measured: the machine needs no network for it.
TEST_F(ExperimentPlace, WhatTheStoreHasIsTakenOver) {
  ExperimentOptions options = on("cpu");
  keep(measured(4, experiment_conditions(spec_, options, options.board)));
  const auto done = run_experiment(spec_, options);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->reused, 1u);
  EXPECT_EQ(done->runs.at(0).epochs.at(0).e2e_s, 4);
  const StoredRun run = store_.run(2).value();
  EXPECT_EQ(run.state, RunState::done);
  EXPECT_EQ(run.experiment_runs, 1u);
  EXPECT_EQ(run.reused, 1u);
  EXPECT_THAT(run.answer, HasSubstr("\"experiment\":\"place\""));
  EXPECT_THAT(run.request.request, HasSubstr("\"vary\":{\"workers\":[0.0]}"));
}

// A file of an earlier version, whose runs were made under the conditions of now.
TEST_F(ExperimentPlace, AnEarlierResultsFileIsGoneOnWith) {
  ExperimentOptions options = on("cpu");
  Conditions then = experiment_conditions(spec_, options, options.board);
  then.erase(drawn_in(options.out).begin()->first);
  auto json = run_json(measured(4));
  json.erase("device");
  json.erase("conditions");
  json["fingerprint"] = with_conditions(begun(options).fingerprint, then);
  fs::create_directories(options.out / "place");
  std::ofstream(options.out / "place/results.jsonl") << json.dump() << "\n";
  std::vector<std::string> said;
  options.note = [&](const std::string& text) { said.push_back(text); };

  const auto done = run_experiment(spec_, options);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->reused, 1u);
  EXPECT_EQ(done->runs.at(0).epochs.at(0).e2e_s, 4);
  ASSERT_EQ(said.size(), 1u) << said[1];
  EXPECT_THAT(said[0], EndsWith("place/results.jsonl are in the store now, as run 1"));
  ASSERT_TRUE(load_experiment(spec_, options).ok());
  EXPECT_EQ(said.size(), 1u) << "it is taken in once";
  EXPECT_EQ(store_.runs()->size(), 2u);
}

// The report is of the latest conditions, whichever hold when it is written.
TEST_F(ExperimentPlace, TheLatestConditionsAreReported) {
  keep(measured(3));
  for (const double seconds : {2.0, 1.0})
    keep(measured(seconds, Conditions{{"cpu governor", std::to_string(seconds)}}));
  RunFigures unasked = measured(7, Conditions{{"cpu governor", "0"}});
  unasked.settings.epochs = 9;
  keep(unasked);
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
