// flyball plan and flyball evaluate search: advice, bad input, exit codes.
#include <gmock/gmock.h>

#include <algorithm>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

class PlanTest : public CommandTest {
 protected:
  /// An inference beside small_table(), with three batch sizes.
  fs::path serving_table(const std::string& device = "board", double offset_mhz = 0,
                         const std::vector<int>& batches = {1, 4, 16}) {
    std::ostringstream text;
    text << "device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,minibatch_ms,power_w\n";
    for (int batch : batches)
      for (int cores : {2, 4, 8})
        for (double cpu : {400, 800, 1200, 1600, 2000})
          for (double gpu : {300, 600, 900, 1200})
            text << device << ",det,infer," << batch << ',' << cores << ',' << cpu + offset_mhz
                 << ',' << gpu << ',' << (2000 / gpu) * batch + 8000 / cpu + 3 << ','
                 << 5 + 0.008 * gpu + 0.0004 * cpu * cores << '\n';
    return write("serving-" + device + ".csv", text.str());
  }
  void expect_refused(std::vector<std::string> arguments, int exit_code,
                      const std::vector<std::string>& words) {
    arguments.push_back("-q");
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, exit_code) << done.out << done.err;
    for (const std::string& word : words)
      EXPECT_NE(done.err.find(word), std::string::npos) << word << " is not in: " << done.err;
    EXPECT_NE(done.err.find("HINT: "), std::string::npos) << done.err;
    EXPECT_EQ(std::ranges::count(done.err, '\n'), 2) << done.err;
  }
};

TEST_F(PlanTest, ConcurrentReadsAsAdvice) {
  const Finished done = run({"plan", "concurrent", "--train", small_table().string(), "--infer",
                             serving_table().string(), "--rate", "40", "--latency", "600ms",
                             "--power-budget", "15W", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const char* words :
       {"set cpu_cores ", "training minibatches while", "requests gather, then serve them",
        "power ", " of 15 W", "arrival rate 40/s of the", "1 W more power would buy",
        "10 ms more latency would buy", "alternatives at other powers (table)",
        "profiled: ", "stopped: "})
    EXPECT_NE(done.out.find(words), std::string::npos) << words << " is not in:\n" << done.out;
}

// As in tune: tables become smaller, and what they lack is refused with what they have.
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
  expect_refused(plan({"gpu_mhz=700"}), 2, {"has no gpu_mhz 700", "600 and 900"});
  expect_refused(plan({"batch_size=2"}), 2, {"has no batch_size 2", "1 and 4"});
  expect_refused(plan({"warp=1"}), 2, {"has no axis 'warp'", "gpu_mhz"});
  expect_refused(plan({"gpu_mhz=300", "gpu_mhz=600"}), 2, {"--axis gpu_mhz is given twice"});
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
  const Finished listed = run({"runs", "list", "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.json()["runs"][0]["best"].get<std::string>(),
              testing::HasSubstr(" training minibatches/s"));
}

TEST_F(PlanTest, InfeasibleBudgetsNameWhatBindsAndTheNearestValue) {
  const std::string train = small_table().string(), infer = serving_table().string();
  // The least power there is: 5 + 3 + 0.64 W.
  expect_refused({"plan", "training", "--train", train, "--power-budget", "6W"}, 1,
                 {"power budget of 6 W", "8.64W"});
  expect_refused(
      {"plan", "training", "--train", train, "--power-budget", "6W", "--strategy", "brute-force"},
      1, {"power budget of 6 W", "--power-budget 8.64W"});
  expect_refused({"plan", "inference", "--infer", infer, "--rate", "9000", "--latency", "600ms"}, 1,
                 {"arrival rate of 9000 requests/s", "try --rate"});
  // A single request waits for none: 1.667 + 4 + 3 ms at the highest clocks.
  expect_refused({"plan", "inference", "--infer", infer, "--rate", "40", "--latency", "8ms"}, 1,
                 {"latency budget of 8 ms", "try --latency 8.667ms (table)"});
  expect_refused(
      {"plan", "dynamic", "--infer", infer, "--windows", "40:1min,9000:1min", "--latency", "600ms"},
      1, {"window 2 (9000 requests/s)"});
}

TEST_F(PlanTest, ASingleRequestWaitsForNone) {
  const Finished done = run({"plan", "inference", "--infer", serving_table().string(), "--rate",
                             "1", "--latency", "100ms", "-q"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.out.find("serve each request as it arrives"), std::string::npos) << done.out;
}

TEST_F(PlanTest, WhatIsInfeasibleFromTheStartIsADocumentToo) {
  const std::string infer = serving_table("board", 0, {4, 16}).string();  // three wait for 75 ms
  for (const std::vector<std::string>& request :
       {std::vector<std::string>{"plan", "inference", "--infer", infer, "--rate", "40"},
        {"plan", "dynamic", "--infer", infer, "--windows", "40:1min"}}) {
    std::vector<std::string> arguments = request;
    arguments.insert(arguments.end(), {"--latency", "10ms", "--json", "-q"});
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_TRUE(done.json()["infeasible"].is_object()) << done.out;
    EXPECT_TRUE(done.json()["infeasible"]["easing"].empty()) << done.out;
    EXPECT_NE(done.err.find("more than 75 ms"), std::string::npos) << done.err;
  }
}

TEST_F(PlanTest, ProfilesHoldForEveryStrategy) {
  for (const char* strategy : {"als", "gmd", "binary-search"}) {
    const Finished done = run({"plan", "training", "--train", small_table().string(), "--strategy",
                               strategy, "--profiles", "3", "--json", "-q"});
    EXPECT_LE(done.json()["profiles"], 3) << strategy;
  }
}

TEST_F(PlanTest, BadInputIsNamed) {
  const std::string train = small_table().string(), infer = serving_table().string();
  expect_refused({"plan", "inference", "--infer", infer, "--rate", "0", "--latency", "90ms"}, 2,
                 {"arrival rate of det is 0"});
  expect_refused({"plan", "inference", "--infer", infer, "--latency", "90ms"}, 2,
                 {"arrival rate of det is 0"});
  expect_refused({"plan", "training", "--train", train, "--power-budget", "0W"}, 2,
                 {"power budget is 0 W"});
  expect_refused({"plan", "concurrent", "--train", train, "--infer",
                  serving_table("board", 1).string(), "--rate", "40"},
                 2, {"mode"});
  expect_refused({"plan", "concurrent", "--train", train, "--infer",
                  serving_table("elsewhere").string(), "--rate", "40"},
                 2, {"net was measured on board, det on elsewhere"});
  expect_refused({"plan", "training", "--train", infer}, 2, {"no workload in phase train"});
  expect_refused({"plan", "training", "--train", train + ":other"}, 2, {"other"});
  expect_refused({"plan", "concurrent", "--train", train}, 2, {"one --train and one --infer"});
  expect_refused({"plan", "dynamic", "--infer", infer, "--windows", "40"}, 2, {"'40'"});
  expect_refused({"plan", "dynamic", "--infer", infer, "--windows", "40:-10min"}, 2,
                 {"'40:-10min'", "above zero"});
  expect_refused({"plan", "training", "--train", train, "--trial-time", "nan"}, 2, {"'nan'"});
  expect_refused({"plan", "training", "--train", train, "--apply"}, 2, {"a table has no knobs"});
  expect_refused({"plan", "training", "--train", train, "--export", "toml"}, 2, {"'toml'"});
  expect_refused({"plan", "training", "--train", train, "--strategy", "magic"}, 2, {"'magic'"});
  serving_table();  // on the modes of the training again
  expect_refused({"plan", "concurrent", "--train", train, "--infer", infer, "--rate", "40",
                  "--objective", "latency"},
                 2, {"'latency' has no meaning for a training beside an inference"});
  expect_refused({"plan", "concurrent", "--train", train, "--infer", infer, "--rate", "40",
                  "--separate-modes", "--switch-cost", "-1s"},
                 2, {"--switch-cost: '-1s'"});
}

TEST_F(PlanTest, AnEmptyValueIsNotAnOptionLeftOut) {
  const std::string train = small_table().string(), infer = serving_table().string();
  for (const std::string option :
       {"--power-budget", "--time-budget", "--energy-budget", "--objective", "--store", "--export"})
    expect_refused({"plan", "training", "--train", train, option, ""}, 2,
                   {option + ": the value is empty"});
  for (const std::string option : {"--power-budget", "--latency", "--switch-cost"})
    expect_refused(
        {"plan", "concurrent", "--train", train, "--infer", infer, "--rate", "40", option, ""}, 2,
        {option + ": the value is empty"});
}

TEST_F(PlanTest, PredictedRowsAreNoMeasurements) {
  const auto table =
      write("predicted.csv",
            "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w,provenance\n"
            "board,net,train,16,300,80,8,predicted\nboard,net,train,16,600,50,12,predicted\n");
  expect_refused({"plan", "training", "--train", table.string()}, 2, {"predicted, none measured"});
  const Finished taken = run({"plan", "training", "--train", table.string(), "--accept",
                              "predicted", "--profiles", "2", "--no-store", "-q"});
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
}

/// What was measured before an interruption is on disk and taken from there.
// Every measurement belongs to a run, which lists and deletes it.
TEST_F(PlanTest, WhatItMeasuresBelongsToItsRun) {
  const std::string infer = serving_table().string();
  ASSERT_EQ(run({"plan", "training", "--train", small_table().string(), "-q"}).exit_code, 0);
  ASSERT_EQ(run({"plan", "dynamic", "--infer", infer, "--windows", "20:1min,40:1min", "--latency",
                 "900ms", "-q"})
                .exit_code,
            0);
  const auto runs = run({"runs", "list", "--json"}).json()["runs"];
  ASSERT_EQ(runs.size(), 2u);
  for (const auto& one : runs) {
    EXPECT_GT(one["measurements"], 0);
    EXPECT_EQ(run({"runs", "delete", std::to_string(one["id"].get<int>())}).exit_code, 0);
  }
  EXPECT_NE(run({"export"}).err.find("holds no such measurements"), std::string::npos);
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

TEST_F(PlanTest, EvaluateSearchRefusesBadInput) {
  const std::string train = small_table().string();
  expect_refused({"evaluate", "search", "--train", train}, 2, {"441"});
  expect_refused({"evaluate", "search", "--train", train, "--strategy", "magic"}, 2, {"'magic'"});
  expect_refused({"evaluate", "search", "--problem", "magic", "--train", train}, 2, {"'magic'"});
  expect_refused({"evaluate", "search", "--train", train, "--modes", "some"}, 2, {"'some'"});
  const std::string spelt = write("spelt.csv", "power_w,rate\n30,60\n").string();
  expect_refused({"evaluate", "search", "--train", train, "--modes", "all", "--problems", spelt}, 2,
                 {"'rate'"});
  const std::string rateless = write("rateless.csv", "power_w\n30\n").string();
  expect_refused({"evaluate", "search", "--problem", "inference", "--infer",
                  serving_table().string(), "--modes", "all", "--problems", rateless},
                 2, {"problem 1 of 1", "arrival rate"});
  expect_refused({"evaluate", "search", "--problem", "concurrent", "--train", train}, 2,
                 {"one --train and one --infer"});
}

}  // namespace
}  // namespace flyball::testing_tools
