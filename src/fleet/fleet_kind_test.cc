// The modes of a kind of board, out of what a store holds.
#include "fleet/fleet_kind.h"

#include <gmock/gmock.h>

#include "base/os/temp_folder.h"
#include "fleet/collected_fleet.h"
#include "space/axis.h"
#include "space/board_fingerprint.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class StoredKind : public testing::Test {
 protected:
  StoredKind() { training_.network = compared_network("resnet18", 0); }

  static Measurement trial(double ms, std::optional<double> workers = 4, double prefetch = 2) {
    Measurement one = sample_measurement(0);
    one.minibatch_ms = ms;
    Settings& settings = one.trial.job.settings;
    settings[axis::prefetch] = prefetch;
    if (workers) settings[axis::loader_workers] = *workers;
    return one;
  }
  void keep(const Measurement& one) { ASSERT_TRUE(store_.add_measurement(one).ok()); }
  Result<FleetKind> kind() { return stored_kind(store_, "orin_agx", training_); }

  TempFolder folder_;
  Store store_ = Store::open(folder_ / "store.db").value();
  FleetTraining training_;
};

// As `fleet show` counts them, whether each has a store or all share one.
TEST_F(StoredKind, SimulatedBoardsWithANumberEachCountOnce) {
  training_.accepted.simulated = true;
  for (const double ms : {60, 60, 60, 90}) {
    Measurement one = trial(ms);
    one.provenance = Provenance::simulated;
    one.fingerprint = individual_fingerprint("twin of orin_agx, constants 0a", ms == 60 ? 1 : 2, 7);
    keep(one);
  }
  const auto found = kind();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->maxn.minibatch_ms, 75);
  EXPECT_THAT(found->notes, testing::IsEmpty());
}

// Whatever batch it is asked for: as `fleet show` counts (CollectedStore of
// collected_fleet_test.cc).
TEST_F(StoredKind, OfABoardTheLatestSoftwareCounts) {
  Measurement before = trial(20), now = trial(80);
  before.fingerprint = "board p3701; kernel 5.10; driver 35.4";
  before.started_utc = "2025-03-01T00:00:00Z";
  now.trial.job.settings[axis::batch_size] = 32;
  keep(now);
  keep(before);
  const auto found = kind();
  ASSERT_FALSE(found.ok()) << "batch 16 was measured with other software alone";
  EXPECT_THAT(found.error().hint, HasSubstr("1 under other conditions than the latest"));
  training_.batch_size = 32;
  ASSERT_TRUE(kind().ok());
  EXPECT_EQ(kind()->maxn.minibatch_ms, 80);
  {
    Database file = *Database::open(folder_ / "store.db", {});
    FleetShowQuestion question;
    question.now_utc = "2026-03-02T00:00:00Z";
    const CollectedFleet shown = collected_fleet(file, question).value();
    EXPECT_EQ(shown.other_conditions, 1u);
    for (const CollectedMode& best : shown.best) EXPECT_EQ(best.minibatch_ms, 80);
  }
}

// As `compare boards` takes them.
TEST_F(StoredKind, TakesTheSettingsThatAreAskedFor) {
  keep(trial(60, 4, 2));
  keep(trial(40, 4, 8));
  keep(trial(20, {}));
  EXPECT_EQ(kind()->front.size(), 1u);
  EXPECT_EQ(kind()->maxn.minibatch_ms, 60);
  training_.prefetch = 8;
  EXPECT_EQ(kind()->maxn.minibatch_ms, 40);
  training_.loader_workers = 2;
  const auto untold = kind();
  ASSERT_TRUE(untold.ok()) << untold.error().message;
  EXPECT_EQ(untold->maxn.minibatch_ms, 20);
  EXPECT_THAT(untold->notes, Contains(HasSubstr("do not say how many loader workers")));
}

TEST_F(StoredKind, SaysWhichSettingsItHasNothingOf) {
  keep(trial(60, 0));
  EXPECT_THAT(kind().error().message, HasSubstr("at batch size 16 with 4 loader workers"));
}

TEST_F(StoredKind, WhatWouldBeTakenIsToldOfTheNetworkThatIsAskedFor) {
  Measurement simulated = trial(60);
  simulated.provenance = Provenance::simulated;
  keep(simulated);
  EXPECT_EQ(kind().error().hint, "1 simulated trials are left out: --accept simulated takes them");
  training_.network = compared_network("lstm", 0);
  EXPECT_THAT(kind().error().hint, Not(HasSubstr("--accept")));
}

}  // namespace
}  // namespace flyball
