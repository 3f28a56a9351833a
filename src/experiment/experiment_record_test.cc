#include "experiment/experiment_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "experiment/run_figures_testing.h"

namespace flyball {
namespace {

class ExperimentRecordTest : public testing::Test {
 protected:
  ExperimentRecordTest() : store_(Store::open(folder_ / "a.db").value()) {
    request_.request = "workers";
    request_.fingerprint = "this machine";
    request_.conditions = Conditions{{"CPU governor", "powersave"}};
  }

  ExperimentRecord open(bool fresh = false) {
    auto record = ExperimentRecord::open(&store_, request_, fresh);
    EXPECT_TRUE(record.ok()) << record.error().message;
    return *std::move(record);
  }
  RunFigures run(int workers) const {
    RunFigures run = some_run(workers);
    run.conditions = request_.conditions;
    return run;
  }
  // What a start of the experiment that was interrupted leaves.
  void measure_and_stop(int workers, bool fresh = false) {
    ExperimentRecord record = open(fresh);
    ASSERT_TRUE(record.add(run(workers)).ok());
    ASSERT_TRUE(record.finish(Error{Code::interrupted, "interrupted", ""}, "").ok());
  }

  const TempFolder folder_;
  Store store_;
  RunRequest request_;
};

TEST_F(ExperimentRecordTest, GoesOnWithAnInterruptedOne) {
  measure_and_stop(0);
  ExperimentRecord record = open();
  const StoredFigures* known = record.find(run(0).settings, 0);
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(record.find(run(0).settings, 1), nullptr);
  EXPECT_EQ(record.find(run(2).settings, 0), nullptr);
  ASSERT_TRUE(record.reuse(*known).ok());
  ASSERT_TRUE(record.add(run(2)).ok());
  ASSERT_TRUE(record.finish({}, "{}").ok());
  ASSERT_EQ(store_.runs()->size(), 1u);
  const StoredRun stored = store_.run(1).value();
  EXPECT_EQ(stored.state, RunState::done);
  EXPECT_EQ(stored.answer, "{}");
  EXPECT_EQ(stored.experiment_runs, 2u);
  EXPECT_EQ(stored.reused, 0u) << "it has measured both itself";
}

TEST_F(ExperimentRecordTest, AnotherStartTakesOverWhatThereIs) {
  measure_and_stop(0);
  request_.request = "another question";
  ExperimentRecord record = open();
  ASSERT_TRUE(record.reuse(*record.find(run(0).settings, 0)).ok());
  EXPECT_EQ(store_.run(2)->reused, 1u);
  request_.conditions = Conditions{{"CPU governor", "performance"}};
  EXPECT_EQ(open().find(run(0).settings, 0), nullptr);
}

// As of tune: it begins anew, and after an interrupt it goes on with what itself has measured.
TEST_F(ExperimentRecordTest, FreshKnowsOnlyWhatItMeasuredItself) {
  measure_and_stop(0);
  request_.request = "fresh";
  EXPECT_EQ(open(true).find(run(0).settings, 0), nullptr);
  ASSERT_TRUE(store_.finish_run(2, RunState::interrupted, "").ok());
  measure_and_stop(2, true);
  ExperimentRecord record = open(true);
  EXPECT_EQ(record.find(run(0).settings, 0), nullptr);
  EXPECT_NE(record.find(run(2).settings, 0), nullptr);
  EXPECT_EQ(store_.runs()->size(), 2u);
}

TEST_F(ExperimentRecordTest, AFailureIsNotGoneOnWith) {
  ExperimentRecord record = open();
  ASSERT_TRUE(record.add(run(0)).ok());
  ASSERT_TRUE(record.finish(Error{Code::io, "the disk is full", ""}, "").ok());
  EXPECT_EQ(store_.run(1)->state, RunState::failed);
  EXPECT_NE(open().find(run(0).settings, 0), nullptr);
  EXPECT_EQ(store_.runs()->size(), 2u);
}

TEST_F(ExperimentRecordTest, WithoutAStoreNothingIsKnownOrKept) {
  auto record = ExperimentRecord::open(nullptr, request_, false);
  ASSERT_TRUE(record.ok());
  EXPECT_TRUE(record->add(run(0)).ok());
  EXPECT_EQ(record->find(run(0).settings, 0), nullptr);
  EXPECT_TRUE(record->finish({}, "{}").ok());
}

}  // namespace
}  // namespace flyball
