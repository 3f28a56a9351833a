// Import, export and runs from the command line.
#include <sys/stat.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

class ExchangeTest : public CommandTest {};

TEST_F(ExchangeTest, AForeignTableComesInByItsMapAndGoesOutTidy) {
  const fs::path foreign = write("foreign.csv",
                                 "f_khz,n,t_s,p_mw,comment\n"
                                 "1190400,4,0.25,12500,a\n2201600,8,0.125,31000,b\n");
  const std::vector<std::string> map = {
      "--map",           "cpu_mhz=f_khz:kHz", "cpu_cores=n",   "minibatch_ms=t_s:s",
      "power_w=p_mw:mW", "device==board",     "workload==net", "phase==train"};
  std::vector<std::string> arguments = {"import", foreign.string()};
  arguments.insert(arguments.end(), map.begin(), map.end());
  const Finished imported = run(arguments);
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_NE(imported.out.find("2 rows"), std::string::npos);
  EXPECT_NE(imported.out.find("comment"), std::string::npos);
  const Finished exported = run({"export"});
  EXPECT_NE(exported.out.find("1190.4"), std::string::npos) << exported.out;
  EXPECT_NE(exported.out.find("250,12.5"), std::string::npos) << exported.out;
}

TEST_F(ExchangeTest, NothingIsImportedTwice) {
  const std::string file = small_table().string();
  ASSERT_EQ(run({"import", file}).exit_code, 0);
  const std::string before = run({"export"}).out;
  const Finished again = run({"import", file});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("net train on board: already there, 60 rows of import 1"),
            std::string::npos)
      << again.out;
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

TEST_F(ExchangeTest, ThePublicOriginalsComeInAsTheyAre) {
  const std::string orin = write("lstm_train_data_final.csv",
                                 "cores,cpu,gpu,mem,observed_time,observed_power\n"
                                 "4,422400,114750000,665600000,77.5,13\n"
                                 "4,422400,114750000,665600000,78.5,13\n")
                               .string();
  const auto imported = run({"import", "--format", "powertrain", orin, "--json"}).json();
  EXPECT_EQ(imported["rows"], 1);
  EXPECT_EQ(imported["workloads"][0], "lstm train on orin_agx");
  EXPECT_EQ(imported["notes"][0], "1 rows repeat a configuration: its first row counts");
  fs::create_directories(folder_ / "TX2");
  const std::string tx2 =
      write("TX2/IMDB.json", R"({"115200,114750000,204000000": [2.5, 12.5]})").string();
  const Finished bofl = run({"import", "--format", "bofl", tx2});
  EXPECT_EQ(bofl.exit_code, 0) << bofl.err;
  EXPECT_NE(bofl.out.find("bilstm train on tx2"), std::string::npos) << bofl.out;
  const Finished wrong = run({"import", "--format", "excel", tx2});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("tidy, powertrain, bofl"), std::string::npos) << wrong.err;
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

TEST_F(ExchangeTest, WhatIsExportedCanBeReadAgainSoTotalsKeepApart) {
  const char* const header = "device,workload,phase,cpu_cores,minibatch_ms,power_w,power_total\n";
  const auto table = [&](const char* name, const std::string& rows) {
    return write(name, header + rows).string();
  };
  ASSERT_EQ(run({"import", table("a.csv", "board,net,train,1,10,5,module\n")}).exit_code, 0);
  ASSERT_EQ(run({"import", table("b.csv", "board,net,infer,1,4,5,monitor\n")}).exit_code, 0);
  EXPECT_EQ(run({"export"}).exit_code, 0) << "each workload may have its own";
  ASSERT_EQ(run({"import", table("c.csv", "board,net,train,2,6,7,monitor\n")}).exit_code, 0);
  const Finished mixed = run({"export"});
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_EQ(mixed.out, "");
  EXPECT_NE(mixed.err.find("net train on board are of different totals: module, and monitor"),
            std::string::npos)
      << mixed.err;
  EXPECT_EQ(run({"export", "--run", "3"}).exit_code, 0);
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
  const Finished bad = run({"import", file, "--map", "provenance==guessed"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.err.find("'guessed' is not a provenance"), std::string::npos) << bad.err;
}

TEST_F(ExchangeTest, WhatNobodyMeasuredIsTunedOnlyWhenAsked) {
  std::string text = slurp(small_table());
  text.replace(text.find("power_w"), 7, "power_w,provenance");
  for (size_t at = text.find('\n') + 1; (at = text.find('\n', at)) != std::string::npos; at += 11)
    text.replace(at, 1, ",simulated\n");
  const std::string table = "table:" + write("twin.csv", text).string();
  std::vector<std::string> tune = {"tune", "net",    "--device", table,     "--power-budget",
                                   "15W",  "--json", "-q",       "--oracle"};
  const Finished refused = run(tune);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("every row of net train on board was simulated, none measured"),
            std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("--accept simulated"), std::string::npos) << refused.err;
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
  tune.back() = "guessed";
  EXPECT_EQ(run(tune).exit_code, 2);
}

TEST_F(ExchangeTest, ABadRowIsNamedAndNothingIsTaken) {
  const fs::path bad = write("bad.csv",
                             "device,workload,phase,cpu_mhz,minibatch_ms,power_w\n"
                             "b,net,train,400,10,5\nb,net,train,800,-1,6\n");
  const Finished done = run({"import", bad.string()});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_NE(done.err.find("bad.csv:3"), std::string::npos) << done.err;
  EXPECT_EQ(run({"export"}).exit_code, 2);
  EXPECT_TRUE(run({"runs", "list", "--json"}).json()["runs"].empty());
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

TEST_F(ExchangeTest, TheStoreSaysWhatIsWrongWithIt) {
  environment_["FLYBALL_STORE"] = write("notes.txt", std::string(5000, 'x')).string();
  const Finished corrupt = run({"runs", "list"});
  EXPECT_EQ(corrupt.exit_code, 2);
  EXPECT_NE(corrupt.err.find("notes.txt"), std::string::npos) << corrupt.err;
  EXPECT_EQ(slurp(folder_ / "notes.txt"), std::string(5000, 'x'));
  environment_["FLYBALL_STORE"] = "/proc/nowhere/store.db";
  const Finished unwritable = run({"runs", "list"});
  EXPECT_EQ(unwritable.exit_code == 0, false);
  EXPECT_NE(unwritable.err.find("/proc/nowhere"), std::string::npos) << unwritable.err;
}

TEST_F(ExchangeTest, ReadingMakesNoStoreWhereOneIsNamed) {
  const std::string typo = (folder_ / "typo/x.db").string();
  const std::vector<std::vector<std::string>> commands = {{"runs", "list"},
                                                          {"runs", "show", "1"},
                                                          {"runs", "compare", "1", "2"},
                                                          {"runs", "delete", "1"},
                                                          {"export"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--store", typo});
    const Finished done = run(command);
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_NE(done.err.find("there is no store " + typo + "\nHINT: "), std::string::npos)
        << done.err;
    EXPECT_FALSE(fs::exists(folder_ / "typo"));
  }
  EXPECT_NE(run({"runs", "list"}).out.find("no runs in"), std::string::npos);
  ASSERT_EQ(run({"import", small_table().string(), "--store", typo}).exit_code, 0);
  EXPECT_EQ(run({"runs", "list", "--store", typo}).exit_code, 0);
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

TEST_F(ExchangeTest, TextThatIsNotUtf8IsRefusedWhenItIsRead) {
  const fs::path bad = write("bad.csv",
                             "device,workload,phase,cpu_mhz,minibatch_ms,power_w\n"
                             "b\xf6rd,net,train,400,10,5\n");
  for (const Finished& done : {run({"import", bad.string(), "--json"}),
                               run({"tune", "net", "--device", "table:" + bad.string()})}) {
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_NE(done.err.find("bad.csv:2: column 'device' is not UTF-8\n"
                            "HINT: save the file as UTF-8"),
              std::string::npos)
        << done.err;
  }
}

TEST_F(ExchangeTest, EveryCommandHasAnExample) {
  const Finished help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const std::string command :
       {"tune", "workloads", "devices", "dataset", "runs", "import", "export"}) {
    EXPECT_NE(help.out.find(command), std::string::npos);
    const Finished one = run({command, "--help"});
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_NE(one.out.find("Example:\n  flyball " + command), std::string::npos) << one.out;
  }
}

}  // namespace
}  // namespace flyball::testing_tools
