// flyball plan and flyball evaluate search: advice, bad input, exit codes.
#include <algorithm>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

class PlanTest : public CommandTest {
 protected:
  /// An inference beside small_table(), with three batch sizes.
  fs::path serving_table(const std::vector<int>& batches = {1, 4, 16}) {
    std::ostringstream text;
    text << "device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,minibatch_ms,power_w\n";
    for (int batch : batches)
      for (int cores : {2, 4, 8})
        for (double cpu : {400, 800, 1200, 1600, 2000})
          for (double gpu : {300, 600, 900, 1200})
            text << "board,det,infer," << batch << ',' << cores << ',' << cpu << ',' << gpu << ','
                 << (2000 / gpu) * batch + 8000 / cpu + 3 << ','
                 << 5 + 0.008 * gpu + 0.0004 * cpu * cores << '\n';
    return write("serving.csv", text.str());
  }
};

// As in tune: tables become smaller.
TEST_F(PlanTest, AxesAreNarrowed) {
  const std::string train = small_table().string(), infer = serving_table().string();
  const auto plan = [&](const std::vector<std::string>& axes) {
    std::vector<std::string> words = {
        "plan", "concurrent", "--train", train,        "--infer",     infer,    "--rate",
        "40",   "--latency",  "600ms",   "--strategy", "brute-force", "--json", "-q"};
    for (const std::string& axis : axes) words.insert(words.end(), {"--axis", axis});
    return words;
  };
  const Finished done = run(plan({"gpu_mhz=300..600", "cpu_cores=4,8", "batch_size=4,16"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const auto& trial : nlohmann::json(done.json()["profiled"])) {
    const auto& config = trial["config"];
    EXPECT_LE(config["gpu_mhz"], 600) << trial;
    EXPECT_GE(config["cpu_cores"], 4) << trial;
    // Of the service; the training has its own one batch size.
    EXPECT_GE(config["batch_size"], 4) << trial;
  }
  EXPECT_EQ(done.json()["profiled"].size(), 2u * 5 * 2 * 3);
}

TEST_F(PlanTest, EveryKindAnswersInJson) {
  const std::string train = small_table().string(), infer = serving_table().string();
  const std::vector<std::vector<std::string>> requests = {
      {"plan", "training", "--train", train, "--power-budget", "15W"},
      {"plan", "inference", "--infer", infer, "--rate", "40", "--latency", "200ms"},
      {"plan", "concurrent", "--train", train, "--infer", infer, "--rate", "40", "--latency",
       "600ms"},
      {"plan", "two-inference", "--infer", infer, infer, "--rate", "20", "10", "--latency",
       "600ms"}};
  for (std::vector<std::string> request : requests) {
    const std::string kind = request[1];
    request.insert(request.end(), {"--json", "-q"});
    const Finished done = run(request);
    ASSERT_EQ(done.exit_code, 0) << kind << done.err;
    const auto plan = done.json();
    EXPECT_EQ(plan["problem"], kind);
    EXPECT_EQ(plan["choice"]["provenance"], "table");
    EXPECT_LE(plan["profiles"], 10);
    for (const auto& step : plan["profiled"]) EXPECT_NE(step["reason"], "");
  }
}

TEST_F(PlanTest, DynamicPlansEachWindow) {
  const Finished done = run({"plan", "dynamic", "--train", small_table().string(), "--infer",
                             serving_table().string(), "--windows", "20:10min,60:5min", "--latency",
                             "600ms", "--switch-cost", "2s", "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto plan = done.json();
  ASSERT_EQ(plan["windows"].size(), 2u);
  EXPECT_EQ(plan["windows"][1]["rate_hz"], 60);
  EXPECT_GE(plan["value"].get<double>(), plan["static_value"].get<double>());
  EXPECT_EQ(plan["value_unit"], "training minibatches/s");
}

// Where everything is known the limit that would do is known, too; a search ends at once.
TEST_F(PlanTest, WhatIsInfeasibleFromTheStartIsADocumentToo) {
  const std::string infer = serving_table({4, 16}).string();  // three wait for 75 ms
  for (const std::vector<std::string>& request :
       {std::vector<std::string>{"plan", "inference", "--infer", infer, "--rate", "40"},
        {"plan", "dynamic", "--infer", infer, "--windows", "40:1min"}}) {
    std::vector<std::string> arguments = request;
    arguments.insert(arguments.end(), {"--latency", "10ms", "--json", "-q"});
    const Finished known = run(arguments);
    EXPECT_EQ(known.exit_code, 1);
    const auto easing = known.json()["infeasible"]["easing"];
    ASSERT_EQ(easing.size(), 1u) << known.out;
    EXPECT_EQ(easing[0]["flag"], "--latency");
    EXPECT_GT(easing[0]["value"], 75);
    arguments.insert(arguments.end(), {"--profiles", "3"});
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_TRUE(done.json()["infeasible"].is_object()) << done.out;
    EXPECT_TRUE(done.json()["infeasible"]["easing"].empty()) << done.out;
  }
}

TEST_F(PlanTest, ProfilesHoldForEveryStrategy) {
  for (const char* strategy : {"als", "gmd", "binary-search"}) {
    const Finished done = run({"plan", "training", "--train", small_table().string(), "--strategy",
                               strategy, "--profiles", "3", "--json", "-q"});
    EXPECT_LE(done.json()["profiles"], 3) << strategy;
  }
}

/// What was measured before an interruption is on disk and taken from there.
// Every measurement belongs to a run, which lists and deletes it.
TEST_F(PlanTest, WhatItMeasuresBelongsToItsRun) {
  const std::string infer = serving_table().string();
  ASSERT_EQ(run({"plan", "training", "--train", small_table().string(), "--profiles", "10", "-q"})
                .exit_code,
            0);
  ASSERT_EQ(run({"plan", "dynamic", "--infer", infer, "--windows", "20:1min,40:1min", "--latency",
                 "900ms", "--profiles", "10", "-q"})
                .exit_code,
            0);
  const auto runs = run({"runs", "list", "--json"}).json()["runs"];
  ASSERT_EQ(runs.size(), 2u);
  for (const auto& one : runs) {
    EXPECT_GT(one["measurements"], 0);
    EXPECT_EQ(run({"runs", "delete", std::to_string(one["id"].get<int>())}).exit_code, 0);
  }
  EXPECT_EQ(run({"export"}).exit_code, 2) << "nothing is left";
}

TEST_F(PlanTest, ASearchThatWasInterruptedResumesFromTheStore) {
  std::vector<std::string> request = {
      "plan", "training", "--train", small_table().string(), "--power-budget",
      "15W",  "--json",   "-q",      "--profiles",           "4"};
  const auto first = run(request).json();
  request.back() = "10";
  const auto second = run(request).json();
  ASSERT_GE(second["profiled"].size(), first["profiled"].size());
  for (size_t i = 0; i < second["profiled"].size(); ++i) {
    const auto& step = second["profiled"][i];
    const bool known = i < first["profiled"].size();
    EXPECT_EQ(step["from_store"], known) << i;
    if (known) {
      EXPECT_EQ(step["config"], first["profiled"][i]["config"]);
      EXPECT_EQ(step["minibatch_ms"], first["profiled"][i]["minibatch_ms"]);
    }
  }
}

TEST_F(PlanTest, EvaluateSearchHasTheKeysItPromises) {
  const auto problems = write("problems.csv", "power_w\n9\n12\n15\n20\n");
  const Finished done =
      run({"evaluate", "search", "--problem", "training", "--train", small_table().string(),
           "--modes", "all", "--problems", problems.string(), "--strategy", "gmd,flyball",
           "--cases", (folder_ / "cases.csv").string(), "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto report = done.json();
  EXPECT_EQ(report["problem"], "training");
  ASSERT_EQ(report["rows"].size(), 2u);
  for (const auto& row : report["rows"]) {
    EXPECT_EQ(row["problems"], 4);
    EXPECT_EQ(row["solvable"], 4);
    EXPECT_EQ(row["violations"], 0);
  }
  EXPECT_EQ(report["rows"][1]["solved"], 4);
  EXPECT_LE(report["rows"][1]["max_profiles"], 10);
  EXPECT_LT(report["rows"][1]["mean_excess_pct"], 5);
  const std::string cases = slurp(folder_ / "cases.csv");
  EXPECT_EQ(std::ranges::count(cases, '\n'), 9);
}

// A limit holds for all windows: what is advised does for the one that asks the most.
TEST_F(PlanTest, WhatIsAdvisedServesEveryWindow) {
  const std::string infer = small_table("infer").string();
  const auto plan = [&](const std::string& power) {
    return run({"plan", "dynamic", "--infer", infer, "--windows", "180:1min,300:1min,200:1min",
                "--latency", "1s", "--power-budget", power, "--no-store", "--json"});
  };
  const Finished refused = plan("9W");
  ASSERT_EQ(refused.exit_code, 1) << refused.err;
  EXPECT_NE(refused.err.find("window 2 (300 requests/s)"), std::string::npos) << refused.err;
  const auto easing = refused.json()["infeasible"]["easing"][0];
  ASSERT_EQ(easing["flag"], "--power-budget");
  EXPECT_EQ(plan(easing["value"].dump() + "W").exit_code, 0) << easing;
}

}  // namespace
}  // namespace flyball::testing_tools
