#include "store/stored_trials.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/os/temp_folder.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using testing::ElementsAre;

Measurement disturbed(int n) {
  Measurement m = sample_measurement(n);
  m.interference.by = "process 7 (flyball tune)";
  return m;
}
Measurement throttled(int n) {
  Measurement m = sample_measurement(n);
  m.interference.throttled = true;
  return m;
}
Measurement known_as(int n, Provenance provenance) {
  Measurement m = sample_measurement(n);
  m.provenance = provenance;
  return m;
}
Measurement failed(int n) {
  Measurement m = sample_measurement(n);
  m.failure = "out of memory";
  return m;
}

std::vector<int> numbers(const StoredTrials& stored) {
  std::vector<int> numbers;
  for (const StoredMeasurement& one : stored.trials)
    numbers.push_back(static_cast<int>(std::lround(10 * (one.measurement.minibatch_ms - 100))));
  return numbers;
}

TEST(StoredTrials, ARowOfATableCountsOnceHoweverOftenItWasAnswered) {
  const TempFolder folder;
  Store store = *Store::open(folder.path());
  const auto of_table = [](int n, Origin origin) {
    Measurement m = sample_measurement(n);
    m.origin = origin;
    return m;
  };
  // A search over a part of the table, and one over another table.
  Measurement part = of_table(1, Origin::table), elsewhere = part;
  part.fingerprint = "table of fewer rows";
  elsewhere.fingerprint = "table of another content";
  elsewhere.minibatch_ms = 100.9;
  const std::vector<Measurement> all = {of_table(0, Origin::table),
                                        of_table(1, Origin::imported),
                                        of_table(0, Origin::imported),
                                        of_table(0, Origin::imported),
                                        of_table(1, Origin::table),
                                        of_table(2, Origin::table),
                                        of_table(2, Origin::table),
                                        part,
                                        elsewhere,
                                        sample_measurement(3),
                                        sample_measurement(3)};
  ASSERT_TRUE(store.add_measurements(all).ok());
  EXPECT_THAT(numbers(*stored_trials(store, {})), ElementsAre(1, 0, 0, 2, 9, 3, 3))
      << "repeats of the table, and of measurements, are none of these";
}

// A table that repeats a row answers their median, and so does a part of it.
TEST(StoredTrials, TheMedianOfImportedRowsIsNoOther) {
  const TempFolder folder;
  Store store = *Store::open(folder.path());
  std::vector<Measurement> all(3, sample_measurement(0));
  for (Measurement& m : all) m.origin = Origin::imported;
  all[1].minibatch_ms = 102;
  all[1].power->mean_w = 31.5;
  all[2].origin = Origin::table;
  all[2].fingerprint = "table of fewer rows";
  all[2].minibatch_ms = 101;
  all[2].power->mean_w = 31;
  ASSERT_TRUE(store.add_measurements(all).ok());
  EXPECT_THAT(numbers(*stored_trials(store, {})), ElementsAre(0, 20));
}

TEST(StoredTrials, OnlyWhatStandsAloneAndIsAcceptedCounts) {
  const TempFolder folder;
  Store store = *Store::open(folder.path());
  const std::vector<Measurement> all = {sample_measurement(0),
                                        disturbed(1),
                                        throttled(2),
                                        failed(3),
                                        known_as(4, Provenance::simulated),
                                        known_as(5, Provenance::predicted),
                                        known_as(6, Provenance::table)};
  ASSERT_TRUE(store.add_measurements(all).ok());
  const StoredTrials plain = *stored_trials(store, {});
  EXPECT_THAT(numbers(plain), ElementsAre(0, 6));
  EXPECT_EQ(plain.left_out.words(), "1 disturbed, 1 throttled, 1 simulated and 1 predicted trials");
  const StoredTrials asked = *stored_trials(store, {}, {.simulated = true});
  EXPECT_THAT(numbers(asked), ElementsAre(0, 4, 6));
  // What was asked for as well, failed trials never do.
  MeasurementFilter also;
  also.failed = true;
  EXPECT_THAT(numbers(*stored_trials(store, also)), ElementsAre(0, 6));
  EXPECT_EQ(LeftOutTrials().words(), "");
}

TEST(StoredTrials, OtherConditionsThanTheLatestsAreLeftOutAndImportsStay) {
  Measurement older = sample_measurement(0), imported = sample_measurement(1),
              latest = sample_measurement(2), beside = disturbed(3);
  older.conditions = Conditions{{"dataset", "/data/old"}};
  imported.conditions = Conditions();
  imported.origin = Origin::imported;
  const TempFolder folder;
  Store store = *Store::open(folder.path());
  const std::vector<Measurement> all = {older, imported, latest, beside};
  ASSERT_TRUE(store.add_measurements(all).ok());
  const StoredTrials kept = of_latest_conditions(*stored_trials(store, {}));
  EXPECT_THAT(numbers(kept), ElementsAre(1, 2));  // the disturbed one is later, and does not count
  EXPECT_EQ(kept.left_out.other_conditions, 1u);
  EXPECT_EQ(kept.left_out.words(), "1 disturbed trials, 1 under other conditions than the latest");
}

// A store that was measured long ago may be collected after one of today.
TEST(StoredTrials, TheLatestIsThatOfTheLatestTimeNotOfTheLastRow) {
  Measurement today = sample_measurement(0), long_ago = sample_measurement(1);
  today.conditions = Conditions{{"LibTorch", "2.6.0"}};
  long_ago.conditions = Conditions{{"LibTorch", "1.13.1"}};
  today.started_utc = "2026-05-01T00:00:00Z";
  long_ago.started_utc = "2026-01-01T00:00:00Z";
  const TempFolder folder;
  Store store = *Store::open(folder.path());
  ASSERT_TRUE(store.add_measurements(std::vector{today, long_ago}).ok());
  EXPECT_THAT(numbers(of_latest_conditions(*stored_trials(store, {}))), ElementsAre(0));
}

}  // namespace
}  // namespace flyball
