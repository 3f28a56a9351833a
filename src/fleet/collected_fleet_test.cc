#include "fleet/collected_fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "space/axis.h"
#include "space/board_fingerprint.h"
#include "store/sample_testing.h"
#include "store/store.h"
#include "store/stored_trials.h"

namespace flyball {
namespace {

Measurement trial(double ms) {
  Measurement one = sample_measurement(0);
  one.minibatch_ms = ms;
  return one;
}

class CollectedStore : public testing::Test {
 protected:
  CollectedStore() : store_(*Store::open(folder_.path() / "store.db")) {}

  void keep(const Measurement& one) { ASSERT_TRUE(store_.add_measurement(one).ok()); }
  void collect_from(int64_t first, const std::string& board) {
    ASSERT_TRUE(make_collected(folder_.path() / "store.db", board, first).ok());
  }
  CollectedFleet shown() {
    Database file = *Database::open(folder_.path() / "store.db", {});
    FleetShowQuestion question;
    question.now_utc = "2026-03-02T00:00:00Z";
    const auto fleet = collected_fleet(file, question);
    EXPECT_TRUE(fleet.ok()) << fleet.error().message;
    return *fleet;
  }

  TempFolder folder_ = *TempFolder::make();
  Store store_;
};

TEST_F(CollectedStore, TimesOfWholeRunsAreNoneOfMinibatches) {
  keep(trial(80));
  Measurement whole = trial(5);
  whole.trial.mode.values[axis::gpu_mhz] = 1300;
  whole.span = MeasuredSpan::whole_run;
  keep(whole);
  const CollectedFleet fleet = shown();
  EXPECT_EQ(fleet.whole_runs, 1u);
  EXPECT_EQ(fleet.measurements, 2u);
  ASSERT_EQ(fleet.best.size(), 2u) << "fastest, and of least energy";
  for (const CollectedMode& best : fleet.best) EXPECT_EQ(best.minibatch_ms, 80);
}

// As `fleet choose` and `compare boards` have it.
TEST_F(CollectedStore, OfABoardTheLatestConditionsCount) {
  Measurement before = trial(20), now = trial(80), told = trial(70);
  before.conditions = Conditions{{"LibTorch", "older"}};
  before.started_utc = "2025-03-01T00:00:00Z";
  now.trial.job.settings[axis::loader_workers] = 4;  // another job of the same workload
  told.origin = Origin::imported;
  told.conditions = Conditions();
  for (const Measurement& one : {now, before, told}) keep(one);
  CollectedFleet fleet = shown();
  EXPECT_EQ(fleet.other_conditions, 1u);
  ASSERT_EQ(fleet.best.size(), 2u);
  EXPECT_EQ(fleet.best[0].minibatch_ms, 70) << "a table was put together by the user, and counts";
  // What another board measured then is its latest.
  keep(before);
  collect_from(4, "nano-2");
  fleet = shown();
  EXPECT_EQ(fleet.other_conditions, 1u);
  EXPECT_EQ(fleet.best[0].boards, 2u);
}

// Nor does what a board measured with other software count beside its latest; simulated boards with
// a number are boards each.
TEST_F(CollectedStore, OfABoardTheLatestSoftwareCounts) {
  Measurement before = trial(20), now = trial(80), elsewhere = trial(70);
  before.fingerprint = "board p3701; kernel 5.10; driver 35.4";
  before.started_utc = "2025-03-01T00:00:00Z";
  before.trial.job.settings[axis::batch_size] = 32;  // another job of the same workload
  elsewhere.fingerprint = individual_fingerprint("twin of orin_agx, constants 0a", 1, 7);
  elsewhere.provenance = Provenance::simulated;
  for (const Measurement& one : {now, before, elsewhere}) keep(one);
  EXPECT_EQ(shown().other_conditions, 1u);
  for (const CollectedMode& best : shown().best)
    EXPECT_EQ(best.minibatch_ms, best.provenance == "simulated" ? 70 : 80);
  keep(before);
  collect_from(4, "nano-2");
  EXPECT_EQ(shown().other_conditions, 1u) << "of another board it is the latest";
}

// Whoever asked it, and wherever: as stored_trials() counts.
TEST_F(CollectedStore, ATableThatWasSearchedOnTwoMachinesIsOneBoard) {
  Measurement answered = trial(80);
  answered.origin = Origin::table;
  keep(answered);
  keep(answered);
  collect_from(2, "laptop");
  ASSERT_EQ(shown().best.size(), 2u);
  EXPECT_EQ(shown().best[0].boards, 1u);
  EXPECT_EQ(shown().best[0].measurements, 1u);
  EXPECT_EQ(stored_trials(store_, {}, {.simulated = true})->trials.size(), 1u);
}

TEST_F(CollectedStore, ARowOfATableCountsOnce) {
  Measurement imported = trial(80), answered = trial(81);
  imported.origin = Origin::imported;
  answered.origin = Origin::table;
  keep(answered);
  keep(answered);
  EXPECT_EQ(shown().best[0].measurements, 1u) << "two searches were answered one row";
  EXPECT_EQ(shown().best[0].minibatch_ms, 81);
  keep(imported);
  EXPECT_EQ(shown().best[0].measurements, 1u);
  EXPECT_EQ(shown().best[0].minibatch_ms, 80);
  // A search over a part of the table, whose rows were measured.
  imported.provenance = Provenance::measured;
  imported.trial.mode.values[axis::gpu_mhz] = 1300;
  answered = imported;
  answered.provenance = Provenance::table;
  answered.origin = Origin::table;
  answered.fingerprint = "table of fewer rows";
  keep(imported);
  keep(answered);
  for (const CollectedMode& best : shown().best) {
    EXPECT_NE(best.provenance, "table") << "it is the row that was imported";
    EXPECT_EQ(best.boards, 1u);
  }
}

// Of a trial whose power is not known one store says NULL.
TEST_F(CollectedStore, TrialsWithoutPowerAreOneGroup) {
  Measurement without = trial(80), unnamed = trial(82);
  without.power.reset();
  unnamed.power->total.clear();
  keep(without);
  keep(unnamed);
  ASSERT_EQ(shown().best.size(), 2u);
  EXPECT_EQ(shown().best[0].measurements, 2u);
}

TEST_F(CollectedStore, BoardsAreComparedByWhatTheyReadUnderTheirLatestConditions) {
  keep(trial(100));
  keep(trial(110));
  Measurement before = trial(500);
  before.conditions = Conditions{{"LibTorch", "older"}};
  before.started_utc = "2025-03-01T00:00:00Z";
  keep(before);
  collect_from(2, "nano-2");
  const CollectedFleet fleet = shown();
  ASSERT_EQ(fleet.spread.size(), 1u);
  EXPECT_NEAR(*fleet.spread[0].time_cv, 7.071 / 105, 1e-4);
  EXPECT_EQ(fleet.boards.size(), 2u);
}

}  // namespace
}  // namespace flyball
