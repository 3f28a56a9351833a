// `flyball tune` from the command line: over tables, killed and resumed.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "base/json.h"
#include "base/random.h"
#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

class TuneTest : public CommandTest {
 protected:
  std::vector<std::string> over_table(const fs::path& table, const std::string& budget) {
    return {"tune",           "net",  "--device",   "table:" + table.string(),
            "--power-budget", budget, "--profiles", "10",
            "--json",         "-q"};
  }
  void expect_no_runs() { EXPECT_TRUE(run({"runs", "list", "--json"}).json()["runs"].empty()); }
};

TEST_F(TuneTest, AnswersWithAMeasuredRowOfTheTableWithinTheBudget) {
  const fs::path table = small_table();
  const Finished done = run(over_table(table, "15W"));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson answer = done.json();
  const SortedJson config = answer["choice"]["config"];
  const double cores = config["cpu_cores"], cpu = config["cpu_mhz"], gpu = config["gpu_mhz"];
  EXPECT_NEAR(answer["choice"]["power_w"], 5 + 0.01 * gpu + 0.0008 * cpu * cores, 1e-3);
  EXPECT_NEAR(answer["choice"]["minibatch_ms"], 20000 / gpu + 30000 / cpu / cores + 5, 1e-3);
  EXPECT_LE(answer["choice"]["power_w"], 15.0);
  EXPECT_EQ(answer["choice"]["provenance"], "table");
  EXPECT_LE(answer["profiles"], 10);
  EXPECT_EQ(answer["default"]["config"]["gpu_mhz"], 1200);
  EXPECT_EQ(answer["request"]["budget_span"], "minibatch");
  EXPECT_EQ(answer["profiled"].size(), answer["trials"]);
}

/// The block of README.md that shows a table: the program still says that, time and notes aside.
TEST_F(TuneTest, AnswersAsTheReadmeShows) {
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
      if (!line.starts_with("note: ")) lines.push_back(line.substr(0, line.find(" profiled in ")));
    return lines;
  };
  const std::string readme = slurp(FLYBALL_SOURCE_DIR "/README.md");
  const std::string command = "    $ flyball tune lenet5 --device table:examples/lenet5_host.csv";
  std::istringstream block(readme.substr(readme.find(command)));
  std::string line, shown;
  std::getline(block, line);
  ASSERT_EQ(line, command + " --oracle");
  while (std::getline(block, line) && (line.empty() || line.starts_with("    ")))
    shown += (line.empty() ? "" : line.substr(4)) + "\n";
  const Finished done =
      run({"tune", "lenet5", "--device", "table:" FLYBALL_SOURCE_DIR "/examples/lenet5_host.csv",
           "--oracle", "-q"});
  std::vector<std::string> expected = lines_of(shown);
  while (!expected.empty() && expected.back().empty()) expected.pop_back();
  EXPECT_EQ(lines_of(done.out), expected);
}

/// Batch sizes of 8, 16 and 32: a minibatch takes 10 ms and 1 ms for each sample.
constexpr const char* batches_csv =
    "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w\n"
    "b,net,train,8,600,28,10\nb,net,train,8,1200,18,14\n"
    "b,net,train,16,600,44,10\nb,net,train,16,1200,26,14\n"
    "b,net,train,32,600,76,10\nb,net,train,32,1200,42,14\n";

TEST_F(TuneTest, BatchSizesAreComparedPerSampleEverywhere) {
  const fs::path table = write("batches.csv", batches_csv), page = folder_ / "r.html";
  std::vector<std::string> arguments = {
      "tune",     "net",      "--device",    "table:" + table.string(),
      "--oracle", "--report", page.string(), "-q"};
  const Finished text = run(arguments);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("sample ms"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("minibatch ms"), std::string::npos) << text.out;
  const SortedJson report = report_data(page);
  arguments.emplace_back("--json");
  const SortedJson json = run(arguments).json();
  EXPECT_EQ(json["per"], "sample");
  const SortedJson &choice = json["choice"], &usual = json["default"];
  EXPECT_EQ(choice["config"]["batch_size"], 32);
  EXPECT_DOUBLE_EQ(choice["sample_ms"], 42.0 / 32);
  EXPECT_DOUBLE_EQ(choice["sample_j"], 42.0 / 32 * 14e-3);
  EXPECT_EQ(choice["minibatch_ms"], 42);
  EXPECT_TRUE(choice["minibatch_ms_90"].is_null()) << "a table tells no spread";
  for (const SortedJson& trial : json["profiled"]) {
    EXPECT_TRUE(trial["noise_pct"].is_null() && trial["power_noise_pct"].is_null()) << trial;
    EXPECT_TRUE(trial["throttled"].is_null()) << trial;
  }
  const double change =
      100 * (choice["sample_ms"].get<double>() / usual["sample_ms"].get<double>() - 1);
  EXPECT_NEAR(json["comparison"]["time"]["pct"], change, 1e-9);
  const std::string sentence = json["comparison"]["text"];
  EXPECT_NE(sentence.find(" per sample"), std::string::npos) << sentence;
  EXPECT_NE(text.out.find(sentence), std::string::npos) << text.out;
  EXPECT_EQ(report["answer"]["per"], "sample");
  EXPECT_EQ(report["answer"]["comparison"], json["comparison"]);
  EXPECT_EQ(json["oracle"]["gap_pct"], 0);
  EXPECT_NE(text.out.find("the same time as the raw optimum"), std::string::npos) << text.out;
}

TEST_F(TuneTest, BruteForcePrintsTheAnswerAndTheTrialsOnlyWhenAsked) {
  std::string many = "device,workload,phase,batch_size,gpu_mhz,minibatch_ms\n";
  for (int mhz = 1; mhz <= 300; ++mhz)
    many += fmt::format("b,net,train,16,{},{}\n", mhz, 1000.0 / mhz + 1);
  const fs::path table = write("many.csv", many);
  const std::vector<std::vector<std::string>> commands = {
      {"tune", "net", "--device", "table:" + table.string(), "--strategy", "brute-force"},
      {"plan", "training", "--train", table.string(), "--strategy", "brute-force"}};
  for (const auto& command : commands) {
    const Finished brief = run(command);
    ASSERT_EQ(brief.exit_code, 0) << brief.err;
    EXPECT_LT(std::ranges::count(brief.out + brief.err, '\n'), 40) << brief.out;
    auto all = command;
    all.emplace_back("--verbose");
    EXPECT_GT(std::ranges::count(run(all).out, '\n'), 300);
  }
}

TEST_F(TuneTest, ThatThereIsNoPowerIsSaidOnceAndBriefly) {
  const Finished done = run({"tune", "lenet5", "--device",
                             "table:" FLYBALL_SOURCE_DIR "/examples/lenet5_host.csv", "-q"});
  const size_t first = done.out.find("power");
  EXPECT_NE(first, std::string::npos) << done.out;
  EXPECT_EQ(done.out.find("power", first + 1), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("minibatch ms"), std::string::npos) << done.out;
  EXPECT_EQ(done.out.find("minibatch J"), std::string::npos) << done.out;
}

/// An inference without arrivals is tuned as a training is: one minibatch after the other.
TEST_F(TuneTest, TunesAnInferenceTable) {
  const std::string table = slurp(small_table());
  std::string served;
  for (size_t at = 0, next = 0; (next = table.find(",train,", at)) != std::string::npos;
       at = next + 7)
    served += table.substr(at, next - at) + ",infer,";
  served += table.substr(table.rfind(",train,") + 7);
  const fs::path infer = write("infer.csv", served);
  const Finished done = run(over_table(infer, "15W"));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["request"]["phase"], "infer");
  EXPECT_LE(done.json()["choice"]["power_w"], 15);
}

TEST_F(TuneTest, BruteForceFindsTheOracle) {
  auto arguments = over_table(small_table(), "15W");
  arguments.insert(arguments.end(), {"--strategy", "brute-force", "--oracle"});
  const SortedJson answer = run(arguments).json();
  EXPECT_EQ(answer["choice"]["config"], answer["oracle"]["raw"]["config"]);
  EXPECT_EQ(answer["profiles"], 60);
}

TEST_F(TuneTest, InfeasibleSaysWhatBindsAndExitsWithOne) {
  const Finished done = run(over_table(small_table(), "6W"));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_TRUE(done.json()["choice"].is_null());
  EXPECT_NE(done.json()["infeasible"]["reason"].get<std::string>().find("power"),
            std::string::npos);
  EXPECT_NE(done.err.find("HINT"), std::string::npos);
  const SortedJson easing = done.json()["infeasible"]["easing"];
  ASSERT_EQ(easing.size(), 1u);
  EXPECT_EQ(easing[0]["flag"], "--power-budget");
  EXPECT_EQ(easing[0]["provenance"], "table");
  EXPECT_EQ(run(over_table(small_table(), fmt::format("{}W", easing[0]["value"].get<double>())))
                .exit_code,
            0);
}

TEST_F(TuneTest, UntilAGap) {
  auto arguments = over_table(small_table(), "15W");
  std::erase(arguments, "--profiles"), std::erase(arguments, "10");
  arguments.insert(arguments.end(), {"--gap", "2%"});
  const SortedJson answer = run(arguments).json();
  EXPECT_EQ(answer["request"]["gap_pct"], 2);
  ASSERT_TRUE(answer.contains("gap_pct")) << answer;
  EXPECT_LE(answer["gap_pct"], 2);
  const std::string stopped = answer["stopped"];
  EXPECT_TRUE(stopped.find("within the gap of 2 %") != std::string::npos ||
              stopped.find("everything was measured") != std::string::npos)
      << stopped;
  for (const char* bad : {"2", "0%", "two%", "100%"}) {
    arguments.back() = bad;
    EXPECT_EQ(run(arguments).exit_code, 2) << bad;
  }
}

TEST_F(TuneTest, ForSoLong) {
  auto arguments = over_table(small_table(), "30W");
  std::erase(arguments, "--profiles"), std::erase(arguments, "10");
  arguments.insert(arguments.end(), {"--for", "1us"});
  const SortedJson answer = run(arguments).json();
  EXPECT_EQ(answer["profiles"], 1);  // the default, which is always known
  EXPECT_EQ(answer["stopped"], "the time was used up");
  arguments.back() = "10min";
  const SortedJson whole = run(arguments).json();
  EXPECT_GT(whole["profiles"], 1);
  EXPECT_NE(whole["stopped"], "the time was used up");
}

TEST_F(TuneTest, EpochBudgetsNeedTheNumberOfSamples) {
  auto arguments = over_table(small_table(), "30W");
  arguments.insert(arguments.end(), {"--samples", "1600", "--time-budget", "4s"});
  const SortedJson answer = run(arguments).json();
  EXPECT_EQ(answer["request"]["budget_span"], "epoch");
  EXPECT_LE(answer["choice"]["epoch_s"], 4.0);
  EXPECT_NEAR(answer["choice"]["epoch_s"],
              answer["choice"]["minibatch_ms"].get<double>() * 100 / 1000, 1e-9);
}

TEST_F(TuneTest, ReportHoldsTheAnswer) {
  auto arguments = over_table(small_table(), "15W");
  arguments.insert(arguments.end(), {"--report", (folder_ / "r.html").string()});
  const SortedJson answer = run(arguments).json();
  const SortedJson data = report_data(folder_ / "r.html");
  EXPECT_EQ(data["schema"], "flyball-report/2");
  EXPECT_EQ(data["configurations"].size(), 60u);
  EXPECT_EQ(data["answer"], answer);
  std::vector<double> chosen;
  for (const SortedJson& axis : answer["axes"])
    chosen.push_back(answer["choice"]["config"][axis["name"].get<std::string>()]);
  const auto shown = std::ranges::find_if(data["configurations"], [&](const SortedJson& one) {
    return one["config"] == SortedJson(chosen);
  });
  ASSERT_NE(shown, data["configurations"].end());
  EXPECT_EQ((*shown)["time_ms"], answer["choice"]["minibatch_ms"]);
}

TEST_F(TuneTest, AReportThatCannotBeWrittenIsToldBeforeAnythingIsMeasured) {
  const auto table = over_table(small_table(), "15W");
  for (const fs::path& place : {write("file", "") / "r.html", folder_, folder_ / "new/"}) {
    auto arguments = table;
    arguments.insert(arguments.end(), {"--report", place.string()});
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 2) << place;
    EXPECT_TRUE(done.out.empty()) << place;
    EXPECT_NE(done.err.find("cannot write " + place.string()), std::string::npos) << done.err;
    EXPECT_NE(done.err.find("HINT"), std::string::npos) << done.err;
  }
  expect_no_runs();
}

TEST_F(TuneTest, LookingAtTheReportsPlaceLeavesItAsItWas) {
  write("kept.html", "kept");
  for (const char* name : {"kept.html", "new/deep/r.html"}) {
    auto arguments = over_table(small_table(), "15W");
    arguments.insert(arguments.end(),
                     {"--report", (folder_ / name).string(), "--strategy", "magic"});
    EXPECT_EQ(run(arguments).exit_code, 2);
  }
  EXPECT_EQ(slurp(folder_ / "kept.html"), "kept");
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

TEST_F(TuneTest, TheAnswerIsPrintedThoughTheReportFails) {
  auto arguments = over_table(small_table(), "15W");
  arguments.insert(arguments.end(), {"--no-store", "--report", (folder_ / "r.html").string()});
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100'000, before.rlim_max};  // too small for the page
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Finished done = run(arguments);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_NE(done.err.find("r.html"), std::string::npos) << done.err;
  EXPECT_FALSE(done.json()["choice"].is_null());
  EXPECT_FALSE(fs::exists(folder_ / "r.html"));
}

TEST_F(TuneTest, AnOracleWithoutAnOptimumSaysSo) {
  auto arguments = over_table(small_table(), "6W");
  std::erase(arguments, "--json");
  arguments.push_back("--oracle");
  const Finished done = run(arguments);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_NE(done.out.find("no configuration of the table meets the budgets"), std::string::npos)
      << done.out;
  EXPECT_EQ(done.out.find("robust optimum"), std::string::npos) << done.out;
}

TEST_F(TuneTest, AnEmptyValueIsNotAnOptionLeftOut) {
  for (const std::string option : {"--power-budget", "--time-budget", "--energy-budget", "--store",
                                   "--report", "--seed", "--objective"}) {
    auto arguments = over_table(small_table(), "15W");
    arguments.insert(arguments.end(), {option, ""});
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 2) << option;
    EXPECT_NE(done.err.find(option + ": the value is empty"), std::string::npos) << done.err;
  }
}

TEST_F(TuneTest, SamplesAndSeedsAreCheckedByOption) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> bad = {
      {"--samples", {"nan", "inf", "-1", "0", "0.5", "many"}},
      {"--seed", {"-1", "1.5", "18446744073709551616"}}};
  for (const auto& [option, values] : bad)
    for (const std::string& value : values) {
      auto arguments = over_table(small_table(), "15W");
      arguments.insert(arguments.end(), {option, value});
      const Finished done = run(arguments);
      EXPECT_EQ(done.exit_code, 2) << option << ' ' << value;
      EXPECT_NE(done.err.find(option + ": '" + value + "' is not"), std::string::npos) << done.err;
    }
  auto arguments = over_table(small_table(), "15W");
  arguments.insert(arguments.end(), {"--seed", "18446744073709551615", "--samples", "1"});
  EXPECT_EQ(run(arguments).json()["request"]["seed"], UINT64_MAX);
}

TEST_F(TuneTest, EverySeedRefusesASign) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"plan", "training"},
                                             {"predict", "net", "--device", "host"},
                                             {"profile", "lenet5"},
                                             {"dataset", "make", "digits", "--out", "x"},
                                             {"evaluate", "search"},
                                             {"evaluate", "predict"},
                                             {"evaluate", "optimise"}}) {
    auto arguments = command;
    arguments.insert(arguments.end(), {"--seed", "-1"});
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 2) << command[0];
    EXPECT_NE(done.err.find("--seed: '-1' is not"), std::string::npos) << done.err;
  }
}

TEST_F(TuneTest, ObjectivesAreThoseOfTune) {
  for (const char* objective : {"speed", "latency", "throughput"}) {
    auto arguments = over_table(small_table(), "15W");
    arguments.insert(arguments.end(), {"--objective", objective});
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_NE(done.err.find("HINT: one of: time, energy, power\n"), std::string::npos) << done.err;
  }
}

TEST_F(TuneTest, WhatIsRefusedLeavesNoRun) {
  const std::vector<std::vector<std::string>> wrong = {{"--strategy", "magic"},
                                                       {"--predictor", "magic"},
                                                       {"--power-budget", "-3W"},
                                                       {"--time-budget", "0s"},
                                                       {"--objective", "latency"}};
  for (const auto& words : wrong) {
    std::vector<std::string> arguments = {"tune", "net", "--device",
                                          "table:" + small_table().string()};
    arguments.insert(arguments.end(), words.begin(), words.end());
    EXPECT_EQ(run(arguments).exit_code, 2) << words[1];
  }
  expect_no_runs();
}

TEST_F(TuneTest, BadUseGetsOneLineAndAHint) {
  const std::string table = "table:" + small_table().string();
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"tune", "nett", "--device", table}, "nett"},
      {{"tune", "net", "--device", table, "--power-budget", "30X"}, "30X"},
      {{"tune", "net", "--device", table, "--power-budget", "-3W"}, "power budget"},
      {{"tune", "net", "--device", table, "--strategy", "magic"}, "magic"},
      {{"tune", "net", "--device", table, "--predictor", "magic"}, "magic"},
      {{"tune", "net", "--device", table, "--profiles", "0"}, "profiles"},
      {{"tune", "net", "--device", table, "--objective", "joy"}, "joy"},
      {{"tune", "net", "--device", "toaster"}, "toaster"},
      {{"tune", "net", "--device", "table:/nowhere.csv"}, "/nowhere.csv"},
      {{"tune", "lenet5", "--data", "/nowhere"}, "/nowhere"},
      {{"tune", "lenet5", "--oracle"}, "--oracle"},
      {{"tune"}, "workload"},
  };
  for (const auto& [arguments, word] : cases) {
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 2) << word;
    EXPECT_TRUE(done.out.empty()) << done.out;
    EXPECT_NE(done.err.find(word), std::string::npos) << done.err;
    EXPECT_NE(done.err.find("HINT"), std::string::npos) << done.err;
  }
}

TEST_F(TuneTest, ABadTableIsNamedByLineAndColumn) {
  const fs::path bad = write("bad.csv",
                             "device,workload,phase,cpu_mhz,minibatch_ms,power_w\n"
                             "b,net,train,400,10,5\nb,net,train,800,oops,6\n");
  const Finished done = run(over_table(bad, "15W"));
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_NE(done.err.find("bad.csv:3: column 'minibatch_ms'"), std::string::npos) << done.err;
}

// The answer without what differs from run to run.
SortedJson essence(const SortedJson& answer) {
  return {answer["choice"], answer["default"], answer["profiles"], answer["front"]};
}

TEST_F(TuneTest, KilledAtTenRandomMomentsItComesToTheSameAnswer) {
  const auto arguments = over_table(small_table(), "15W");
  const SortedJson expected = essence(run(arguments).json());
  environment_["FLYBALL_STORE"] = (folder_ / "killed.db").string();
  Random random(7);
  for (int kill = 0; kill < 10; ++kill) {
    const pid_t child = start(arguments);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(150'000)));
    ::kill(child, SIGKILL);
    finish(child);
  }
  const Finished done = run(arguments);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(essence(done.json()), expected);
  // Every measurement stands in its run once, however often the run was resumed.
  for (const SortedJson& listed : nlohmann::json(run({"runs", "list", "--json"}).json()["runs"])) {
    const SortedJson shown =
        run({"runs", "show", std::to_string(listed["id"].get<int>()), "--json"}).json();
    std::set<int> ids;
    for (const SortedJson& trial : shown["trials"])
      EXPECT_TRUE(ids.insert(trial["id"].get<int>()).second) << shown;
    EXPECT_EQ(listed["measurements"], ids.size());
  }
}

TEST_F(TuneTest, MeasuredTablesAreAnsweredWithinTheBudget) {
  const fs::path tables = measured_tables();
  if (tables.empty()) GTEST_SKIP() << "no measured tables (set FLYBALL_DATA)";
  for (const std::string budget : {"20W", "30W", "40W"}) {
    const Finished done =
        run({"tune", "resnet18", "--device",
             "table:" + (tables / "orin_agx__resnet18__train.csv").string(), "--power-budget",
             budget, "--profiles", "10", "--oracle", "--json", "-q"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const SortedJson answer = done.json();
    EXPECT_LE(answer["choice"]["power_w"], std::stod(budget));
    EXPECT_LE(answer["profiles"], 10);
    EXPECT_EQ(answer["oracle"]["excluded_rows"], 77);
    EXPECT_LE(answer["oracle"]["raw"]["minibatch_ms"], answer["choice"]["minibatch_ms"]);
  }
}

}  // namespace
}  // namespace flyball::testing_tools
