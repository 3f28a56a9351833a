// Which trials of a store predict the modes of a board.
#include "tune/mode_prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "space/axis.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

class StoredForPrediction : public testing::Test {
 protected:
  void keep(double ms, const std::string& libraries = "2.1") {
    Measurement one = sample_measurement(0);
    one.conditions = Conditions{{"LibTorch", libraries}};
    one.minibatch_ms = ms;
    one.started_utc = libraries == "2.1" ? "2026-03-01T12:00:00Z" : "2025-03-01T12:00:00Z";
    ASSERT_TRUE(store_.add_measurement(one).ok());
  }
  void collect_from(int64_t first, const std::string& board) {
    ASSERT_TRUE(make_collected(folder_ / "store.db", board, first).ok());
  }
  Result<StoredWorkload> taken(bool own) {
    MeasurementFilter filter;
    filter.device = "orin_agx";
    filter.workload = "resnet18";
    filter.own = own;
    return stored_workload(store_, filter);
  }

  TempFolder folder_;
  Store store_ = Store::open(folder_ / "store.db").value();
};

// Boards of one kind and software have one fingerprint, and differ.
TEST_F(StoredForPrediction, OfThisMachineItsOwnCountOfAKindEachBoardOnce) {
  keep(60);
  for (const double ms : {90, 92, 97}) keep(ms);
  keep(500, "1.0");  // of the second board, long ago
  collect_from(2, "nano-2");
  EXPECT_THAT(taken(true)->table.minibatch_ms, UnorderedElementsAre(60));
  const auto kind = taken(false);
  ASSERT_TRUE(kind.ok()) << kind.error().message;
  EXPECT_THAT(kind->table.minibatch_ms, UnorderedElementsAre(60, 92));
  EXPECT_EQ(kind->left_out.other_conditions, 1u);
  collect_from(1, "nano-1");
  EXPECT_EQ(taken(true).error().code, Code::not_found);
}

TEST_F(StoredForPrediction, TimesOfWholeRunsAreNone) {
  Measurement whole = sample_measurement(0);
  whole.span = MeasuredSpan::whole_run;
  ASSERT_TRUE(store_.add_measurement(whole).ok());
  const auto refused = taken(true);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("1 whole-run trials are all that there are"));
  keep(60);
  EXPECT_THAT(taken(true)->table.minibatch_ms, UnorderedElementsAre(60));
}

TEST(KnownModes, SayWhoseTheyAre) {
  EXPECT_TRUE(known_modes("host")->here);
  const KnownModes twin = known_modes("twin:orin_nano@7").value();
  EXPECT_FALSE(twin.here);
  EXPECT_THAT(twin.fingerprint, HasSubstr(", board 7 of"));
}

}  // namespace
}  // namespace flyball
