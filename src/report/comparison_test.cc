#include "report/comparison.h"

#include <gmock/gmock.h>

#include <functional>

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StoredMeasurement trial(double cores, double ms, double noise, const std::string& total = "") {
  Measurement m;
  m.trial = {{{{"cpu_cores", cores}}}, {"net", Phase::train, {}}};
  m.device = "board";
  m.fingerprint = "f";
  m.conditions = Conditions{{"libraries", "LibTorch 2.6"}};
  m.minibatch_ms = ms;
  m.noise = noise;
  m.interference.cores = 0;
  if (!total.empty()) {
    m.power = PowerReading{};
    m.power->mean_w = 10;
    m.power->total = total;
  }
  return {1, m, false};
}

StoredRun run(int64_t id, const std::string& workload) {
  StoredRun run;
  run.id = id;
  run.measurements = 1;
  run.request.request = R"({"workload": ")" + workload + "\"}";
  return run;
}

TEST(Comparison, ADifferenceWithinTheNoiseIsNotEstablished) {
  const auto compared = compare_runs(run(1, "net"), {trial(1, 100, 0.02), trial(2, 100, 0.02)},
                                     run(2, "net"), {trial(1, 104, 0.02), trial(2, 120, 0.02)});
  ASSERT_EQ(compared.trials.size(), 2u);
  EXPECT_EQ(compared.trials[0].established, false);
  EXPECT_EQ(compared.trials[1].established, true);
  EXPECT_NEAR(compared.trials[1].change_pct, 20, 1e-9);
  EXPECT_THAT(compared.differences, IsEmpty());
  EXPECT_EQ(compared.words(), "2 trials made in both; 1 differs beyond their noise");
}

// The rule of answers/doubt.h, with the same words.
TEST(Comparison, WhatTheMachineExplainsIsNotEstablished) {
  const auto doubt = [](const std::function<void(Measurement&)>& change) {
    StoredMeasurement second = trial(1, 80, 0.01);
    change(second.measurement);
    const auto compared =
        compare_runs(run(1, "net"), {trial(1, 100, 0.01)}, run(2, "net"), {second});
    EXPECT_EQ(compared.trials[0].established, compared.trials[0].doubt.empty());
    const auto json = to_json(compared)["trials"][0];
    EXPECT_EQ(json["established"], compared.trials[0].doubt.empty());
    if (!compared.trials[0].doubt.empty()) {
      EXPECT_EQ(json["doubt"], compared.trials[0].doubt);
    }
    return compared.trials[0].doubt;
  };
  EXPECT_EQ(doubt([](Measurement&) {}), "");
  EXPECT_THAT(doubt([](Measurement& m) { m.interference.throttled = true; }),
              HasSubstr("throttled in run 2"));
  EXPECT_THAT(doubt([](Measurement& m) { m.interference.cores.reset(); }),
              HasSubstr("not known of run 2"));
  EXPECT_THAT(doubt([](Measurement& m) { m.noise = unknown_noise; }), HasSubstr("known spread"));
  EXPECT_EQ(doubt([](Measurement& m) {
              m.provenance = Provenance::table;
              m.origin = Origin::imported;
              m.interference.cores.reset();
            }),
            "");
  const auto slower = [](double cores) {
    StoredMeasurement second = trial(1, 120, 0.01);
    second.measurement.interference.cores = cores;
    return compare_runs(run(1, "net"), {trial(1, 100, 0.01)}, run(2, "net"), {second})
        .trials[0]
        .doubt;
  };
  EXPECT_EQ(slower(0.05), "");
  EXPECT_THAT(slower(0.8), HasSubstr("0.8 cores busy"));
}

TEST(Comparison, WhatRanBesideAnotherSessionIsNotEstablished) {
  StoredMeasurement first = trial(1, 100, 0.01), second = trial(1, 50, 0.01);
  for (StoredMeasurement* one : {&first, &second}) one->measurement.interference.by = "process 7";
  const auto compared = compare_runs(run(1, "net"), {first}, run(2, "net"), {second});
  EXPECT_EQ(compared.trials[0].established, false);
  EXPECT_EQ(compared.trials[0].first->doubts, "beside process 7");
}

// As a tune does, not the latest alone.
TEST(Comparison, AllReadingsOfARunCount) {
  const auto compared =
      compare_runs(run(1, "net"), {trial(1, 100, 0.01), trial(1, 60, 0.01), trial(1, 101, 0.01)},
                   run(2, "net"), {trial(1, 62, 0.01)});
  ASSERT_EQ(compared.trials.size(), 1u);
  EXPECT_EQ(compared.trials[0].first->readings, 3u);
  EXPECT_EQ(compared.trials[0].first->known.minibatch_ms, 100);
  EXPECT_EQ(compared.trials[0].established, false) << "once it was as fast";
}

TEST(Comparison, PowerTotalsThatDifferDoNotCompare) {
  const auto compared = compare_runs(run(1, "net"), {trial(1, 100, 0, "module")}, run(2, "net"),
                                     {trial(1, 200, 0, "input")});
  EXPECT_EQ(compared.trials[0].established, false);
  EXPECT_THAT(compared.differences, ElementsAre("power total is module in A, input in B"));
}

TEST(Comparison, SoftwareThatDiffersIsNamed) {
  StoredMeasurement newer = trial(1, 90, 0);
  newer.measurement.conditions = Conditions{{"libraries", "LibTorch 2.7"}};
  const auto compared = compare_runs(run(1, "net"), {trial(1, 100, 0)}, run(2, "net"), {newer});
  EXPECT_THAT(compared.differences,
              ElementsAre("libraries is LibTorch 2.6 in A, LibTorch 2.7 in B"));
}

TEST(Comparison, TheRunBeforeIsTheOneOfTheSameWorkload) {
  const std::vector<StoredRun> runs = {run(5, "net"), run(4, "det"), run(3, "net"), run(2, "net")};
  EXPECT_EQ(*earlier_run(runs, 5), 3);
  const auto none = earlier_run(runs, 4);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no run before 4 measured det"));
}

// Stores of two boards of one kind and software, in the order in which they were collected.
TEST(Comparison, TheRunBeforeIsOneOfTheSameBoard) {
  std::vector<StoredRun> runs = {run(4, "net"), run(3, "net"), run(2, "net"), run(1, "net")};
  runs[0].origin = runs[2].origin = RunOrigin{"0a", "nano-1", 7, "nano-1"};
  runs[1].origin = RunOrigin{"0b", "nano-2", 7, "nano-2"};
  EXPECT_EQ(*earlier_run(runs, 4), 2);
  EXPECT_THAT(earlier_run(runs, 3).error().message, HasSubstr("measured net on nano-2"));
  EXPECT_THAT(earlier_run(runs, 1).error().message, HasSubstr("no run before 1"));
}

TEST(Comparison, TheRunBeforeIsOneOfTheSameSimulatedBoard) {
  std::vector<StoredRun> runs = {run(3, "net"), run(2, "net"), run(1, "net")};
  runs[0].request.device = runs[2].request.device = "orin_agx";
  runs[1].request.device = "orin_nano";
  EXPECT_EQ(*earlier_run(runs, 3), 1);
  EXPECT_THAT(earlier_run(runs, 2).error().message, HasSubstr("measured net on orin_nano"));
}

TEST(Comparison, BoardsOfACollectedStoreDoNotCompare) {
  StoredMeasurement other = trial(1, 200, 0.01);
  other.board = other.board_name = "nano-2";
  const auto compared = compare_runs(run(1, "net"), {trial(1, 100, 0.01)}, run(2, "net"), {other});
  EXPECT_EQ(compared.trials[0].established, false);
  EXPECT_EQ(compared.trials[0].doubt, "A and B do not compare");
  EXPECT_THAT(compared.differences,
              ElementsAre("the board is that of this store in A, of nano-2 in B"));
  EXPECT_EQ(to_json(compared)["sources"][1]["board"], "nano-2");
  EXPECT_TRUE(to_json(compared)["sources"][0]["board"].is_null());
}

// A failed trial has no power: it is no source of its own.
TEST(Sources, AFailedTrialBelongsToItsBoard) {
  Sources sources;
  const size_t first = sources.of(trial(1, 100, 0, "module"));
  StoredMeasurement failed = trial(2, 0, 0);
  failed.measurement.failure = "out of memory";
  EXPECT_EQ(sources.of(failed), first);
  EXPECT_NE(sources.of(trial(3, 100, 0, "input")), first);
  EXPECT_EQ(sources.all()[first].measurements, 2u);
}

}  // namespace
}  // namespace flyball
