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

TEST_F(TuneTest, ATableIsSearchedWithoutItselfAsReference) {
  const fs::path table = small_table();
  std::vector<std::string> arguments = over_table(table, "15W");
  const Finished alone = run(arguments);
  arguments.insert(arguments.end(), {"--reference", table.string()});
  const Finished taught = run(arguments);
  ASSERT_EQ(taught.exit_code, 0) << taught.err;
  EXPECT_NE(taught.err.find("net train on board is searched, and is no reference for itself"),
            std::string::npos)
      << taught.err;
  EXPECT_EQ(taught.json()["request"]["references"].size(), 0u);
  EXPECT_EQ(taught.json()["profiled"].size(), alone.json()["profiled"].size());
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
  EXPECT_NE(text.out.find(sentence), std::string::npos) << text.out;
  EXPECT_EQ(report["answer"]["per"], "sample");
  EXPECT_EQ(report["answer"]["comparison"], json["comparison"]);
  EXPECT_EQ(json["oracle"]["gap_pct"], 0);
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

/// An inference without arrivals is tuned as a training is: one minibatch after the other.
TEST_F(TuneTest, TunesAnInferenceTable) {
  const Finished done = run(over_table(small_table("infer"), "15W"));
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

TEST_F(TuneTest, ATableWithOneWorkloadNeedsNoNameForIt) {
  const Finished one = run({"tune", "--device", "table:" + small_table().string(), "--json", "-q"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.json()["request"]["workload"], "net");
}

TEST_F(TuneTest, AnAxisNarrowsATable) {
  const Finished done = run({"tune", "net", "--device", "table:" + small_table().string(), "--axis",
                             "cpu_cores=2,4", "--axis", "gpu_mhz=500..1000", "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["configurations"], 2 * 5 * 2);
  for (const SortedJson& trial : SortedJson(done.json()["profiled"])) {
    EXPECT_LE(trial["config"]["cpu_cores"], 4);
    EXPECT_GE(trial["config"]["gpu_mhz"], 500);
    EXPECT_LE(trial["config"]["gpu_mhz"], 1000);
  }
}

TEST_F(TuneTest, InfeasibleSaysWhatBindsAndExitsWithOne) {
  const Finished done = run(over_table(small_table(), "6W"));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_TRUE(done.json()["choice"].is_null());
  const SortedJson relaxation = done.json()["infeasible"]["easing"];
  ASSERT_EQ(relaxation.size(), 1u);
  EXPECT_EQ(relaxation[0]["flag"], "--power-budget");
  EXPECT_EQ(relaxation[0]["provenance"], "table");
  EXPECT_EQ(run(over_table(small_table(), fmt::format("{}W", relaxation[0]["value"].get<double>())))
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
}

TEST_F(TuneTest, ForSoLong) {
  auto arguments = over_table(small_table(), "30W");
  std::erase(arguments, "--profiles"), std::erase(arguments, "10");
  arguments.insert(arguments.end(), {"--duration", "1us"});
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

TEST_F(TuneTest, TheLargestSeedIsTakenWhole) {
  auto arguments = over_table(small_table(), "15W");
  arguments.insert(arguments.end(), {"--seed", "18446744073709551615", "--samples", "1"});
  EXPECT_EQ(run(arguments).json()["request"]["seed"], UINT64_MAX);
}

// The answer without what differs from run to run.
SortedJson essence(const SortedJson& answer) {
  return {answer["choice"], answer["default"], answer["profiles"], answer["front"]};
}

// At ten moments or more, until a kill came between two measurements: then there is something to
// resume. A store whose run has ended is no more of use.
TEST_F(TuneTest, KilledAtTenRandomMomentsItComesToTheSameAnswer) {
  const auto arguments = over_table(small_table(), "15W");
  const Stopwatch watch;
  const SortedJson expected = essence(run(arguments).json());
  const auto most_us = static_cast<uint64_t>(watch.seconds() * 1e6);
  const auto measured = [&] {
    const Finished listed = run({"runs", "list", "--json"});
    const auto runs = listed.exit_code == 0 ? listed.json()["runs"] : nlohmann::json();
    return runs.empty() ? size_t{0} : runs[0]["measurements"].get<size_t>();
  };
  const size_t all = measured();
  ASSERT_GT(all, 1u);
  Random random(7);
  bool between = false;
  size_t kept = all;
  for (int kill = 0; kill < 100 && (kill < 10 || !between); ++kill) {
    if (kept == all)
      environment_["FLYBALL_STORE"] = (folder_ / fmt::format("killed{}.db", kill)).string();
    const pid_t child = start(arguments);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(most_us)));
    ::kill(child, SIGKILL);
    finish(child);
    kept = measured();
    between = kept > 0 && kept < all;
  }
  EXPECT_TRUE(between) << "no kill came between two measurements";
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
