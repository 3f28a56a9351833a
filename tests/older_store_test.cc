// A store that an earlier version wrote (stores/): all of it reopens, under the numbers it had.
#include <gmock/gmock.h>

#include <algorithm>

#include "command_testing.h"
#include "schema_testing.h"
#include "sql/database.h"
#include "store/schema.h"

namespace flyball::testing_tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OlderStoreTest : public CommandTest {
 protected:
  // 1, 3: a network tuned on a board whose clocks can be read; 2, 5: idle power; 6: cost of a
  // switch; 7: an import; 8, 9: a tune and a plan over it; 10, 11: the same of a simulated board;
  // 12: roofs. 4 was deleted.
  void SetUp() override { open("version5.sql"); }
  void open(const char* store) {
    CommandTest::SetUp();
    const std::string text = slurp(fs::path(FLYBALL_SOURCE_DIR) / "tests/stores" / store);
    auto database = Database::open(folder_ / "store.db", {});
    ASSERT_TRUE(database.ok());
    const Status written = database->run_script(text.c_str());
    ASSERT_TRUE(written.ok()) << written.error().message;
  }
  std::string show(int number, const std::string& format = "") {
    std::vector<std::string> words = {"runs", "show", std::to_string(number)};
    if (!format.empty()) words.push_back(format);
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << number << done.err;
    return done.out;
  }
};

TEST_F(OlderStoreTest, EveryRunIsListedAsItWas) {
  const Finished done = run({"runs", "list", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::vector<std::pair<int, std::string>> found;
  const auto document = done.json();
  for (const auto& one : document["runs"]) {
    found.emplace_back(one["id"], one["workload"]);
    EXPECT_EQ(one["state"], "done") << one;
    EXPECT_THAT(one["started_utc"].get<std::string>(), HasSubstr("2026-11-24T19:0"));
    EXPECT_THAT(one["command"].get<std::string>(), ::testing::StartsWith("flyball "));
  }
  using Run = std::pair<int, std::string>;
  EXPECT_THAT(found, ElementsAre(Run(12, "roofs"), Run(11, "resnet18"), Run(10, "resnet18"),
                                 Run(9, "net"), Run(8, "net"), Run(7, "net infer on orin_agx"),
                                 Run(5, "idle power"), Run(3, "lenet5"), Run(2, "idle power"),
                                 Run(1, "lenet5"), Run(6, "switch cost")))
      << "by their begin";
  EXPECT_THAT(run({"runs", "list"}).out, HasSubstr("switch cost"));
}

TEST_F(OlderStoreTest, EveryRunIsShownAndHasItsPage) {
  for (const int number : {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12}) {
    const auto shown = nlohmann::json::parse(show(number, "--json"));
    EXPECT_EQ(shown["id"], number);
    EXPECT_EQ(shown["trials"].size(), shown["measurements"]);
    show(number);
    const fs::path page = folder_ / ("run" + std::to_string(number) + ".html");
    const Finished done = run({"report", std::to_string(number), "--out", page.string()});
    EXPECT_EQ(done.exit_code, 0) << number << done.err;
    EXPECT_THAT(schema_faults("report", report_data(page)), IsEmpty()) << number;
  }
  const auto tuned = nlohmann::json::parse(show(1, "--json"))["trials"][0];
  ASSERT_EQ(tuned["clocks"].size(), 4u);
  EXPECT_EQ(tuned["clocks"][2]["axis"], "gpu_mhz");
  EXPECT_EQ(tuned["clocks"][2]["seen_mean"], 612);
  EXPECT_TRUE(tuned["figures"].empty()) << tuned["figures"];
  EXPECT_EQ(tuned["idle"]["run"], 2);
  EXPECT_NEAR(tuned["idle"]["share"], 1, 0.05);
  const auto imported = nlohmann::json::parse(show(7, "--json"))["trials"][0];
  EXPECT_EQ(imported["provenance"], "table");
  EXPECT_TRUE(imported["noise_pct"].is_null());
  const auto roofs = nlohmann::json::parse(show(12, "--json"));
  EXPECT_EQ(roofs["request"]["board"], "roofs");
  EXPECT_EQ(roofs["answer"]["modes"].size(), 2u);  // one for each number of cores
  EXPECT_THAT(show(2), HasSubstr("power_w"));
}

// A program before version 2 kept what `--json=1` prints.
TEST_F(OlderStoreTest, AnswersOfVersionOneHaveTheirPages) {
  const std::string table = write("det.csv",
                                  "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w\n"
                                  "board,det,infer,1,612,40,10\nboard,det,infer,1,1020,10,30\n")
                                .string();
  int number = 12;
  for (const char* windows : {"10:1min,80:1min", "10:1min,900:1min"}) {
    const Finished planned =
        run({"plan", "dynamic", "--infer", table, "--windows", windows, "--json=1", "-q"});
    std::string answer = planned.out;
    for (size_t at = 0; (at = answer.find('\'', at)) != std::string::npos; at += 2)
      answer.insert(at, "'");
    auto database = Database::open(folder_ / "store.db", {});
    ASSERT_TRUE(database.ok());
    const std::string script =
        "UPDATE runs SET answer = '" + answer + "' WHERE id = " + std::to_string(++number);
    ASSERT_TRUE(database->run_script(script.c_str()).ok());
    const fs::path page = folder_ / "old.html";
    const Finished done = run({"report", std::to_string(number), "--out", page.string()});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const auto data = report_data(page);
    EXPECT_THAT(schema_faults("report", data), IsEmpty()) << data["answer"];
    EXPECT_EQ(data["answer"]["windows"].size(), planned.exit_code == 0 ? 2u : 0u);
  }
}

TEST_F(OlderStoreTest, WhatItKnowsServes) {
  const std::string table =
      write("net.csv",
            "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w,power_total\n"
            "orin_agx,net,infer,1,612,40,10,module\norin_agx,net,infer,1,1020,10,30,module\n")
          .string();
  const auto again = run({"import", table, "--json"}).json();
  EXPECT_THAT(again.dump(), HasSubstr("\"run\":7"));
  const Finished tuned = run({"tune", "net", "--device", "table:" + table, "--power-budget", "20W",
                              "--profiles", "10", "--json", "-q"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  const auto answer = tuned.json();
  EXPECT_FALSE(answer["profiled"].empty());
  for (const auto& trial : answer["profiled"]) EXPECT_EQ(trial["run"], 8) << trial;
  const auto planned =
      run({"plan", "dynamic", "--infer", table, "--windows", "10:1min,80:1min", "--json", "-q"});
  EXPECT_THAT(planned.json()["notes"].dump(), HasSubstr("(`flyball mode cost`, run 6)"));
}

TEST_F(OlderStoreTest, ADryRunDoesNotBringItUpToDate) {
  const std::string before = slurp(folder_ / "store.db");
  const Finished done =
      run({"tune", "mobilenet_v3", "--device", "twin:orin_nano", "--dry-run", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.json()["notes"].dump(), HasSubstr("was written by an older Flyball"));
  EXPECT_TRUE(slurp(folder_ / "store.db") == before) << "the store was written";
}

TEST_F(OlderStoreTest, NumbersGoOnAndNoneComesBack) {
  ASSERT_EQ(run({"runs", "delete", "12"}).exit_code, 0);
  EXPECT_EQ(run({"runs", "show", "12"}).exit_code, 2);
  ASSERT_EQ(run({"runs", "delete", "2"}).exit_code, 0);
  EXPECT_TRUE(nlohmann::json::parse(show(1, "--json"))["trials"][0]["idle"].is_null());
  const std::string table = write("more.csv",
                                  "device,workload,phase,gpu_mhz,minibatch_ms\n"
                                  "orin_agx,other,infer,612,40\n")
                                .string();
  EXPECT_EQ(run({"import", table, "--json"}).exit_code, 0);
  EXPECT_EQ(run({"runs", "list", "--json"}).json()["runs"][0]["id"], 13);
  EXPECT_THAT(run({"mode", "idle", "--run", "6"}).err,
              HasSubstr("it measured switch cost of orin_agx"));
}

class Version6StoreTest : public OlderStoreTest {
 protected:
  // 1: an import; 2: a tune over it; 3: one of a simulated board; 4: a program that marks no
  // minibatches; 5: a study; 6: as 4, beside another flyball.
  void SetUp() override { open("version6.sql"); }
};

struct OlderStore {
  int version;
  std::vector<int> runs;
};

// A store of each version that there was: its runs are listed, shown and have their pages, and it
// is one of this version afterwards.
class EveryOlderStoreTest : public OlderStoreTest,
                            public ::testing::WithParamInterface<OlderStore> {
 protected:
  void SetUp() override { open(("version" + std::to_string(GetParam().version) + ".sql").c_str()); }
};

TEST_P(EveryOlderStoreTest, OpensWithAllOfIt) {
  std::vector<int> found;
  const auto document = run({"runs", "list", "--json"}).json();
  for (const auto& one : document["runs"]) found.push_back(one["id"]);
  std::ranges::sort(found);
  EXPECT_EQ(found, GetParam().runs);
  for (const int number : GetParam().runs) {
    const auto shown = nlohmann::json::parse(show(number, "--json"));
    EXPECT_EQ(shown["trials"].size(), shown["measurements"]) << number;
    EXPECT_THAT(schema_faults("runs", shown), IsEmpty()) << number;
    const fs::path page = folder_ / "page.html";
    const Finished done = run({"report", std::to_string(number), "--out", page.string()});
    EXPECT_EQ(done.exit_code, 0) << number << done.err;
    EXPECT_THAT(schema_faults("report", report_data(page)), IsEmpty()) << number;
  }
  const std::string table = write("more.csv",
                                  "device,workload,phase,gpu_mhz,minibatch_ms\n"
                                  "orin_agx,other,infer,612,40\n")
                                .string();
  EXPECT_EQ(run({"import", table, "--json"}).exit_code, 0);
  auto database = Database::open(folder_ / "store.db", {});
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(*database->integer("PRAGMA user_version"),
            static_cast<int64_t>(store_migrations().size()));
}

INSTANTIATE_TEST_SUITE_P(
    Versions, EveryOlderStoreTest,
    ::testing::Values(OlderStore{1, {1, 7, 8}}, OlderStore{2, {1, 7, 8}}, OlderStore{3, {1, 7, 8}},
                      OlderStore{4, {1, 7, 8}}, OlderStore{5, {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12}},
                      OlderStore{6, {1, 2, 3, 4, 5, 6}}, OlderStore{7, {1, 2, 5, 6}},
                      OlderStore{8, {1, 2, 5, 6}}, OlderStore{9, {1, 2, 5, 6}},
                      OlderStore{10, {1, 2, 5, 6}}, OlderStore{11, {1, 2, 5, 6}}),
    [](const auto& store) { return "Version" + std::to_string(store.param.version); });

// Whoever writes a migration keeps a store of the version before.
TEST(OlderStores, ThereIsOneOfEachVersion) {
  for (size_t version = 1; version < store_migrations().size(); ++version)
    EXPECT_TRUE(fs::exists(fs::path(FLYBALL_SOURCE_DIR) / "tests/stores" /
                           ("version" + std::to_string(version) + ".sql")))
        << version;
}

class BeforeSchema2StoreTest : public OlderStoreTest {
 protected:
  void SetUp() override { open("before_schema_2.sql"); }
};

TEST_F(BeforeSchema2StoreTest, EveryRunHasItsPage) {
  for (const char* number : {"1", "2", "3"}) {
    const fs::path page = folder_ / "old.html";
    ASSERT_EQ(run({"report", number, "--out", page.string()}).exit_code, 0) << number;
    EXPECT_THAT(schema_faults("report", report_data(page)), IsEmpty()) << number;
  }
}

// The version before said it in the reason to stop and among the conditions.
TEST_F(Version6StoreTest, HowEachTrialCameToBeIsKnown) {
  const std::vector<std::string> origins = {"imported", "table", "simulated",
                                            "live",     "told",  "live"};
  for (size_t i = 0; i < origins.size(); ++i) {
    const auto shown = nlohmann::json::parse(show(static_cast<int>(i) + 1, "--json"));
    ASSERT_FALSE(shown["trials"].empty());
    for (const auto& trial : shown["trials"]) {
      EXPECT_EQ(trial["origin"], origins[i]) << trial;
      EXPECT_EQ(trial["span"], origins[i] == "live" ? "whole run" : "minibatch") << trial;
      EXPECT_EQ(trial["disturbed"].is_string(), i == 5) << trial;
      EXPECT_FALSE(trial["conditions"].contains("disturbed by"));
    }
  }
  const auto beside = nlohmann::json::parse(show(6, "--json"))["trials"][0];
  EXPECT_THAT(beside["disturbed"].get<std::string>(), HasSubstr("process 19801 (flyball tune"));
  EXPECT_EQ(beside["doubts"], "others kept 2 cores busy; beside process 19801");
  EXPECT_THAT(run({"export", "--workload", "sleep 0.06"}).err,
              HasSubstr("1 disturbed trials are all that there are"));
}

}  // namespace
}  // namespace flyball::testing_tools
