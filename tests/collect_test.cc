// Stores of boards into one, as a user does it: files, over ssh (a stand-in), stores of every
// earlier version; and the fleet that is shown of it.
#include <gmock/gmock.h>

#include <cmath>

#include "base/clock_testing.h"
#include "command_testing.h"
#include "schema_testing.h"
#include "sql/database.h"
#include "sql/postgres_testing.h"
#include "store/schema.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CollectCommandTest : public CommandTest {
 protected:
  std::string path(const char* name) const { return (folder_ / name).string(); }
  void tune(const char* store, const char* seed) {
    const Finished done = run({"tune", "resnet18", "--device", "twin:orin_agx", "--power-budget",
                               "30W", "--seed", seed, "--store", path(store), "-q"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
  }
  nlohmann::json collected(const std::vector<std::string>& stores, int exit_code = 0) {
    std::vector<std::string> words = {"collect", "--into", path("fleet.db"), "--json"};
    words.insert(words.end(), stores.begin(), stores.end());
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, exit_code) << done.err;
    return done.json()["stores"];
  }
};

TEST_F(CollectCommandTest, TwoBoardsAndTheFleetOfThem) {
  tune("a.db", "1");
  tune("b.db", "2");
  const auto first = collected({path("a.db"), path("b.db"), "--jobs", "1"});
  EXPECT_EQ(first[0]["new_runs"], 1);
  EXPECT_GT(first[0]["measurements"], 5);
  for (const auto& one : collected({path("a.db"), path("b.db"), "--jobs", "2"}))
    EXPECT_EQ(one["known_runs"], 1) << one;

  const Finished list = run({"runs", "list", "--store", path("fleet.db")});
  EXPECT_THAT(list.out, HasSubstr(path("a.db") + " 1"));
  const auto shown = run({"runs", "show", "1", "--store", path("fleet.db"), "--json"}).json();
  EXPECT_EQ(shown["origin"]["run"], 1);
  EXPECT_THAT(schema_faults("runs", shown), IsEmpty());
  EXPECT_THAT(run({"runs", "show", "1", "--store", path("fleet.db")}).out,
              HasSubstr("of: " + path("a.db") + ", run 1 there"));
  const Finished both = run({"runs", "compare", "1", "2", "--store", path("fleet.db")});
  EXPECT_EQ(both.exit_code, 0);
  EXPECT_THAT(both.out, HasSubstr("the board is that of " + path("a.db") + " in A"));
  EXPECT_THAT(run({"runs", "compare", "2", "--store", path("fleet.db")}).err,
              HasSubstr("on " + path("b.db")))
      << "the run before is another board's";

  const Finished fleet = run({"fleet", "show", "--store", path("fleet.db"), "--power-budget",
                              "20W,40W", "--csv", path("tables"), "--report", path("fleet.html")});
  ASSERT_EQ(fleet.exit_code, 0) << fleet.err;
  EXPECT_THAT(fleet.out, HasSubstr("2 boards"));
  EXPECT_THAT(fleet.out, HasSubstr("fastest within 20 W"));
  EXPECT_THAT(fleet.out, HasSubstr("least energy"));
  EXPECT_THAT(slurp(folder_ / "tables/boards.csv"), HasSubstr("a.db"));
  EXPECT_THAT(slurp(folder_ / "tables/best.csv"), HasSubstr("resnet18"));
  EXPECT_THAT(schema_faults("report", report_data(folder_ / "fleet.html")), IsEmpty());
  sleep_until_ns(monotonic_ns() + 1'100'000'000);  // times are kept in seconds
  const auto document =
      run({"fleet", "show", "--store", path("fleet.db"), "--stale", "500ms", "--json"}).json();
  EXPECT_EQ(document["stale"], 2);
  EXPECT_EQ(document["boards"].size(), 2u);
  EXPECT_EQ(document["boards"][0]["kinds"][0], "orin_agx");
  EXPECT_EQ(document["spread"][0]["boards"], 2);
  for (const auto& mode : document["best"]) EXPECT_EQ(mode["provenance"], "simulated");
}

TEST_F(CollectCommandTest, AKilledTuneIsUnfinishedForTheFleet) {
  const pid_t child = start({"tune", "resnet18", "--device", "twin:orin_agx", "--strategy",
                             "brute-force", "--store", path("a.db"), "-q"});
  const auto listed = [&] { return run({"runs", "list", "--store", path("a.db")}).out; };
  EXPECT_TRUE(
      within_seconds_of_now(60, [&] { return listed().find("running") != std::string::npos; }));
  ::kill(child, SIGKILL);
  finish(child);
  EXPECT_THAT(listed(), HasSubstr("interrupted"));
  const auto fleet = run({"fleet", "show", "--store", path("a.db"), "--json"}).json();
  EXPECT_EQ(fleet["boards"][0]["unfinished_runs"], 1);
}

// Numbered boards of a kind differ by their constants, not by their software, and are compared,
// whether each has a store or all share one.
TEST_F(CollectCommandTest, SimulatedBoardsWithANumberAreCompared) {
  const auto profile = [&](const std::string& board, const std::string& store) {
    const Finished done = run({"tune", "resnet18", "--device", "twin:orin_nano@" + board,
                               "--power-budget", "10W", "--profiles", "3", "--store", store, "-q"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
  };
  std::vector<std::string> stores;
  for (const char* board : {"1", "2", "3", "4", "5"}) {
    stores.push_back(path(("nano" + std::string(board) + ".db").c_str()));
    profile(board, stores.back());
    profile(board, path("all.db"));
  }
  collected(stores);
  const auto shown = [&](const char* store) {
    const auto document = run({"fleet", "show", "--store", path(store), "--json"}).json();
    EXPECT_THAT(schema_faults("fleet", document), IsEmpty());
    return document;
  };
  const auto apart = shown("fleet.db"), together = shown("all.db");
  ASSERT_FALSE(apart["spread"].empty());
  EXPECT_EQ(apart["spread"][0]["boards"], 5);
  EXPECT_EQ(apart["spread"][0]["kind"], "orin_nano");
  EXPECT_GT(apart["spread"][0]["time_cv"], 0.005);
  EXPECT_GT(apart["spread"][0]["energy_cv"], 0.005);
  EXPECT_EQ(apart["software"].size(), 1u) << "they have one";
  EXPECT_EQ(apart["software"][0]["boards"], 5);
  ASSERT_EQ(together["spread"].size(), apart["spread"].size());
  for (const char* key : {"boards", "trials", "time_cv", "energy_cv"})
    EXPECT_EQ(together["spread"][0][key], apart["spread"][0][key]) << key;
}

// ssh hands the command to a shell over there; the stand-in does so here, and notes what it was
// given.
TEST_F(CollectCommandTest, OverSsh) {
  tune("it's far.db", "1");
  fs::create_directories(folder_ / "bin");
  std::ofstream(folder_ / "bin/ssh") << "#!/bin/sh\n"
                                        "echo \"$@\" >> \"" +
                                            path("asked") +
                                            "\"\n"
                                            "while [ \"$1\" != -- ]; do shift; done\n"
                                            "shift 2\nexec sh -c \"$*\"\n";
  fs::permissions(folder_ / "bin/ssh", fs::perms::owner_all);
  environment_["PATH"] = path("bin") + ":" FLYBALL_BIN_DIR ":/usr/bin:/bin";
  const auto taken = collected({"me@orin-1:" + path("it's far.db")});
  EXPECT_EQ(taken[0]["new_runs"], 1);
  EXPECT_THAT(slurp(folder_ / "asked"), HasSubstr("-- me@orin-1 flyball runs export --store"));
  EXPECT_EQ(collected({"me@orin-1:" + path("it's far.db")})[0]["known_runs"], 1);
  EXPECT_EQ(collected({"orin-1:/none.db"}, 2)[0]["error"]["code"], "unavailable");
  const Finished refused =
      run({"collect", "--into", path("fleet.db"), "--", "-oProxyCommand=touch x:a.db"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("no name of a host"));
}

TEST_F(CollectCommandTest, StoresOfEveryEarlierVersion) {
  std::vector<std::string> stores;
  for (size_t version = 1; version < store_migrations().size(); ++version) {
    const std::string name = "version" + std::to_string(version);
    const std::string text = slurp(fs::path(FLYBALL_SOURCE_DIR) / "tests/stores" / (name + ".sql"));
    stores.push_back(path((name + ".db").c_str()));
    auto database = Database::open(stores.back(), {});
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->run_script(text.c_str()).ok());
  }
  int runs = 0;
  for (const auto& one : collected(stores)) runs += one["new_runs"].get<int>();
  EXPECT_GT(runs, 20);
  for (const auto& one : collected(stores)) EXPECT_EQ(one["new_runs"], 0) << one;
  EXPECT_EQ(run({"runs", "check", "--store", path("fleet.db")}).exit_code, 0);
  EXPECT_EQ(run({"fleet", "show", "--store", path("fleet.db")}).exit_code, 0);
}

TEST_F(CollectCommandTest, PasswordsAndPlacesToMeasureIntoAreRefused) {
  const Finished secret = run({"collect", "--into", "postgresql://me:s3cret@localhost/fleet"});
  EXPECT_EQ(secret.exit_code, 2);
  EXPECT_THAT(secret.err, Not(HasSubstr("s3cret")));
  const Finished measured = run({"tune", "resnet18", "--device", "twin:orin_agx", "--store",
                                 "postgresql://localhost/fleet", "-q"});
  EXPECT_EQ(measured.exit_code, 2);
  EXPECT_THAT(measured.err, HasSubstr("collected into"));
}

// Every command that reads a store reads both, and says the same.
TEST_F(CollectCommandTest, PostgresAnswersAsAFileDoes) {
  if (const std::string why = PostgresServer::missing(); !why.empty()) GTEST_SKIP() << why;
  PostgresServer server;
  tune("a.db", "1");
  tune("b.db", "2");
  for (const std::string& into : {path("fleet.db"), server.place()})
    ASSERT_EQ(run({"collect", path("a.db"), path("b.db"), "--into", into}).exit_code, 0);
  const auto answer = [&](std::vector<std::string> words, const std::string& store) {
    words.insert(words.end(), {"--store", store});
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << words[0] << " " << words[1] << done.err;
    return done;
  };
  const std::vector<std::vector<std::string>> documents = {
      {"runs", "list", "--json"},
      {"runs", "show", "1", "--json"},
      {"runs", "compare", "1", "2", "--json"},
      {"runs", "check", "--json"},
      {"fleet", "show", "--power-budget", "20W,40W", "--json"}};
  for (const auto& words : documents) {
    auto of_file = answer(words, path("fleet.db")).json();
    auto of_server = answer(words, server.place()).json();
    for (auto* document : {&of_file, &of_server}) {
      for (const char* key : {"store", "now_utc"}) document->erase(key);
      if (!document->contains("boards")) continue;
      for (auto& board : (*document)["boards"])
        for (const char* key : {"age_s", "collected_utc"}) board.erase(key);
      // Sums of the same numbers in another order.
      for (auto& list : {"boards", "spread", "best"})
        for (auto& one : (*document)[list])
          for (auto& [key, value] : one.items())
            if (value.is_number_float()) value = std::round(value.get<double>() * 1e6) / 1e6;
    }
    EXPECT_EQ(of_file, of_server) << words[1];
  }
  EXPECT_EQ(answer({"export", "--run", "1"}, path("fleet.db")).out,
            answer({"export", "--run", "1"}, server.place()).out);
  answer({"report", "1", "--out", path("page.html")}, server.place());
  EXPECT_EQ(run({"runs", "delete", "1", "--store", server.place()}).exit_code, 2);
  EXPECT_EQ(run({"runs", "list", "--store", server.place() + "x"}).exit_code, 2);
}

// The roles of docs/how-to/collect-stores.md, as they stand there.
TEST_F(CollectCommandTest, OneRoleAppendsAndOneReads) {
  if (const std::string why = PostgresServer::missing(); !why.empty()) GTEST_SKIP() << why;
  PostgresServer server;
  tune("a.db", "1");
  const std::string append = server.place("fleet_append"), read = server.place("fleet_read");
  ASSERT_EQ(run({"collect", "--into", server.place()}).exit_code, 0);
  const std::string manual = slurp(fs::path(FLYBALL_SOURCE_DIR) / "docs/how-to/collect-stores.md");
  const size_t begin = manual.find("```sql\n") + 7;
  const Status made = server.run(manual.substr(begin, manual.find("```", begin) - begin));
  ASSERT_TRUE(made.ok()) << made.error().message;
  const Finished taken = run({"collect", path("a.db"), "--into", append, "--board", "nx7"});
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_EQ(run({"collect", path("a.db"), "--into", append}).exit_code, 0);
  EXPECT_EQ(run({"fleet", "show", "--store", read}).exit_code, 0);
  EXPECT_EQ(run({"runs", "show", "1", "--store", read}).exit_code, 0);
  const Finished refused = run({"collect", path("a.db"), "--into", read});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("not allowed in the database"));
  auto database = Database::connect(append, false);
  ASSERT_TRUE(database.ok());
  for (const char* sql : {"DELETE FROM runs", "UPDATE measurements SET minibatch_ms = 1",
                          "UPDATE runs SET command = ''", "DROP TABLE runs"})
    EXPECT_EQ(database->run_script(sql).error().code, Code::permission) << sql;
  // Of a run that went on since, and of a store that another Flyball wrote.
  for (const char* sql :
       {"UPDATE runs SET state = state, finished_utc = '', answer = '', process = '', record = ''",
        "UPDATE stores SET name = name, flyball = flyball, board = '', collected_utc = ''"})
    EXPECT_TRUE(database->run_script(sql).ok()) << sql;
}

// Whoever keeps a file loads nothing of PostgreSQL.
TEST_F(CollectCommandTest, OnlyADatabaseThatIsNamedLoadsItsLibrary) {
  environment_["LD_DEBUG"] = "libs";
  EXPECT_THAT(run({"runs", "list"}).err, Not(HasSubstr("libpq")));
  EXPECT_THAT(run({"collect", "--into", path("fleet.db")}).err, Not(HasSubstr("libpq")));
}

// Watts of another total are not averaged with the others'.
TEST_F(CollectCommandTest, BoardsWithAnotherTotalOfPowerAreLeftOut) {
  const std::string fleet = (folder_ / "fleet.db").string();
  for (const auto& [board, watts, total] :
       {std::tuple{"a", 10, "module"}, {"b", 20, "monitor"}, {"c", 12, "module"}}) {
    const std::string rows =
        "device,workload,phase,batch_size,loader_workers,cpu_cores,gpu_mhz,minibatch_ms,power_w,"
        "power_total\norin_nano,resnet18,train,16,4,6,624,100," +
        std::to_string(watts) + "," + total + "\n";
    const std::string store = (folder_ / board).string() + ".db";
    const std::string table = write(std::string(board) + ".csv", rows).string();
    ASSERT_EQ(run({"import", table, "--store", store}).exit_code, 0);
    ASSERT_EQ(run({"collect", store, "--board", board, "--into", fleet}).exit_code, 0);
  }
  const auto chosen = run({"fleet", "choose", "--board", "orin_nano=1", "--workload", "resnet18",
                           "--store", fleet, "--json"})
                          .json();
  EXPECT_EQ(chosen["kinds"][0]["power_total"], "module");
  EXPECT_NEAR(chosen["value"].get<double>(), 50000 / 16.0 * 0.1 * 11, 1e-6);
  EXPECT_THAT(chosen["notes"].dump(), testing::HasSubstr("another total (monitor)"));
  const auto compared =
      run({"compare", "boards", "resnet18", "--device", "orin_nano", "--store", fleet, "--json"});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.json().dump(), testing::HasSubstr("another total (monitor)"));
}

}  // namespace
}  // namespace flyball::testing_tools
