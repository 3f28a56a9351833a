// Import, export and runs from the command line.
#include <sys/stat.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

class ExchangeTest : public CommandTest {};

TEST_F(ExchangeTest, NothingIsImportedTwice) {
  const std::string file = small_table().string();
  ASSERT_EQ(run({"import", file}).exit_code, 0);
  const std::string before = run({"export"}).out;
  const Finished again = run({"import", file});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const Finished json = run({"import", file, "--json"});
  EXPECT_EQ(json.json()["rows"], 0);
  EXPECT_EQ(json.json()["already_there"][0]["run"], 1);
  EXPECT_EQ(run({"export"}).out, before);
  EXPECT_EQ(run({"runs", "list", "--json"}).json()["runs"].size(), 1u);
  // What was deleted, or differs, is taken.
  ASSERT_EQ(run({"runs", "delete", "1"}).exit_code, 0);
  EXPECT_EQ(run({"import", file, "--json"}).json()["rows"], 60);
  const std::string more = write("more.csv", slurp(file) + "board,net,train,16,8,400,300,99,9\n");
  EXPECT_EQ(run({"import", more, "--json"}).json()["rows"], 61);
}

constexpr const char* known_differently =
    "device,workload,phase,gpu_mhz,minibatch_ms,power_w,provenance\n"
    "board,net,train,100,30,10,predicted\nboard,net,train,200,20,15,measured\n"
    "board,net,train,300,10,20,simulated\nboard,net,train,400,9,25,table\n";

// Looked up in a table it is known from a table, whatever the store has imported.
TEST_F(ExchangeTest, ATableAnswersTheSameBeforeAndAfterItsImport) {
  const std::string file = write("mine.csv",
                                 "device,workload,phase,gpu_mhz,minibatch_ms,power_w,provenance\n"
                                 "board,net,train,100,30,10,measured\n"
                                 "board,net,train,200,20,15,measured\n"
                                 "board,net,train,200,22,15,measured\n")
                               .string();
  const std::vector<std::string> tune = {"tune",          "net",    "--device",
                                         "table:" + file, "--json", "-q"};
  const auto before = run(tune).json();
  ASSERT_EQ(run({"import", file}).exit_code, 0);
  const auto after = run(tune).json();
  EXPECT_EQ(before["choice"]["provenance"], "table");
  EXPECT_EQ(after["choice"], before["choice"]);
}

TEST_F(ExchangeTest, APredictionStaysOneThroughImportStoreAndExport) {
  const std::string file = write("known.csv", known_differently).string();
  const std::string out = (folder_ / "out.csv").string();
  ASSERT_EQ(run({"import", file, "--out", out}).exit_code, 0);
  EXPECT_EQ(slurp(out), known_differently);
  ASSERT_EQ(run({"import", file}).exit_code, 0);
  EXPECT_EQ(run({"export"}).out, known_differently);
  for (const char* filter : {"--board", "--device"}) {
    EXPECT_EQ(run({"export", filter, "board"}).out, known_differently) << filter;
    EXPECT_EQ(run({"export", filter, "another"}).exit_code, 2) << filter;
  }
  EXPECT_EQ(run({"export", "--board", "board", "--device", "another"}).exit_code, 2);
  const auto trials = run({"runs", "show", "1", "--json"}).json()["trials"];
  EXPECT_EQ(trials[0]["provenance"], "predicted");
  EXPECT_EQ(trials[2]["provenance"], "simulated");
  const auto front = run({"pareto", out, "--json"}).json()["workloads"][0]["power_front"];
  EXPECT_EQ(front[0]["provenance"], "predicted");
}

TEST_F(ExchangeTest, AMapTakesProvenanceAsItStandsOrAsItIsTold) {
  const std::string file = write("foreign.csv", known_differently).string();
  const Finished kept = run({"import", file, "--map", "gpu_mhz=gpu_mhz:MHz", "--json"});
  ASSERT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_TRUE(kept.json()["ignored"].empty());
  EXPECT_EQ(run({"export"}).out, known_differently);
  const std::string out = (folder_ / "out.csv").string();
  ASSERT_EQ(run({"import", file, "--map", "provenance==simulated", "--out", out}).exit_code, 0);
  EXPECT_EQ(slurp(out).find("predicted"), std::string::npos);
}

TEST_F(ExchangeTest, WhatNobodyMeasuredIsTunedOnlyWhenAsked) {
  std::string text = slurp(small_table());
  text.replace(text.find("power_w"), 7, "power_w,provenance");
  for (size_t at = text.find('\n') + 1; (at = text.find('\n', at)) != std::string::npos; at += 11)
    text.replace(at, 1, ",simulated\n");
  const std::string table = "table:" + write("twin.csv", text).string();
  std::vector<std::string> tune = {"tune",           "net",        "--device", table,
                                   "--power-budget", "15W",        "--json",   "-q",
                                   "--oracle",       "--profiles", "10"};
  EXPECT_EQ(run(tune).exit_code, 2);
  tune.insert(tune.end(), {"--accept", "simulated"});
  for (const bool from_store : {false, true}) {
    const Finished done = run(tune);
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.json()["choice"]["provenance"], "simulated");
    EXPECT_EQ(done.json()["oracle"]["raw"]["provenance"], "simulated");
    for (const auto& trial : nlohmann::json(done.json()["profiled"])) {
      EXPECT_EQ(trial["provenance"], "simulated");
      EXPECT_EQ(trial["from_store"], from_store);
    }
  }
  EXPECT_EQ(run({"export"}).out.find(",table"), std::string::npos);
}

TEST_F(ExchangeTest, EveryPartKeepsItsThingsInOnePlace) {
  for (const char* name : {"FLYBALL_STORE", "FLYBALL_REFERENCES"}) environment_.erase(name);
  environment_["XDG_DATA_HOME"] = "";
  environment_["HOME"] = (folder_ / "home").string();
  const std::string table = small_table().string();
  ASSERT_EQ(run({"import", table}).exit_code, 0);
  ASSERT_EQ(run({"reference", "add", table}).exit_code, 0);
  const fs::path data = folder_ / "home/.local/share/flyball";
  EXPECT_TRUE(fs::exists(data / "store.db"));
  EXPECT_TRUE(fs::exists(data / "references/table.csv"));
}

TEST_F(ExchangeTest, AnExportedTableCanBeTuned) {
  ASSERT_EQ(run({"import", small_table().string()}).exit_code, 0);
  const std::string out = (folder_ / "out.csv").string();
  ASSERT_EQ(run({"export", "--workload", "net", "--out", out}).exit_code, 0);
  const Finished done =
      run({"tune", "net", "--device", "table:" + out, "--power-budget", "15W", "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_LE(done.json()["choice"]["power_w"], 15.0);
}

TEST_F(ExchangeTest, AnExportLeavesLinksAndPipesAsTheyAre) {
  ASSERT_EQ(run({"import", small_table().string()}).exit_code, 0);
  const std::string whole = run({"export"}).out;
  fs::create_symlink("target.csv", folder_ / "link.csv");
  write("target.csv", "old");
  ASSERT_EQ(run({"export", "--out", (folder_ / "link.csv").string()}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.csv"));
  EXPECT_EQ(slurp(folder_ / "target.csv"), whole);
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(run({"export", "--out", pipe.string()}).exit_code, 0);
  std::string read(whole.size() + 1, '\0');
  EXPECT_EQ(::read(reader, read.data(), read.size()), static_cast<ssize_t>(whole.size()));
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

}  // namespace
}  // namespace flyball::testing_tools
