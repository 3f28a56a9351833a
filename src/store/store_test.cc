#include "store/store.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "base/os/temp_folder.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StoreTest : public testing::Test {
 protected:
  Store open() {
    auto store = Store::open(folder_.path());
    EXPECT_TRUE(store.ok()) << store.error().message;
    return *std::move(store);
  }
  TempFolder folder_;
};

std::vector<int64_t> ids_of(const std::vector<StoredMeasurement>& stored) {
  std::vector<int64_t> ids;
  for (const StoredMeasurement& one : stored) ids.push_back(one.id);
  return ids;
}

// Everything that must agree for a measurement to be taken over.
MeasurementFilter like(const Measurement& m) {
  MeasurementFilter filter;
  filter.device = m.device;
  filter.fingerprint = m.fingerprint;
  filter.conditions = m.conditions;
  filter.workload = m.trial.job.workload;
  filter.phase = m.trial.job.phase;
  filter.provenance = m.provenance;
  return filter;
}

TEST_F(StoreTest, GivesBackEveryFieldOfAMeasurement) {
  Measurement m = sample_measurement(3);
  m.origin = Origin::told;
  m.span = MeasuredSpan::whole_run;
  m.interference = {"process 7 (flyball tune)", 0.25, false};
  int64_t id = 0;
  {
    Store store = open();
    id = store.add_measurement(m).value();
  }
  Store again = open();
  const auto found = again.measurements(like(m));
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_THAT(*found, SizeIs(1));
  EXPECT_EQ(found->front().id, id);
  EXPECT_EQ(found->front().measurement, m);
}

TEST_F(StoreTest, KeepsAMeasurementWithoutPower) {
  Measurement m = sample_measurement(0, 0);
  m.power.reset();
  m.power_trace.clear();
  m.power_gap = "power is not available on this machine: no sensor";
  m.noise = std::numeric_limits<double>::infinity();
  m.interference.throttled = m.repeated = true;
  m.provenance = Provenance::simulated;
  Store store = open();
  ASSERT_TRUE(store.add_measurement(m).ok());
  EXPECT_EQ(store.measurements(like(m)).value().at(0).measurement, m);
}

TEST_F(StoreTest, WhetherAnybodyLookedForThrottlingIsKept) {
  Store store = open();
  for (const std::optional<bool> looked : {std::optional<bool>(), {false}, {true}}) {
    Measurement m = sample_measurement(looked ? 1 + *looked : 0);
    m.interference.throttled = looked;
    ASSERT_TRUE(store.add_measurement(m).ok());
  }
  const auto kept = store.measurements({}).value();
  ASSERT_THAT(kept, SizeIs(3));
  EXPECT_EQ(kept[0].measurement.interference.throttled, std::nullopt);
  EXPECT_EQ(kept[1].measurement.interference.throttled, false);
  EXPECT_EQ(kept[2].measurement.interference.throttled, true);
}

TEST_F(StoreTest, ANumberThatIsNotKnownStaysUnknown) {
  Measurement m = sample_measurement(0);
  m.stall_ms = std::nan("");
  Store store = open();
  ASSERT_TRUE(store.add_measurement(m).ok());
  EXPECT_TRUE(std::isnan(store.measurements(like(m)).value().at(0).measurement.stall_ms));
}

TEST_F(StoreTest, FindsOnlyWhatWasMeasuredUnderTheSameConditions) {
  const Measurement m = sample_measurement(1);
  Store store = open();
  ASSERT_TRUE(store.add_measurement(m).ok());
  const auto found = [&](const Measurement& wanted) {
    return !store.measurements(like(wanted)).value().empty();
  };
  EXPECT_TRUE(found(m));
  Measurement other = m;
  other.fingerprint = "another kernel";
  EXPECT_FALSE(found(other));
  other = m;
  other.device = "orin_nano";
  EXPECT_FALSE(found(other));
  other = m;
  other.provenance = Provenance::table;
  EXPECT_FALSE(found(other));
  other = m;
  (*other.conditions)["dataset"] = "/data/other";
  EXPECT_FALSE(found(other));
  other = m;
  other.conditions->erase("power");
  EXPECT_FALSE(found(other));
  other = m;
  other.trial.job.phase = Phase::infer;
  EXPECT_FALSE(found(other));
}

TEST_F(StoreTest, CountsMeasurementsByTheirConditions) {
  Store store = open();
  std::vector<Measurement> all;
  for (int i = 0; i < 5; ++i) all.push_back(sample_measurement(i));
  (*all[1].conditions)["dataset"] = "/data/other";
  all[2].conditions.reset();
  all[4].fingerprint = "another kernel";
  ASSERT_TRUE(store.add_measurements(all).ok());
  const auto groups = store.conditions({}).value();
  ASSERT_THAT(groups, SizeIs(4));
  EXPECT_EQ(groups[0].conditions, all[1].conditions);
  EXPECT_FALSE(groups[1].conditions.has_value());
  EXPECT_EQ(groups[2].conditions, all[0].conditions);
  EXPECT_EQ(groups[2].measurements, 2u);
  EXPECT_EQ(groups[3].fingerprint, "another kernel");
  MeasurementFilter filter;
  filter.workload = "lenet5";
  EXPECT_THAT(store.conditions(filter).value(), SizeIs(0));
}

TEST_F(StoreTest, FiltersMeasurements) {
  Store store = open();
  std::vector<Measurement> all;
  for (int i = 0; i < 4; ++i) all.push_back(sample_measurement(i));
  all[1].trial.job.workload = "lenet5";
  all[2].power->total = "monitor";
  all[3].failure = "no";
  const std::vector<int64_t> ids = store.add_measurements(all).value();
  EXPECT_EQ(ids_of(store.measurements({}).value()), std::vector(ids.begin(), ids.begin() + 3));
  MeasurementFilter filter;
  filter.failed = true;
  EXPECT_THAT(store.measurements(filter).value(), SizeIs(4));
  filter.workload = "lenet5";
  EXPECT_THAT(ids_of(store.measurements(filter).value()), ElementsAre(ids[1]));
  filter = {};
  filter.power_total = "monitor";
  EXPECT_THAT(ids_of(store.measurements(filter).value()), ElementsAre(ids[2]));
  filter.phase = Phase::infer;
  EXPECT_THAT(store.measurements(filter).value(), SizeIs(0));
}

TEST_F(StoreTest, ABatchIsAddedAsAWholeOrNotAtAll) {
  Store store = open();
  std::vector<Measurement> batch = {sample_measurement(0), sample_measurement(1)};
  batch[1].trial.mode.values["cpu_mhz"] = std::nan("");
  const auto ids = store.add_measurements(batch);
  ASSERT_FALSE(ids.ok());
  EXPECT_THAT(ids.error().message, HasSubstr("cpu_mhz"));
  EXPECT_THAT(store.measurements({}).value(), SizeIs(0));
  // Conditions and jobs made by the failed batch must not be remembered as existing.
  EXPECT_TRUE(store.add_measurement(sample_measurement(0)).ok());
  EXPECT_FALSE(store.add_measurements(std::vector{sample_measurement(1)}, 77).ok());
  EXPECT_THAT(store.measurements({}).value(), SizeIs(1));
}

TEST_F(StoreTest, ARunGoesFromRunningToDone) {
  Store store = open();
  const int64_t id = store.begin_run(sample_request()).value();
  EXPECT_EQ(store.run(id).value().state, RunState::running);
  const int64_t first = store.add_measurement(sample_measurement(0)).value();
  ASSERT_TRUE(store.reuse(id, std::array{int64_t{first}}).ok());
  const int64_t second = store.add_measurement(sample_measurement(1), id).value();
  ASSERT_TRUE(store.finish_run(id, RunState::done, R"({"choice":1})").ok());
  const StoredRun run = store.run(id).value();
  EXPECT_EQ(run.state, RunState::done);
  EXPECT_EQ(run.answer, R"({"choice":1})");
  EXPECT_EQ(run.measurements, 2u);
  EXPECT_EQ(run.reused, 1u);
  EXPECT_EQ(run.request.seed, 7u);
  EXPECT_EQ(run.request.command, sample_request().command);
  EXPECT_EQ(run.request.conditions, sample_request().conditions);
  EXPECT_FALSE(run.finished_utc.empty());
  const auto kept = store.run_measurements(id);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  const auto& measured = kept.value();
  EXPECT_THAT(ids_of(measured), ElementsAre(first, second));
  EXPECT_TRUE(measured[0].reused);
  EXPECT_FALSE(measured[1].reused);
}

TEST_F(StoreTest, WhatARunHoldsIsNotLinkedToItAgain) {
  Store store = open();
  const int64_t earlier = store.add_measurement(sample_measurement(0)).value();
  const int64_t run = store.begin_run(sample_request()).value();
  ASSERT_TRUE(store.reuse(run, std::array{int64_t{earlier}}).ok());
  const int64_t own = store.add_measurement(sample_measurement(1), run).value();
  const int64_t repeat = store.add_measurement(sample_measurement(1), run).value();
  for (const int64_t known : {earlier, own, repeat})
    EXPECT_TRUE(store.reuse(run, std::array{int64_t{known}}).ok());
  EXPECT_THAT(ids_of(store.run_measurements(run).value()), ElementsAre(earlier, own, repeat));
  EXPECT_EQ(store.run(run).value().reused, 1u);
  const int64_t other = store.begin_run(sample_request()).value();
  ASSERT_TRUE(store.reuse(other, std::array{int64_t{own}}).ok());
  EXPECT_THAT(ids_of(store.run_measurements(other).value()), ElementsAre(own));
}

TEST_F(StoreTest, ARunWhoseProcessDiedIsInterruptedAndCanGoOn) {
  const pid_t child = fork();
  if (child == 0) {
    auto store = Store::open(folder_.path());
    const bool begun = store.ok() && store->begin_run(sample_request()).ok();
    _exit(begun ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  Store store = open();
  EXPECT_EQ(store.runs().value().at(0).state, RunState::interrupted);
  RunRequest other = sample_request();
  other.seed = 8;
  const int64_t interrupted = store.runs().value().at(0).id;
  EXPECT_NE(store.begin_or_resume(other).value(), interrupted);
  other = sample_request();
  (*other.conditions)["dataset"] = "/data/other";
  EXPECT_NE(store.begin_or_resume(other).value(), interrupted);
  other = sample_request();
  other.command += " --report out.html";
  ASSERT_EQ(store.begin_or_resume(other).value(), interrupted);
  EXPECT_EQ(store.run(interrupted).value().state, RunState::running);
  const int64_t second = store.begin_or_resume(other).value();
  EXPECT_NE(second, interrupted) << "the same command beside it is another run";
  ASSERT_TRUE(store.finish_run(interrupted, RunState::done, "{}").ok());
  ASSERT_TRUE(store.finish_run(second, RunState::done, "{}").ok());
  EXPECT_GT(store.begin_or_resume(other).value(), second);
}

// Eight commands that ask the same at once: one goes on with the run, and none fails.
TEST_F(StoreTest, RunsKnowTheRecordThatTheyAreIn) {
  Store store = open();
  const RunRequest recording{"flyball record", "{}", "host", "", 0, Conditions(), "/tmp/a.flyrec"};
  const RunRequest other{"flyball tune", "{}", "host", "", 0};
  const int64_t named = store.begin_run(recording).value();
  ::setenv("FLYBALL_RECORD", "/tmp/a.flyrec", 1);
  const int64_t meanwhile = store.begin_or_resume(other).value();
  ::unsetenv("FLYBALL_RECORD");
  const int64_t alone = store.begin_run(other).value();
  const auto found = store.runs_in_record("/tmp/a.flyrec").value();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].id, named);
  EXPECT_EQ(found[1].id, meanwhile);
  EXPECT_EQ(store.run(meanwhile).value().request.record, "/tmp/a.flyrec");
  EXPECT_EQ(store.run(alone).value().request.record, "");
  // Gone on with, without a record, it stays in the one that holds its beginning.
  ASSERT_TRUE(store.finish_run(meanwhile, RunState::interrupted, "").ok());
  EXPECT_EQ(store.begin_or_resume(other).value(), meanwhile);
  EXPECT_EQ(store.run(meanwhile).value().request.record, "/tmp/a.flyrec");
}

TEST_F(StoreTest, OfTwoThatAskAtOnceOneGoesOn) {
  int64_t interrupted = 0;
  {
    Store store = open();
    interrupted = store.begin_run(sample_request()).value();
    ASSERT_TRUE(store.finish_run(interrupted, RunState::interrupted, "").ok());
  }
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    auto store = Store::open(folder_.path());
    const auto run = store.ok() ? store->begin_or_resume(sample_request()) : store.error();
    usleep(500'000);  // running while the others ask
    _exit(!run ? 2 : *run == interrupted ? 1 : 0);
  }
  int went_on = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_NE(WEXITSTATUS(status), 2);
    went_on += WEXITSTATUS(status);
  }
  EXPECT_EQ(went_on, 1);
}

TEST_F(StoreTest, DeletingARunKeepsWhatOthersReuse) {
  Store store = open();
  const int64_t first = store.begin_run(sample_request()).value();
  const int64_t second = store.begin_run(sample_request()).value();
  const int64_t shared = store.add_measurement(sample_measurement(0), first).value();
  ASSERT_TRUE(store.add_measurement(sample_measurement(1), first).ok());
  ASSERT_TRUE(store.reuse(second, std::array{int64_t{shared}}).ok());
  const int64_t alone = store.add_measurement(sample_measurement(2)).value();
  EXPECT_EQ(store.delete_run(first).error().code, Code::conflict);
  ASSERT_TRUE(store.finish_run(first, RunState::failed, "").ok());
  const auto kept = store.delete_run(first);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->trials, 1u);
  EXPECT_THAT(kept->runs, ElementsAre(second));
  EXPECT_THAT(ids_of(store.measurements({}).value()), ElementsAre(shared, alone));
  EXPECT_EQ(store.run(first).error().code, Code::not_found);
  EXPECT_THAT(store.runs().value(), SizeIs(1));
}

TEST_F(StoreTest, AnUnknownRunOrMeasurementIsNamed) {
  Store store = open();
  for (const Error& error :
       {store.run(5).error(), store.run_measurements(5).error(), store.delete_run(5).error(),
        store.finish_run(5, RunState::done, "").error(),
        store.add_measurement(sample_measurement(0), 5).error()}) {
    EXPECT_EQ(error.code, Code::not_found);
    EXPECT_THAT(error.message, HasSubstr("no run 5"));
  }
  const int64_t run = store.begin_run(sample_request()).value();
  EXPECT_THAT(store.reuse(run, std::array{int64_t{9}}).error().message,
              HasSubstr("no measurement 9"));
}

TEST_F(StoreTest, ComparesTwoRunsTrialByTrial) {
  const std::vector<StoredMeasurement> first = {{1, sample_measurement(0), false},
                                                {2, sample_measurement(1), false}};
  std::vector<StoredMeasurement> second = {{3, sample_measurement(1), false},
                                           {4, sample_measurement(2), false}};
  second[0].measurement.minibatch_ms = 50;
  second.push_back({5, sample_measurement(1), false});
  second[2].measurement.minibatch_ms = 60;
  const auto rows = compare_measurements(first, second);
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_THAT(rows[0].first, SizeIs(1));
  EXPECT_THAT(rows[0].second, IsEmpty());
  EXPECT_EQ(rows[1].first[0]->measurement.minibatch_ms, 100.1);
  ASSERT_THAT(rows[1].second, SizeIs(2));  // all that it has, in their order
  EXPECT_EQ(rows[1].second[0]->measurement.minibatch_ms, 50);
  EXPECT_EQ(rows[1].second[1]->measurement.minibatch_ms, 60);
  EXPECT_THAT(rows[2].first, IsEmpty());
  EXPECT_EQ(rows[2].trial, sample_measurement(2).trial);
}

TEST_F(StoreTest, ComparesManyTrialsWithoutHoldingEachAgainstEach) {
  constexpr int count = 20'000;
  std::vector<StoredMeasurement> first, second;
  for (int i = 0; i < count; ++i) {
    Measurement m;
    m.trial = {{{{"cpu_mhz", i % 7}, {"gpu_mhz", i}}}, {"net", Phase::train, {{"batch_size", 16}}}};
    first.push_back({i, m, {}});
    m.trial.mode.values["cpu_mhz"] = (count - i) % 7;
    second.push_back({i, m, {}});
  }
  size_t compared = 0;
  const auto rows = compare_measurements(first, second, &compared);
  EXPECT_GT(rows.size(), size_t{count});
  EXPECT_GT(compared, size_t{count});
  // Each is looked up among at most 2n others: log2(40,000) < 16, and a tree may be twice as deep.
  EXPECT_LT(compared, size_t{2 * 32} * count);
}

TEST_F(StoreTest, IsSharedByThreads) {
  Store store = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&store, t] {
      for (int i = 0; i < 10; ++i) {
        const Measurement m = sample_measurement(10 * t + i);
        EXPECT_TRUE(store.add_measurement(m).ok());
        EXPECT_FALSE(store.measurements(like(m)).value().empty());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(store.measurements({}).value(), SizeIs(40));
}

TEST(StorePlace, IsAFileOrAFolder) {
  const TempFolder folder;
  EXPECT_EQ(Store::open(folder.path())->path(), folder / "store.db");
  EXPECT_EQ(Store::open(folder / "new/")->path(), folder / "new/store.db");
  EXPECT_EQ(Store::open(folder / "deep/er/mine.db")->path(), folder / "deep/er/mine.db");
}

TEST(StorePlace, DefaultFollowsTheEnvironment) {
  ::unsetenv("XDG_DATA_HOME");
  ::unsetenv("FLYBALL_STORE");
  ::unsetenv("HOME");
  EXPECT_TRUE(Store::default_place().is_absolute());
  ::setenv("HOME", "/home/ada", 1);
  EXPECT_EQ(Store::default_place(), "/home/ada/.local/share/flyball/store.db");
  ::setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(Store::default_place(), "/data/flyball/store.db");
  ::setenv("FLYBALL_STORE", "/srv/board.db", 1);
  EXPECT_EQ(Store::default_place(), "/srv/board.db");
  ::unsetenv("FLYBALL_STORE");
  ::unsetenv("XDG_DATA_HOME");
}

TEST_F(StoreTest, FactsOfABoardAreNumberedAmongItsRuns) {
  Store store = open();
  BoardFact fact{BoardFactKind::roofs,      "host", "a CPU", "{}", "2026-03-01T12:30:05Z",
                 "flyball roofline measure"};
  EXPECT_EQ(store.keep_fact(fact).value(), 1);
  const int64_t run = store.add_run({}, {}, "").value();
  EXPECT_EQ(run, 2);
  fact.kind = BoardFactKind::idle_power;
  EXPECT_EQ(store.keep_fact(fact).value(), 3);
  EXPECT_EQ(store.keep_fact(fact).value(), 4);
  const auto idle = store.facts({.kind = BoardFactKind::idle_power}).value();
  ASSERT_THAT(idle, SizeIs(2));
  EXPECT_EQ(idle[0].id, 4) << "latest first";
  EXPECT_EQ(idle[1].id, 3);
  EXPECT_EQ(store.facts({.id = 1}).value().front().kind, BoardFactKind::roofs);
  EXPECT_THAT(store.facts({.id = run}).value(), IsEmpty());
  EXPECT_THAT(store.runs().value(), SizeIs(1));
  EXPECT_THAT(store.run(3).error().message, HasSubstr("it measured idle power of host"));
  EXPECT_EQ(store.run_measurements(3).error().code, Code::not_found);
  ASSERT_TRUE(store.delete_run(4).ok());
  EXPECT_EQ(store.delete_run(4).error().code, Code::not_found);
  EXPECT_EQ(store.facts({.kind = BoardFactKind::idle_power}).value().front().id, 3);
  EXPECT_EQ(store.keep_fact(fact).value(), 5) << "a number of what was deleted does not come back";
}

// What is collected today may have been measured long before what is known here.
TEST_F(StoreTest, FactsKnowWhoseTheyAreAndTheLatestMeasuredComesFirst) {
  Store store = open();
  BoardFact fact{BoardFactKind::roofs,      "host", "a CPU", "{}", "2026-03-01T12:30:05Z",
                 "flyball roofline measure"};
  ASSERT_TRUE(store.keep_fact(fact).ok());
  ASSERT_TRUE(make_collected(folder_ / "store.db", "orinB").ok());
  fact.measured_utc = "2026-01-01T12:30:05Z";
  ASSERT_TRUE(store.keep_fact(fact).ok());
  const auto facts = store.facts({}).value();
  ASSERT_THAT(facts, SizeIs(2));
  EXPECT_EQ(facts[0].id, 1);
  EXPECT_EQ(facts[0].board(), "orinB");
  EXPECT_EQ(facts[0].origin->run, 1);
  EXPECT_FALSE(facts[1].origin.has_value());
}

}  // namespace
}  // namespace flyball
