#include "store/experiment_run_rows.h"

#include <gmock/gmock.h>

#include "base/os/temp_folder.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class ExperimentRuns : public testing::Test {
 protected:
  ExperimentRuns() : store_(Store::open(folder_ / "a.db").value()) {}

  static ExperimentRun row(int repeat) {
    return {.device = "host",
            .fingerprint = "a CPU; data digits",
            .conditions = Conditions{{"CPU governor", "powersave"}},
            .settings = R"({"workers":2})",
            .repeat = repeat,
            .figures = R"({"epochs":[]})"};
  }
  std::vector<ExperimentRun> of(int64_t run) {
    return store_.experiment_runs({.run = run}).value();
  }

  const TempFolder folder_;
  Store store_;
};

TEST_F(ExperimentRuns, AreReadBackInTheirOrderWithWhoMadeThem) {
  const int64_t first = store_.begin_run({}).value(), second = store_.begin_run({}).value();
  const int64_t made = store_.add_experiment_run(row(0), first).value();
  ASSERT_TRUE(store_.add_experiment_run(row(1), second).ok());
  ASSERT_TRUE(store_.reuse_experiment_run(second, made).ok());
  ASSERT_TRUE(store_.reuse_experiment_run(second, made).ok()) << "it is there already";
  ASSERT_TRUE(store_.reuse_experiment_run(first, made).ok()) << "its own";

  const auto rows = of(second);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].repeat, 1);
  EXPECT_FALSE(rows[0].reused);
  EXPECT_EQ(rows[0].run, second);
  EXPECT_EQ(rows[1].id, made);
  EXPECT_TRUE(rows[1].reused);
  EXPECT_EQ(rows[1].run, first);
  EXPECT_EQ(rows[1].device, "host");
  EXPECT_EQ(rows[1].fingerprint, row(0).fingerprint);
  EXPECT_EQ(rows[1].conditions, row(0).conditions);
  EXPECT_EQ(rows[1].settings, row(0).settings);
  EXPECT_EQ(rows[1].figures, row(0).figures);
  EXPECT_FALSE(of(first)[0].reused) << "what it made itself it has not taken over";

  const StoredRun run = store_.run(second).value();
  EXPECT_EQ(run.experiment_runs, 2u);
  EXPECT_EQ(run.reused, 1u);
  EXPECT_EQ(run.measurements, 0u);
  EXPECT_EQ(store_.experiment_runs({.fingerprint = row(0).fingerprint}).value().size(), 2u);
  EXPECT_TRUE(store_.experiment_runs({.fingerprint = "another"}).value().empty());
  EXPECT_EQ(store_.experiment_runs({.own = true}).value().size(), 2u);
  ASSERT_TRUE(make_collected(store_.path(), "orinB").ok());
  EXPECT_TRUE(store_.experiment_runs({.own = true}).value().empty()) << "another board's";
}

TEST_F(ExperimentRuns, WhatAnotherRunHasTakenOverOutlivesItsMaker) {
  const int64_t first = store_.add_experiment({}, std::vector{row(0), row(1)}).value();
  const int64_t second = store_.begin_run({}).value();
  ASSERT_TRUE(store_.reuse_experiment_run(second, of(first)[1].id).ok());
  const auto kept = store_.delete_run(first);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->trials, 1u);
  EXPECT_EQ(kept->runs, std::vector{second});
  const auto all = store_.experiment_runs({}).value();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].repeat, 1);
  EXPECT_FALSE(all[0].run) << "its maker was deleted";
  ASSERT_TRUE(store_.finish_run(second, RunState::done, "").ok());
  ASSERT_TRUE(store_.delete_run(second).ok());
  EXPECT_TRUE(store_.experiment_runs({}).value().empty());
  EXPECT_TRUE(store_.check().ok());
}

TEST_F(ExperimentRuns, PointAtARunThatThereIs) {
  EXPECT_EQ(store_.add_experiment_run(row(0), 7).error().code, Code::not_found);
  EXPECT_TRUE(store_.experiment_runs({}).value().empty()) << "all of it, or nothing";
  const int64_t run = store_.begin_run({}).value();
  const Status nothing = store_.reuse_experiment_run(run, 9);
  ASSERT_FALSE(nothing.ok());
  EXPECT_THAT(nothing.error().message, HasSubstr("there is no run 9 of an experiment"));
}

}  // namespace
}  // namespace flyball
