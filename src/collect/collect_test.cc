#include "collect/collect.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/temp_folder.h"
#include "collect/collect_stores.h"
#include "sql/postgres_testing.h"
#include "store/sample_testing.h"
#include "store/store.h"
#include "store/store_database.h"

namespace flyball {
namespace {

using testing::HasSubstr;

// The same into a file and into PostgreSQL, read by the same queries.
class Collect : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) return;
    if (const std::string why = PostgresServer::missing(); !why.empty()) GTEST_SKIP() << why;
    if (!server_) server_ = std::make_unique<PostgresServer>();
    ASSERT_TRUE(server_->run("DROP SCHEMA IF EXISTS flyball CASCADE").ok());
  }
  static void TearDownTestSuite() { server_.reset(); }

  std::string target() const {
    return GetParam() ? server_->place() : (folder_ / "fleet.db").string();
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }
  Store open(const char* name) const { return *Store::open(file(name)); }
  Store opened_own() const { return *Store::open(target()); }
  Store opened_target() const { return *Store::open_to_read(target()); }
  Collected take(const char* name) const {
    auto opened = CollectTarget::open(target());
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    auto taken = opened->take(file(name));
    EXPECT_TRUE(taken.ok()) << taken.error().message;
    return taken.ok() ? *taken : Collected();
  }
  std::vector<Measurement> samples(int from, int count) const {
    std::vector<Measurement> all;
    for (int i = from; i < from + count; ++i) all.push_back(sample_measurement(i));
    return all;
  }

  TempFolder folder_;
  static std::unique_ptr<PostgresServer> server_;
};
std::unique_ptr<PostgresServer> Collect::server_;

INSTANTIATE_TEST_SUITE_P(Into, Collect, testing::Bool(),
                         [](const auto& into) { return into.param ? "PostgreSQL" : "AFile"; });

// Another store leans on what was deleted here since: it comes back.
TEST_P(Collect, WhatAnotherStoreReusedAndWasDeletedComesBack) {
  if (GetParam()) GTEST_SKIP() << "nothing is deleted in a database";
  const int64_t gone = *opened_own().add_run(sample_request(), samples(0, 2), "");
  {
    auto other = CollectTarget::open(file("other.db"));
    ASSERT_TRUE(other.ok());
    ASSERT_TRUE(other->take(target()).ok());
  }
  {
    Store other = open("other.db");
    const auto known = other.run_measurements(1);
    ASSERT_TRUE(known.ok());
    const int64_t leans = *other.add_run(sample_request(), samples(3, 1), "");
    ASSERT_TRUE(other.reuse(leans, std::vector<int64_t>{known->front().id}).ok());
    ASSERT_TRUE(other.add_run(sample_request(), samples(5, 1), "").ok());
  }
  ASSERT_TRUE(opened_own().delete_run(gone).ok());
  const Collected taken = take("other.db");
  EXPECT_EQ(taken.new_runs, 2u) << "the run after that, too";
  EXPECT_EQ(take("other.db").new_runs, 0u);
}

// Whatever numbers they got here: what is latest was begun last.
TEST_P(Collect, AnOlderStoreThatComesLaterIsNotTheLatest) {
  for (const char* name : {"new.db", "old.db"}) {
    Measurement one = sample_measurement(0);
    one.fingerprint = name;
    const bool old = name == std::string("old.db");
    if (old) one.started_utc = "2025-01-01T00:00:00Z";
    ASSERT_TRUE(open(name).add_run(sample_request(), std::array{one}, "").ok());
    const std::string began = "UPDATE runs SET started_utc = '2025-01-01T00:00:00Z'";
    if (old) {
      ASSERT_TRUE(open_store_database(file(name), {})->run(began, {}).ok());
    }
    (void)take(name);
  }
  Store store = opened_target();
  const auto runs = store.runs().value();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].origin->name, file("new.db"));
  EXPECT_LT(runs[0].id, runs[1].id);
  EXPECT_EQ(store.conditions({}).value().back().fingerprint, "new.db");
}

TEST_P(Collect, AllOfAStoreOnceAndAsItWas) {
  std::string identity;
  {
    Store store = open("a.db");
    identity = store.identity().value();
    const int64_t run = store.add_run(sample_request(), samples(0, 3), R"({"choice":1})").value();
    ASSERT_TRUE(store
                    .reuse(store.add_run(sample_request(), samples(3, 1), "").value(),
                           std::array<int64_t, 2>{1, 2})
                    .ok());
    ASSERT_TRUE(
        store
            .add_experiment(
                sample_request(),
                std::vector<ExperimentRun>{
                    {.device = "orin_agx", .fingerprint = "f", .settings = "{}", .figures = "[1]"}})
            .ok());
    ASSERT_TRUE(store.keep_fact({.device = "orin_agx", .json = "{\"power_w\":4}"}).ok());
    Measurement bare;
    bare.device = "host";
    bare.trial.job.workload = "net";
    ASSERT_TRUE(store.add_measurement(bare).ok()) << "of no run";
    EXPECT_EQ(run, 1);
  }
  EXPECT_EQ(identity.size(), 32u);
  EXPECT_EQ(open("a.db").identity().value(), identity);
  const Collected first = take("a.db");
  EXPECT_EQ(first.store, identity);
  EXPECT_EQ(first.new_runs, 3u);
  EXPECT_EQ(first.measurements, 5u);
  EXPECT_EQ(first.experiment_runs, 1u);
  EXPECT_EQ(first.facts, 1u);
  EXPECT_TRUE(opened_target().runs().ok()) << opened_target().runs().error().message;
  const Collected again = take("a.db");
  EXPECT_EQ(again.new_runs + again.changed_runs + again.measurements + again.facts, 0u);
  EXPECT_EQ(again.known_runs, 3u);

  Store store = opened_target(), source = open("a.db");
  auto runs = store.runs().value();
  std::ranges::sort(runs, {}, [](const StoredRun& run) { return run.origin->run; });
  ASSERT_EQ(runs.size(), 3u);
  for (const StoredRun& run : runs) {
    EXPECT_EQ(run.origin->store, identity);
    EXPECT_EQ(run.origin->name, file("a.db"));
    const StoredRun there = source.run(run.origin->run).value();
    EXPECT_EQ(run.request.command, there.request.command);
    EXPECT_EQ(run.request.seed, there.request.seed);
    EXPECT_EQ(run.request.record, there.request.record);
    EXPECT_EQ(run.request.conditions, there.request.conditions);
    EXPECT_EQ(run.answer, there.answer);
    EXPECT_EQ(run.started_utc, there.started_utc);
    EXPECT_EQ(run.reused, there.reused);
    const auto rows = store.run_measurements(run.id).value();
    const auto rows_there = source.run_measurements(there.id).value();
    ASSERT_EQ(rows.size(), rows_there.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const Measurement &m = rows[i].measurement, &other = rows_there[i].measurement;
      EXPECT_EQ(m.minibatch_ms, other.minibatch_ms);
      EXPECT_EQ(m.trial.mode.values, other.trial.mode.values);
      EXPECT_EQ(m.seed, other.seed);
      EXPECT_EQ(m.power->mean_w, other.power->mean_w);
      EXPECT_EQ(m.clocks, other.clocks);
      EXPECT_EQ(m.minibatches.size(), other.minibatches.size());
      EXPECT_EQ(m.power_trace.size(), other.power_trace.size());
      EXPECT_EQ(m.conditions, other.conditions);
      EXPECT_EQ(m.interference.throttled, other.interference.throttled);
      EXPECT_EQ(rows[i].reused, rows_there[i].reused);
    }
  }
  EXPECT_EQ(store.facts({}).value().size(), 1u);
  ASSERT_EQ(store.experiment_runs({}).value().size(), 1u);
  EXPECT_EQ(store.experiment_runs({.run = runs[2].id}).value().front().figures, "[1]");
  EXPECT_EQ(store.measurements({}).value().size(), 5u);
  MeasurementFilter filter;
  filter.device = "orin_agx";
  filter.phase = Phase::train;
  filter.conditions = sample_measurement(0).conditions;
  EXPECT_EQ(store.measurements(filter).value().size(), 4u);
  EXPECT_EQ(store.conditions({}).value().size(), source.conditions({}).value().size());
  EXPECT_EQ(store.makers(store.run_measurements(runs[1].id).value()).value().size(), 2u);
  EXPECT_EQ(store.requests("orin_agx", sample_request().fingerprint).value().size(), 3u);
  EXPECT_TRUE(store.check().ok());
  EXPECT_NE(store.identity().value(), identity);
}

TEST_P(Collect, ARunThatHasGoneOnIsCompleted) {
  int64_t run = 0;
  {
    Store store = open("a.db");
    run = store.begin_run(sample_request()).value();
    ASSERT_TRUE(store.add_measurements(samples(0, 600), run).ok());
    EXPECT_EQ(take("a.db").running_runs, 1u) << "by this process";
    ASSERT_TRUE(store.finish_run(run, RunState::interrupted, "").ok());
  }
  EXPECT_EQ(take("a.db").measurements, 600u);
  {
    Store store = open("a.db");
    ASSERT_EQ(store.begin_or_resume(sample_request()).value(), run);
    ASSERT_TRUE(store.add_measurements(samples(600, 7), run).ok());
    ASSERT_TRUE(store.finish_run(run, RunState::done, "{}").ok());
  }
  const Collected more = take("a.db");
  EXPECT_EQ(more.changed_runs, 1u);
  EXPECT_EQ(more.measurements, 7u);
  EXPECT_EQ(take("a.db").known_runs, 1u);
  Store store = opened_target();
  ASSERT_EQ(store.runs().value().size(), 1u);
  const StoredRun kept = store.runs().value().front();
  EXPECT_EQ(kept.state, RunState::done);
  EXPECT_EQ(kept.answer, "{}");
  const auto rows = store.run_measurements(kept.id).value();
  ASSERT_EQ(rows.size(), 607u);
  for (int i = 0; i < 607; ++i)
    ASSERT_EQ(rows[static_cast<size_t>(i)].measurement.minibatch_ms, 100 + 0.1 * i);
}

// A hub that was fed yesterday, a copy from last week.
TEST_P(Collect, AnOlderStateThatComesLaterChangesNothing) {
  int64_t run = 0;
  {
    Store store = open("a.db");
    run = store.begin_run(sample_request()).value();
    ASSERT_TRUE(store.add_measurements(samples(0, 3), run).ok());
    ASSERT_TRUE(store.finish_run(run, RunState::interrupted, "").ok());
  }
  std::filesystem::copy_file(file("a.db"), file("old.db"));
  {
    Store store = open("a.db");
    ASSERT_EQ(store.begin_or_resume(sample_request()).value(), run);
    ASSERT_TRUE(store.add_measurements(samples(3, 2), run).ok());
    ASSERT_TRUE(store.finish_run(run, RunState::done, "{}").ok());
  }
  EXPECT_EQ(take("a.db").measurements, 5u);
  const Collected older = take("old.db");
  EXPECT_EQ(older.known_runs, 1u);
  EXPECT_EQ(older.changed_runs, 0u);
  const StoredRun kept = opened_target().runs().value().front();
  EXPECT_EQ(kept.state, RunState::done);
  EXPECT_EQ(kept.answer, "{}");
  EXPECT_EQ(kept.measurements, 5u);
}

// Whether a process of another machine runs, only that machine knows.
TEST_P(Collect, ACopyTellsWhatRanWhenItWasMade) {
  Store store = open("a.db");
  const int64_t run = store.begin_run(sample_request()).value();
  ASSERT_TRUE(store.add_measurements(samples(0, 2), run).ok());
  std::filesystem::remove(file("copy.db"));
  ASSERT_TRUE(Database::open(file("a.db"), {})->run("VACUUM INTO ?", {file("copy.db")}).ok());
  ASSERT_TRUE(settle_running_runs(file("copy.db")).ok());
  EXPECT_EQ(take("copy.db").running_runs, 1u);
  EXPECT_TRUE(opened_target().runs().value().empty());
  ASSERT_TRUE(Database::open(file("copy.db"), {})
                  ->run("UPDATE runs SET process = 'another-boot 1 2'", {})
                  .ok());
  ASSERT_TRUE(settle_running_runs(file("copy.db")).ok());
  EXPECT_EQ(take("copy.db").new_runs, 1u) << "it was killed there";
  EXPECT_EQ(opened_target().runs().value().front().state, RunState::interrupted);
}

TEST_P(Collect, ACommandThatIsNoUtf8IsTheSameAgain) {
  RunRequest request = sample_request();
  request.command = "flyball tune caf\xe9";
  { ASSERT_TRUE(open("a.db").add_run(request, samples(0, 1), "").ok()); }
  EXPECT_EQ(take("a.db").new_runs, 1u);
  EXPECT_EQ(take("a.db").known_runs, 1u);
}

TEST_P(Collect, WhatWasCollectedTwiceByTwoWaysIsThereOnce) {
  { ASSERT_TRUE(open("a.db").add_run(sample_request(), samples(0, 3), "").ok()); }
  { ASSERT_TRUE(open("b.db").add_run(sample_request(), samples(3, 2), "").ok()); }
  {
    auto hub = CollectTarget::open(file("hub.db"));
    ASSERT_TRUE(hub->take(file("a.db")).ok());
  }
  { ASSERT_TRUE(open("hub.db").add_run(sample_request(), samples(5, 1), "").ok()); }
  EXPECT_EQ(take("a.db").measurements, 3u);
  const Collected of_hub = take("hub.db");
  EXPECT_EQ(of_hub.new_runs, 1u) << "its own one";
  EXPECT_EQ(of_hub.measurements, 1u);
  EXPECT_EQ(take("b.db").measurements, 2u);
  EXPECT_EQ(opened_target().measurements({}).value().size(), 6u);
}

TEST_P(Collect, ABoardsNameThatIsGivenLaterTravelsOn) {
  { ASSERT_TRUE(open("a.db").add_run(sample_request(), samples(0, 1), "").ok()); }
  const auto to_hub = [&](const std::string& board) {
    auto hub = CollectTarget::open(file("hub.db"));
    ASSERT_TRUE(hub->take(file("a.db"), board).ok());
  };
  to_hub("");
  take("hub.db");
  to_hub("nx7");
  take("hub.db");
  const auto held = opened_target().measurements({}).value();
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].board, "nx7");
  // What it is called is what it was called last.
  sleep_until_ns(monotonic_ns() + 1'100'000'000);  // times are kept in seconds
  std::filesystem::rename(file("a.db"), file("nx8.db"));
  {
    auto hub = CollectTarget::open(file("hub.db"));
    ASSERT_TRUE(hub->take(file("nx8.db"), "nx8").ok());
  }
  take("hub.db");
  EXPECT_EQ(opened_target().measurements({}).value()[0].board, "nx8");
  // Another hub, that was fed before, changes nothing.
  std::filesystem::copy_file(file("hub.db"), file("old.db"));
  ASSERT_TRUE(Database::open(file("old.db"), {})
                  ->run("UPDATE stores SET board = 'nx1', name = 'n', collected_utc = "
                        "'2026-01-01T00:00:00Z' WHERE NOT own",
                        {})
                  .ok());
  take("old.db");
  EXPECT_EQ(opened_target().measurements({}).value()[0].board, "nx8");
}

// The connection to a database that is read is made anew, as that to one that is written to.
TEST_P(Collect, ASourceThatGoesAwayIsReadAgain) {
  if (!GetParam()) GTEST_SKIP() << "a file does not go away";
  { ASSERT_TRUE(open("a.db").add_run(sample_request(), samples(0, 4000), "").ok()); }
  take("a.db");
  std::thread server([&] {
    EXPECT_TRUE(server_
                    ->run("DO $$ BEGIN FOR i IN 1..2000 LOOP PERFORM pg_stat_clear_snapshot(); "
                          "IF (SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                          "state = 'idle in transaction') > 0 THEN EXIT; END IF; PERFORM "
                          "pg_sleep(0.005); END LOOP; END $$")
                    .ok());
  });
  auto into = CollectTarget::open(file("copy.db"));
  const auto taken = into->take(server_->place());
  server.join();
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_EQ(taken->measurements, 4000u);
}

TEST_P(Collect, ManyAtOnceTakeEachRunOnce) {
  {
    Store store = open("a.db");
    for (int run = 0; run < 8; ++run)
      ASSERT_TRUE(store.add_run(sample_request(), samples(10 * run, 10), "").ok());
  }
  { ASSERT_TRUE(open("b.db").add_run(sample_request(), samples(0, 5), "").ok()); }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      take(i % 2 == 0 ? "a.db" : "b.db");
      take(i % 2 == 0 ? "b.db" : "a.db");
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened_target().runs().value().size(), 9u);
  EXPECT_EQ(opened_target().measurements({}).value().size(), 85u);
}

TEST_P(Collect, ACopyThatWentOnIsRefused) {
  { ASSERT_TRUE(open("a.db").add_run(sample_request(), samples(0, 1), "").ok()); }
  std::filesystem::copy_file(file("a.db"), file("b.db"));
  RunRequest other = sample_request();
  other.command = "flyball tune lenet5";
  { ASSERT_TRUE(open("a.db").add_run(sample_request(), samples(1, 1), "").ok()); }
  { ASSERT_TRUE(open("b.db").add_run(other, samples(2, 1), "").ok()); }
  EXPECT_EQ(take("a.db").new_runs, 2u);
  auto opened = CollectTarget::open(target());
  const auto taken = opened->take(file("b.db"));
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().code, Code::invalid_argument);
  EXPECT_THAT(taken.error().message, HasSubstr("copy"));
  EXPECT_EQ(opened_target().runs().value().size(), 2u);
}

TEST_P(Collect, TheTargetItselfAndWhatIsNoStoreAreRefused) {
  auto opened = CollectTarget::open(target());
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->take(target()).error().code, Code::invalid_argument);
  EXPECT_EQ(opened->take(file("none.db")).error().code, Code::not_found);
  ASSERT_TRUE(write_file(file("empty.db"), "").ok());
  EXPECT_THAT(opened->take(file("empty.db")).error().message, HasSubstr("is empty"));
  EXPECT_EQ(std::filesystem::file_size(file("empty.db")), 0u) << "it was not made a store";
  ASSERT_TRUE(write_file(file("page.html"), "<!doctype html>").ok());
  EXPECT_THAT(opened->take(file("page.html")).error().message, HasSubstr("no store"));
  EXPECT_THAT(CollectTarget::open(file("page.html")).error().hint, HasSubstr("with --into"));
  EXPECT_EQ(CollectTarget::open("host=db dbname=fleet").error().code, Code::invalid_argument);
}

// A file that only a wrong path made would be taken for a store of no runs.
TEST_P(Collect, WhereNoSourceIsReadNoFileIsMade) {
  const auto failed = collect_stores({{file("none.db"), ""}}, file("new.db"), {});
  ASSERT_TRUE(failed.ok());
  ASSERT_TRUE(failed->front().error);
  EXPECT_EQ(failed->front().error->code, Code::not_found);
  EXPECT_FALSE(std::filesystem::exists(file("new.db")));
  { ASSERT_TRUE(open("a.db").add_run(sample_request(), samples(0, 1), "").ok()); }
  const auto some = collect_stores({{file("none.db"), ""}, {file("a.db"), ""}}, file("new.db"), {});
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(some->front().error);
  EXPECT_TRUE(some->back().taken);
  EXPECT_EQ(open("new.db").runs()->size(), 1u);
  EXPECT_TRUE(collect_stores({{file("none.db"), ""}}, file("no/folder/new.db"), {}).ok());
  EXPECT_FALSE(std::filesystem::exists(file("no")));
  EXPECT_FALSE(collect_stores({{file("none.db"), ""}}, file("a.db/new.db"), {}).ok())
      << "what is never a folder is said once";
}

TEST_P(Collect, ACollectedStoreIsReadAndNotMeasuredInto) {
  if (!GetParam()) GTEST_SKIP() << "a file is a store like any other";
  { ASSERT_TRUE(open("a.db").add_run(sample_request(), samples(0, 1), "").ok()); }
  take("a.db");
  EXPECT_EQ(Store::open(target()).error().code, Code::invalid_argument);
  Store store = opened_target();
  EXPECT_EQ(store.keep_fact({}).error().code, Code::permission);
  EXPECT_EQ(store.begin_run(sample_request()).error().code, Code::permission);
}

// The tables of both are the same: who changes one changes the other.
TEST(CollectTables, AreTheSameInBoth) {
  if (const std::string why = PostgresServer::missing(); !why.empty()) GTEST_SKIP() << why;
  PostgresServer server;
  const TempFolder folder;
  ASSERT_TRUE(CollectTarget::open(server.place()).ok());
  ASSERT_TRUE(CollectTarget::open((folder / "a.db").string()).ok());
  const auto columns = [](Database database, const char* sql) {
    std::vector<std::string> found;
    EXPECT_TRUE(database
                    .run(sql, {},
                         [&](const Row& row) {
                           found.push_back(row.text(0) + "." + row.text(1));
                           return Status();
                         })
                    .ok());
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(columns(*Database::connect(server.place(), true),
                    "SELECT table_name, column_name FROM information_schema.columns WHERE "
                    "table_schema = 'flyball'"),
            columns(*Database::open(folder / "a.db", {}),
                    "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE "
                    "m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"));
}

}  // namespace
}  // namespace flyball
