#include "store/schema.h"

#include <gmock/gmock.h>

#include <array>

#include "base/os/temp_folder.h"
#include "store/blob.h"
#include "store/store.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class Schema : public testing::Test {
 protected:
  Database open() {
    auto database = Database::open(folder_ / "a.db", {});
    EXPECT_TRUE(database.ok());
    return *std::move(database);
  }
  TempFolder folder_;
};

TEST_F(Schema, AnOlderStoreBecomesANewerOneAndKeepsItsRows) {
  const std::array first = {
      "CREATE TABLE migrations(version, applied_utc, flyball); CREATE TABLE trials(ms REAL)"};
  const std::array both = {first[0], "ALTER TABLE trials ADD COLUMN watts REAL DEFAULT 5"};
  Database database = open();
  ASSERT_TRUE(migrate(database, first).ok());
  ASSERT_TRUE(database.run("INSERT INTO trials VALUES(12.5)").ok());
  ASSERT_TRUE(migrate(database, both).ok());
  EXPECT_EQ(database.integer("SELECT watts FROM trials WHERE ms = 12.5").value(), 5);
  EXPECT_EQ(database.integer("PRAGMA user_version").value(), 2);
  EXPECT_TRUE(migrate(database, both).ok()) << "nothing is left to do";
  EXPECT_EQ(check_is_store(database, first).error().code, Code::conflict);
}

// A store as the first version made it: its rows stay, and what was measured here then says that
// its conditions are not known.
TEST_F(Schema, AStoreOfTheFirstVersionKeepsItsMeasurements) {
  {
    Database database = open();
    ASSERT_TRUE(migrate(database, store_migrations().first(1)).ok());
    ASSERT_TRUE(database
                    .run_script("INSERT INTO conditions VALUES(1, 'host', 'a CPU'), "
                                "(2, 'orin', 'table of net'); "
                                "INSERT INTO jobs VALUES(1, 'net', 'train', '{}'); "
                                "INSERT INTO runs VALUES(1, 'flyball tune', '{}', 'host', 'a CPU', "
                                "7, '', '', 'done', '', '')")
                    .ok());
    const std::string blob = encode_minibatches({}).value(), trace = encode_trace({}).value();
    for (const char* provenance : {"measured", "table"})
      ASSERT_TRUE(
          database
              .run(
                  "INSERT INTO measurements(condition_id, job_id, mode, provenance, minibatch_ms, "
                  "minibatches, power_trace, power_gap, stop_reason, throttled, repeated, "
                  "failure, started_utc, seed) VALUES(?, 1, '{\"gpu_mhz\":900.0}', ?, 12.5, ?, "
                  "?, '', '', 0, 0, '', '', 1)",
                  {provenance[0] == 'm' ? 1 : 2, provenance, Value::Blob{blob}, Value::Blob{trace}})
              .ok());
    ASSERT_TRUE(
        database.run_script("INSERT INTO run_measurements VALUES(1, 0, 1, 0), (1, 1, 2, 1)").ok());
  }
  auto store = Store::open(folder_ / "a.db");
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto kept = store->run_measurements(1).value();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].measurement.device, "host");
  EXPECT_EQ(kept[0].measurement.fingerprint, "a CPU");
  EXPECT_EQ(kept[0].measurement.minibatch_ms, 12.5);
  EXPECT_EQ(kept[0].measurement.interference.throttled, std::nullopt) << "a 0 said nothing then";
  EXPECT_FALSE(kept[0].measurement.conditions.has_value());
  EXPECT_EQ(kept[1].measurement.device, "orin");
  EXPECT_EQ(kept[1].measurement.conditions, Conditions());
  EXPECT_TRUE(kept[1].reused);
  EXPECT_FALSE(store->run(1)->request.conditions.has_value());
  Measurement more = kept[0].measurement;
  more.conditions = Conditions{{"dataset", "/data"}};
  ASSERT_TRUE(store->add_measurement(more).ok());
  EXPECT_EQ(store->conditions({}).value().size(), 3u);
  EXPECT_TRUE(store->check().ok());
}

// What was measured of a board was a run without trials: it becomes a fact under its old number.
TEST_F(Schema, RunsThatMeasuredABoardBecomeFacts) {
  {
    Database database = open();
    ASSERT_TRUE(migrate(database, store_migrations().first(5)).ok());
    const auto add = [&](const char* request, const char* state, const char* answer) {
      ASSERT_TRUE(database
                      .run("INSERT INTO runs(command, request, device, fingerprint, seed, "
                           "started_utc, state, answer, process, condition_id) "
                           "VALUES('flyball mode idle', ?, 'host', 'a CPU', 0, "
                           "'2026-03-02T12:00:00Z', ?, ?, '', "
                           "NULL)",
                           {request, state, answer})
                      .ok());
    };
    add(R"({"board":"idle power"})", "done",
        R"({"measured_utc":"2026-03-01T12:00:00Z","power_w":4})");
    add(R"({"board":"host","workload":"net"})", "done", "{}");
    add("no JSON", "done", "");
    add(R"({"board":"roofs"})", "done", "damaged");
    add(R"({"board":"switch cost"})", "interrupted", "");
    add(R"({"board":"switch cost"})", "done", R"({"measured_utc":7})");
  }
  auto store = Store::open(folder_ / "a.db");
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto facts = store->facts({}).value();
  ASSERT_EQ(facts.size(), 3u);
  EXPECT_EQ(facts[0].id, 6);
  EXPECT_EQ(facts[0].kind, BoardFactKind::switch_cost);
  EXPECT_EQ(facts[0].measured_utc, "2026-03-02T12:00:00Z") << "where the document tells no time";
  EXPECT_EQ(facts[1].id, 4);
  EXPECT_EQ(facts[1].kind, BoardFactKind::roofs);
  EXPECT_EQ(facts[1].json, "damaged");
  EXPECT_EQ(facts[2].id, 1);
  EXPECT_EQ(facts[2].kind, BoardFactKind::idle_power);
  EXPECT_EQ(facts[2].json, R"({"measured_utc":"2026-03-01T12:00:00Z","power_w":4})");
  EXPECT_EQ(facts[2].measured_utc, "2026-03-01T12:00:00Z");
  EXPECT_EQ(facts[2].command, "flyball mode idle");
  EXPECT_EQ(facts[2].device, "host");
  EXPECT_EQ(facts[2].fingerprint, "a CPU");
  const auto runs = store->runs().value();
  ASSERT_EQ(runs.size(), 3u);
  for (size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i].id, (std::array{5, 3, 2}[i]));
  EXPECT_EQ(store->begin_run({}).value(), 7) << "no number is given twice";
}

// Facts about trials that stood in words get columns of their own, under whatever name the axis
// has.
TEST_F(Schema, WhatStoodInWordsBecomesColumns) {
  {
    Database database = open();
    ASSERT_TRUE(migrate(database, store_migrations().first(6)).ok());
    ASSERT_TRUE(
        database
            .run_script(
                "INSERT INTO boards VALUES(1, 'host', 'a CPU');"
                "INSERT INTO jobs VALUES(1, 'net', 'train', '{}');"
                R"(INSERT INTO conditions VALUES(2, '{"data":"é","disturbed by":"process 7"}'),)"
                R"((3, '{"disturbed by":"process 8"}'), (4, '{"data":"other"}'))")
            .ok());
    const std::string blob = encode_minibatches({}).value(), trace = encode_trace({}).value();
    const auto add = [&](int conditions, const char* provenance, const char* reason,
                         const char* figures) {
      ASSERT_TRUE(
          database
              .run(
                  "INSERT INTO measurements(board_id, condition_id, job_id, mode, provenance, "
                  "minibatches, power_trace, power_gap, stop_reason, throttled, repeated, failure, "
                  "started_utc, seed, figures) VALUES(1, ?, 1, "
                  R"('{"cpu_cores":2.0,"gpu_mhz":900.0}', ?, ?, ?, '', ?, 0, 0, '', '', 1, ?))",
                  {conditions, provenance, Value::Blob{blob}, Value::Blob{trace}, reason, figures})
              .ok());
    };
    add(2, "measured", "noise below 2 %",
        R"({"accuracy":0.12345678901234567,"cpu_cores seen":2.0,"cpu_cores seen least":1.0,)"
        R"("gpu_mhz seen":899.5,"gpu_mhz seen least":612.25,"lines seen":7.0})");
    add(3, "measured", "the program marks no minibatches: its whole run is measured", "{}");
    add(4, "measured", "told by the program", "{}");
    add(4, "table", "read from the table", "{}");
    add(4, "table", "read from a table", "{}");
    add(4, "simulated", "40 simulated minibatches", "{}");
  }
  auto store = Store::open(folder_ / "a.db");
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto kept = store->measurements({}).value();
  ASSERT_EQ(kept.size(), 6u);
  const std::array origins = {Origin::live,  Origin::live,     Origin::told,
                              Origin::table, Origin::imported, Origin::simulated};
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].measurement.origin, origins[i]) << i;
  const Measurement& first = kept[0].measurement;
  EXPECT_EQ(first.interference.by, "process 7");
  EXPECT_EQ(first.conditions, (Conditions{{"data", "é"}}));
  EXPECT_EQ(first.clocks,
            (std::vector<SeenClock>{{"cpu_cores", 2, 1}, {"gpu_mhz", 899.5, 612.25}}));
  EXPECT_EQ(first.figures, (Figures{{"accuracy", 0.12345678901234567}, {"lines seen", 7}}));
  EXPECT_FALSE(first.whole_run());
  const Measurement& second = kept[1].measurement;
  EXPECT_TRUE(second.whole_run());
  EXPECT_EQ(second.interference.by, "process 8");
  EXPECT_EQ(second.conditions, std::nullopt) << "nothing else was known of them";
  EXPECT_EQ(kept[2].measurement.conditions, (Conditions{{"data", "other"}}));
  EXPECT_EQ(kept[2].measurement.interference.by, "");
  Measurement same = first;
  ASSERT_TRUE(store->add_measurement(same).ok());
  MeasurementFilter alike;
  alike.conditions = first.conditions;
  EXPECT_EQ(store->measurements(alike).value().size(), 2u) << "its conditions read as new ones do";
  alike.disturbed = false;
  EXPECT_TRUE(store->measurements(alike).value().empty());
  EXPECT_TRUE(store->check().ok());
}

// What is damaged says so when it is read, and keeps nothing else from being opened.
TEST_F(Schema, ADamagedRowDoesNotStopAStep) {
  {
    Database database = open();
    ASSERT_TRUE(migrate(database, store_migrations().first(6)).ok());
    ASSERT_TRUE(
        database
            .run_script("INSERT INTO boards VALUES(1, 'host', 'a CPU');"
                        "INSERT INTO jobs VALUES(1, 'net', 'train', '{}');"
                        "INSERT INTO conditions VALUES(2, 'damaged');"
                        "INSERT INTO measurements(board_id, condition_id, job_id, mode, "
                        "provenance, minibatches, power_trace, power_gap, stop_reason, throttled, "
                        "repeated, failure, started_utc, seed, figures) VALUES"
                        "(1, 2, 1, '{}', 'measured', '', '', '', '', 0, 0, '', '', 1, '{}'),"
                        "(1, 1, 1, 'damaged', 'measured', '', '', '', '', 0, 0, '', '', 1, 'x')")
            .ok());
  }
  auto store = Store::open(folder_ / "a.db");
  ASSERT_TRUE(store.ok()) << store.error().message;
  const auto read = store->measurements({});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Code::corrupt);
}

// Before runs of experiments were kept in it.
TEST_F(Schema, AStoreOfTheSixthVersionTakesRunsOfExperiments) {
  {
    Database database = open();
    ASSERT_TRUE(migrate(database, store_migrations().first(6)).ok());
    ASSERT_TRUE(database
                    .run_script("INSERT INTO boards VALUES(1, 'host', 'a CPU'); "
                                "INSERT INTO runs(command, request, device, fingerprint, seed, "
                                "started_utc, state, process) VALUES('flyball tune', '{}', 'host', "
                                "'a CPU', 7, 'began', 'interrupted', '')")
                    .ok());
  }
  auto store = Store::open(folder_ / "a.db");
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(store->run(1)->request.command, "flyball tune");
  EXPECT_EQ(store->run(1)->experiment_runs, 0u);
  ASSERT_TRUE(store->add_experiment_run({.device = "host", .fingerprint = "a CPU"}, 1).ok());
  ASSERT_EQ(store->experiment_runs({.run = 1})->size(), 1u);
  EXPECT_EQ(store->experiment_runs({.run = 1})->front().conditions, std::nullopt);
  Database again = open();
  EXPECT_EQ(again.integer("SELECT COUNT(*) FROM boards").value(), 1) << "the row that was there";
}

TEST_F(Schema, AStepThatFailsIsUndone) {
  const std::array broken = {"CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE a(x);"};
  Database database = open();
  EXPECT_FALSE(migrate(database, broken).ok());
  EXPECT_EQ(database.integer("SELECT COUNT(*) FROM sqlite_schema").value(), 0);
  EXPECT_EQ(database.integer("PRAGMA user_version").value(), 0);
}

TEST_F(Schema, EachStepIsNoted) {
  Database database = open();
  ASSERT_TRUE(migrate(database).ok());
  EXPECT_EQ(database.integer("SELECT COUNT(*) FROM migrations WHERE flyball <> ''").value(),
            static_cast<int64_t>(store_migrations().size()));
}

TEST_F(Schema, MeasurementsCannotPointNowhere) {
  Database database = open();
  ASSERT_TRUE(migrate(database).ok());
  const Status status = database.run("INSERT INTO run_measurements VALUES(1, 0, 1, 0)");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("FOREIGN KEY"));
}

TEST_F(Schema, ARowMayStopItsQuery) {
  Database database = open();
  int rows = 0;
  const auto status = database.run("VALUES(1), (2), (3)", {}, [&](const Row&) -> Status {
    if (++rows == 2) return Error{Code::interrupted, "enough", ""};
    return {};
  });
  EXPECT_EQ(status.error().message, "enough");
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(database.integer("SELECT ? + ?", {2, 3}).value(), 5);
  EXPECT_FALSE(database.run("SELECT nonsense").ok());
}

}  // namespace
}  // namespace flyball
