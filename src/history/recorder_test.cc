// What makes a measurement the same: from the profiler into the store, and back out of a store that
// was closed in between.
#include "history/recorder.h"

#include <gmock/gmock.h>

#include "base/os/temp_folder.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A live board of two configurations; each trial takes a millisecond longer than the one before.
class Board final : public Profiler {
 public:
  Board() {
    info_.device = "host";
    info_.fingerprint = "a CPU";
    info_.workload = "lenet5";
    info_.live = true;
    info_.conditions = {{"dataset", "/data/a"}, {"LibTorch", "2.1.0"}};
    set_power("package");
    space_.add(std::array{1.0});
    space_.add(std::array{2.0});
  }
  void set_power(const std::string& total) {
    info_.power_total = total;
    info_.power_gap = total.empty() ? "no sensor" : "";
    info_.conditions[power_condition] = total.empty() ? no_power : total;
  }
  ProfilerInfo& now() { return info_; }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return 0; }
  std::string default_reason() const override { return ""; }
  Result<Measurement> measure(size_t config) override {
    Measurement m;
    m.failure = failure;
    m.trial = space_.trial(config, info_.workload, info_.phase);
    m.device = info_.device;
    m.fingerprint = info_.fingerprint;
    m.conditions = info_.conditions;
    m.minibatch_ms = 10 + ++measured;
    m.power_gap = info_.power_gap;
    if (!m.failed() && !info_.power_total.empty()) {
      m.power.emplace();
      m.power->mean_w = 5;
      m.power->total = info_.power_total;
    }
    return m;
  }

  int measured = 0;
  std::string failure;  // of each trial

 private:
  ProfilerInfo info_;
  Space space_ = Space(std::vector{named_axis("cpu_cores", {})});
};

class RecorderTest : public ::testing::Test {
 protected:
  // What is recalled of it, else a trial. In a store that is opened for it, as another process
  // would.
  Recorder::Recorded ask(size_t config = 0) {
    Store store = Store::open(folder_.path()).value();
    Recorder recorder = Recorder::open({&board_, {0, 1}}, &store, {}, false).value();
    notes_ = recorder.notes();
    const auto all = recorder.recall().value();
    for (const Recorder::Recorded& known : all)
      if (known.config == config) return known;
    return recorder.measure(config, false).value();
  }
  static std::vector<size_t> candidates(Recorder recorder) {
    const auto all = recorder.recall().value();
    std::vector<size_t> candidates;
    for (const Recorder::Recorded& known : all) {
      EXPECT_TRUE(known.from_store);
      candidates.push_back(known.candidate);
    }
    return candidates;
  }

  TempFolder folder_;
  Board board_;
  std::vector<std::string> notes_;  // of the last ask()
};

TEST_F(RecorderTest, TheSameConditionsAreMeasuredOnce) {
  EXPECT_FALSE(ask().from_store);
  const auto again = ask();
  EXPECT_TRUE(again.from_store);
  EXPECT_EQ(again.measurement.minibatch_ms, 11);
  EXPECT_EQ(again.measurement.conditions, board_.info().conditions);
  EXPECT_EQ(again.measurement.provenance, Provenance::measured);
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_FALSE(ask(1).from_store);
}

TEST_F(RecorderTest, AnotherDatasetOrLibraryIsMeasuredAgainAndSaysWhy) {
  (void)ask();
  board_.now().conditions["dataset"] = "/data/b";
  const auto other = ask();
  EXPECT_FALSE(other.from_store);
  EXPECT_EQ(other.measurement.minibatch_ms, 12);
  EXPECT_THAT(notes_, ElementsAre("1 earlier measurement of lenet5 is not taken over: dataset was "
                                  "/data/a, now /data/b"));
  EXPECT_TRUE(ask().from_store);
  board_.now().conditions["LibTorch"] = "2.2.0";
  EXPECT_FALSE(ask().from_store);
  // Back to the first one: it is still there.
  board_.now().conditions["LibTorch"] = "2.1.0";
  board_.now().conditions["dataset"] = "/data/a";
  EXPECT_EQ(ask().measurement.minibatch_ms, 11);
}

TEST_F(RecorderTest, WhatAnotherProcessDisturbedIsMeasuredAgainAndSaysWhy) {
  Measurement disturbed = board_.measure(0).value();
  disturbed.interference.by = "process 7 (flyball tune)";
  ASSERT_TRUE(Store::open(folder_.path())->add_measurement(disturbed).ok());
  EXPECT_FALSE(ask().from_store);
  EXPECT_THAT(notes_, ElementsAre("1 earlier measurement of lenet5 is not taken over: the latest "
                                  "was made beside process 7 (flyball tune)"));
  EXPECT_EQ(ask().measurement.interference.by, "") << "the one that was measured alone";
  EXPECT_TRUE(ask().from_store);
}

// With a power sensor and without one: what failed has no power in either.
TEST_F(RecorderTest, WhatLackedMemoryIsNotTriedAgainAndWhatFailedOtherwiseIs) {
  for (const std::string total : {"package", ""}) {
    board_.set_power(total);
    board_.now().workload = "with " + total;
    board_.failure =
        "'python3 train.py' failed with exit code 1; it last said: "
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB";
    EXPECT_FALSE(ask(0).from_store);
    EXPECT_EQ(ask(0).measurement.failure, board_.failure);
    EXPECT_TRUE(ask(0).from_store);
    board_.failure = "'python3 train.py' failed with exit code 1; it last said: no such file";
    EXPECT_FALSE(ask(1).from_store);
    EXPECT_FALSE(ask(1).from_store);
    board_.failure = "";
    EXPECT_FALSE(ask(1).measurement.failed());
    EXPECT_TRUE(ask(0).from_store) << "though there is memory now: --fresh tries";
    EXPECT_TRUE(ask(1).from_store);
    ASSERT_TRUE(Store::open(folder_.path())->add_measurement(board_.measure(0).value()).ok());
    EXPECT_FALSE(ask(0).measurement.failed()) << "as it was read since";
    Store store = Store::open(folder_.path()).value();
    Recorder recorder = Recorder::open({&board_, {0, 1}}, &store, {}, false).value();
    EXPECT_FALSE(recorder.look_ahead(0)->failed());
  }
}

TEST_F(RecorderTest, WhatFailedUnderOtherConditionsIsNoMeasurementThatIsNotTakenOver) {
  board_.failure = "no such file";
  (void)ask();
  board_.failure = "";
  board_.now().conditions["LibTorch"] = "2.2.0";
  (void)ask();
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(RecorderTest, WhatATableAnsweredServesAndARowThatWasImportedDoesNot) {
  board_.now().live = false;
  Measurement row = board_.measure(0).value();
  for (const Origin origin : {Origin::imported, Origin::table}) {
    row.origin = origin;
    ASSERT_TRUE(Store::open(folder_.path())->add_measurement(row).ok());
    Store store = Store::open(folder_.path()).value();
    const auto known = candidates(Recorder::open({&board_, {0, 1}}, &store, {}, false).value());
    EXPECT_EQ(known.size(), origin == Origin::table ? 1u : 0u);
  }
}

TEST_F(RecorderTest, WhatIsLookedAheadIsMeasuredOnceAndAskedForAsNew) {
  auto recorder = Recorder::open({&board_, {0, 1}}, nullptr, {}, false);
  ASSERT_TRUE(recorder.ok());
  EXPECT_EQ(recorder->look_ahead(0)->minibatch_ms, 11);
  const auto asked = recorder->measure(0, false);
  EXPECT_EQ(asked->measurement.minibatch_ms, 11);
  EXPECT_FALSE(asked->from_store);
  EXPECT_EQ(recorder->measure(0, true)->measurement.minibatch_ms, 12);
  EXPECT_EQ(board_.measured, 2);
}

TEST_F(RecorderTest, AnotherMachineIsNamed) {
  (void)ask();
  board_.now().fingerprint = "another CPU";
  EXPECT_FALSE(ask().from_store);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("the machine was 'a CPU', now 'another CPU'")));
}

// Two boards of one kind have one fingerprint.
TEST_F(RecorderTest, WhatWasCollectedFromAnotherBoardIsMeasuredHereAndSaysWhy) {
  (void)ask();
  ASSERT_TRUE(make_collected(folder_.path(), "orinB").ok());
  const auto own = ask();
  EXPECT_FALSE(own.from_store);
  EXPECT_EQ(own.measurement.minibatch_ms, 12);
  EXPECT_THAT(notes_, ElementsAre("1 earlier measurement of lenet5 is not taken over: they were "
                                  "collected from the store of another board"));
  EXPECT_EQ(ask().measurement.minibatch_ms, 12) << "its own";
  EXPECT_THAT(notes_, IsEmpty());
}

// Its own say what has changed, whatever was collected since.
TEST_F(RecorderTest, OwnTrialsAndThoseOfAnotherBoardAreCountedApart) {
  board_.now().fingerprint = "an old CPU";
  (void)ask();
  board_.now().fingerprint = "a CPU";
  (void)ask();
  ASSERT_TRUE(make_collected(folder_.path(), "orinB", 2).ok());
  {
    Database store = open_store_database(folder_.path(), {}).value();
    ASSERT_TRUE(store
                    .run("UPDATE measurements SET started_utc = '2026-01-0' || (CASE WHEN "
                         "store_id IS NULL THEN 2 ELSE 1 END) || 'T00:00:00Z'",
                         {})
                    .ok());
  }
  EXPECT_FALSE(ask().from_store);
  EXPECT_THAT(notes_,
              ElementsAre("1 earlier measurement of lenet5 is not taken over: the machine was 'an "
                          "old CPU', now 'a CPU'",
                          "1 earlier measurement of lenet5 is not taken over: they were collected "
                          "from the store of another board"));
}

TEST_F(RecorderTest, WithoutPowerItIsMeasuredAgainOncePowerCanBeRead) {
  board_.set_power("");
  EXPECT_FALSE(ask().measurement.power.has_value());
  EXPECT_TRUE(ask().from_store);
  board_.set_power("package");
  const auto with_power = ask();
  EXPECT_FALSE(with_power.from_store);
  EXPECT_TRUE(with_power.measurement.power.has_value());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("power was none, now package")));
}

TEST_F(RecorderTest, ATrialInWhichTheSensorFailedIsMeasuredAgain) {
  Measurement failed = board_.measure(0).value();
  failed.power.reset();
  failed.power_gap = "too few updates";
  {
    Store store = Store::open(folder_.path()).value();
    ASSERT_TRUE(store.add_measurement(failed).ok());
  }
  EXPECT_FALSE(ask().from_store);
  EXPECT_TRUE(ask().from_store);
}

TEST_F(RecorderTest, WithPowerItsTimeServesWherePowerCannotBeRead) {
  (void)ask();
  board_.set_power("");
  const auto without = ask();
  EXPECT_TRUE(without.from_store);
  EXPECT_EQ(without.measurement.minibatch_ms, 11);
  EXPECT_FALSE(without.measurement.power.has_value());
  EXPECT_EQ(without.measurement.power_gap, "no sensor");
  // What is stored keeps its power.
  board_.set_power("package");
  EXPECT_TRUE(ask().measurement.power.has_value());
  board_.set_power("module");
  EXPECT_FALSE(ask().from_store);
}

TEST_F(RecorderTest, WhatIsOlderThanConditionsIsMeasuredAgain) {
  Measurement old = board_.measure(0).value();
  old.conditions.reset();
  {
    Store store = Store::open(folder_.path()).value();
    ASSERT_TRUE(store.add_measurement(old).ok());
  }
  EXPECT_FALSE(ask().from_store);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("made before their conditions were kept")));
}

// Problems number what is to be chosen from otherwise than the profiler's space does.
TEST_F(RecorderTest, TrialsAreKnownByCandidate) {
  (void)ask(1);
  Store store = Store::open(folder_.path()).value();
  Recorder recorder = Recorder::open({&board_, {1}}, &store, {}, false).value();
  const auto known = recorder.recall().value();
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].candidate, 0u);
  EXPECT_EQ(known[0].measurement.trial, board_.measure(1)->trial);
  EXPECT_EQ(recorder.look_ahead(0)->minibatch_ms, known[0].measurement.minibatch_ms);
  // The profiler is asked for its own row.
  EXPECT_EQ(recorder.measure(0, true)->measurement.trial, board_.measure(1)->trial);
}

TEST_F(RecorderTest, WhatIsStoredIsRecalledAsItWasMeasured) {
  Store store = Store::open(folder_.path()).value();
  Recorder first = Recorder::open({&board_, {0, 1}}, &store, {}, true).value();
  for (const size_t config : {1, 0, 1}) ASSERT_TRUE(first.measure(config, false).ok());
  const int64_t run =
      store.begin_run({"flyball tune lenet5", "{}", "host", "a CPU", 0, {}}).value();
  EXPECT_THAT(candidates(Recorder::open({&board_, {0, 1}}, &store, run, false).value()),
              ElementsAre(1, 0, 1));
  EXPECT_EQ(store.run(run)->reused, 3u);
}

TEST_F(RecorderTest, WhatMayNotBeChosenIsNotKnown) {
  (void)ask(0);
  Store store = Store::open(folder_.path()).value();
  EXPECT_THAT(candidates(Recorder::open({&board_, {1}}, &store, {}, false).value()), IsEmpty());
  EXPECT_EQ((MeasuredRole{&board_, {1, 0}}.usual()), 1u);
  EXPECT_EQ((MeasuredRole{&board_, {1}}.usual()), std::nullopt);
}

}  // namespace
}  // namespace flyball
