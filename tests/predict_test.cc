// flyball predict, pareto, reference: from a few profiled modes to a table of all of them.
#include <gmock/gmock.h>

#include <algorithm>

#include "command_testing.h"
#include "space/table.h"

namespace flyball::testing_tools {
namespace {

class PredictTest : public CommandTest {
 protected:
  // Every `step`-th row of small_table(), as if only those had been profiled.
  fs::path profiled(int step, const std::string& name = "profiled.csv") {
    std::istringstream all(slurp(small_table()));
    std::string line, text;
    for (int i = -1; std::getline(all, line); ++i)
      if (i < 0 || i % step == 0) text += line + "\n";
    return write(name, text);
  }
  std::string modes() { return "table:" + small_table().string(); }
  // small_table() as that of another workload.
  std::string renamed(const std::string& from, const std::string& to) {
    std::string text = slurp(small_table());
    for (size_t at; (at = text.find("," + from + ",")) != std::string::npos;)
      text.replace(at + 1, from.size(), to);
    return text;
  }
  fs::path out() { return folder_ / "all.csv"; }
};

TEST_F(PredictTest, WritesEveryModeWithIntervalAndProvenance) {
  const Finished done = run({"predict", "net", "--device", modes(), "--from", profiled(4).string(),
                             "--predictor", "analytical", "--out", out().string(), "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = done.json();
  EXPECT_EQ(json["configurations"], 60);
  EXPECT_EQ(json["profiled"], 15);
  EXPECT_EQ(json["predicted"], 45);
  EXPECT_EQ(json["predictor"], "analytical");
  EXPECT_EQ(json["out"], out().string());

  const auto csv = read_csv(out());
  ASSERT_TRUE(csv.ok());
  ASSERT_EQ(csv->rows.size(), 60u);
  const size_t provenance = *csv->column("provenance");
  const auto truth = read_table(folder_ / "table.csv");
  const auto all = read_table(out());
  ASSERT_TRUE(all.ok()) << all.error().message;
  size_t measured = 0;
  for (size_t i = 0; i < 60; ++i) {
    const double time = *csv->number(i, *csv->column("minibatch_ms"));
    const size_t low = *csv->column("minibatch_ms_lo90"), high = *csv->column("minibatch_ms_hi90");
    if (csv->rows[i][provenance] != "table") {
      EXPECT_EQ(csv->rows[i][provenance], "predicted");
      EXPECT_LT(*csv->number(i, low), time);
      EXPECT_LT(time, *csv->number(i, high));
      continue;
    }
    ++measured;
    EXPECT_EQ(csv->rows[i][low] + csv->rows[i][high], "")
        << "the spread of one reading is not known";
    const WorkloadTable& table = truth->workloads.front();
    const auto row = table.space.find(all->workloads.front().space.row(i));
    ASSERT_TRUE(row);
    EXPECT_EQ(time, table.minibatch_ms[*row]);
  }
  EXPECT_EQ(measured, 15u);
}

TEST_F(PredictTest, OneValueOnAnAxisIsNoTrouble) {
  std::istringstream all(slurp(small_table()));
  std::string line, text;
  while (std::getline(all, line))
    if (line.find("device") == 0 || line.find(",16,4,") != std::string::npos) text += line + "\n";
  const Finished done =
      run({"predict", "net", "--device", modes(), "--from", write("one.csv", text).string(),
           "--predictor", "analytical", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["profiled"], 20);
}

TEST_F(PredictTest, APredictedTableIsNoMeasurement) {
  const std::vector<std::string> predict = {
      "predict",     "net",    "--device", modes(),       "--from", profiled(4).string(),
      "--predictor", "linear", "--out",    out().string()};
  ASSERT_EQ(run(predict).exit_code, 0);
  // Fed back, only its measured rows count.
  const Finished again = run({"predict", "net", "--device", modes(), "--from", out().string(),
                              "--predictor", "linear", "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.json()["profiled"], 15);
}

TEST_F(PredictTest, WhatTheStoreHoldsKeepsItsProvenanceAndItsConditions) {
  std::istringstream all(slurp(small_table()));
  std::string line, text;
  for (int i = -1; std::getline(all, line); ++i)
    text += line + (i < 0 ? ",provenance\n" : i % 4 == 0 ? ",measured\n" : ",predicted\n");
  ASSERT_EQ(run({"import", write("some.csv", text).string()}).exit_code, 0);
  std::vector<std::string> predict = {
      "predict",     "net",
      "--device",    "table:" + write("modes.csv", renamed("net", "old")).string(),
      "--predictor", "linear",
      "--json"};
  // --device holds another workload only, so that the measurements come from the store.
  EXPECT_EQ(run(predict).exit_code, 2) << "a table of modes has no measurements of it";
  predict[3] = "board";
  ASSERT_EQ(run({"reference", "add", (folder_ / "modes.csv").string()}).exit_code, 0);
  const Finished done = run(predict);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["profiled"], 15);
  EXPECT_EQ(done.json()["runs"], nlohmann::json::array({1})) << "whose they are";
  predict.insert(predict.end(), {"--accept", "predicted", "--out", out().string()});
  const Finished asked = run(predict);
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(asked.json()["profiled"], 60);
  const auto written = read_table(out());
  const WorkloadTable& table = written->workloads.front();
  EXPECT_EQ(std::ranges::count(table.provenance, Provenance::predicted), 45);
  EXPECT_EQ(std::ranges::count(table.provenance, Provenance::measured), 15);
}

// Nor those of another number of a simulated kind.
TEST_F(PredictTest, TrialsOfOtherBoardsAreNotTakenForThoseOfThisMachine) {
  const std::string store = (folder_ / "a.db").string(), fleet = (folder_ / "fleet.db").string();
  std::string rows = slurp(small_table());
  for (size_t at; (at = rows.find("\nboard,")) != std::string::npos;)
    rows.replace(at + 1, 5, "host");
  ASSERT_EQ(run({"import", write("host.csv", rows).string(), "--store", store}).exit_code, 0);
  ASSERT_EQ(run({"collect", store, "--board", "nano-1", "--into", fleet}).exit_code, 0);
  const std::string none = "the store holds no measurement of net on host";
  const auto predicted = [&](const std::string& of) {
    return run({"predict", "net", "--device", "host", "--store", of}).err;
  };
  EXPECT_THAT(predicted(fleet), testing::HasSubstr(none));
  EXPECT_THAT(predicted(store), testing::Not(testing::HasSubstr(none)));

  const auto runs = [&](const std::string& device) {
    return run({"predict", "resnet18", "--device", device, "--store", store, "--json"})
        .json()["runs"];
  };
  ASSERT_EQ(run({"tune", "resnet18", "--device", "twin:orin_nano@1", "--profiles", "10", "--store",
                 store, "-q"})
                .exit_code,
            0);
  EXPECT_EQ(runs("twin:orin_nano@1"), nlohmann::json::array({2}));
  EXPECT_EQ(runs("twin:orin_nano@2"), nlohmann::json::array());
}

TEST_F(PredictTest, ReferencesAreKeptAndServeTheirBoard) {
  const fs::path file = write("old.csv", renamed("net", "old"));
  ASSERT_EQ(run({"reference", "add", file.string()}).exit_code, 0);
  EXPECT_EQ(run({"reference", "add", file.string()}).exit_code, 2);
  const auto list = run({"reference", "list", "--json"}).json();
  ASSERT_EQ(list["references"].size(), 1u);
  EXPECT_EQ(list["references"][0]["name"], "old");
  EXPECT_EQ(list["references"][0]["device"], "board");
  EXPECT_EQ(list["references"][0]["rows"], 60);
  for (const char* filter : {"--board", "--device"}) {  // as scripts may go on to call it
    const auto of = [&](const char* board) {
      return run({"reference", "list", filter, board, "--json"}).json()["references"].size();
    };
    EXPECT_EQ(of("x"), 0u) << filter;
    EXPECT_EQ(of("board"), 1u) << filter;
  }

  // The board's name is enough now: the reference lists its modes.
  const std::vector<std::string> predict = {"predict",     "net",    "--device",
                                            "board",       "--from", profiled(4).string(),
                                            "--predictor", "linear", "--json"};
  Finished done = run(predict);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["references"], nlohmann::json({"old train on board"}));
  EXPECT_EQ(done.json()["configurations"], 60);
  auto without = predict;
  without.push_back("--no-reference");
  EXPECT_EQ(run(without).exit_code, 2);

  const std::vector<std::string> tune = {
      "tune", "net", "--device", modes(), "--power-budget", "15W", "--no-store", "--json", "-q"};
  EXPECT_EQ(run(tune).json()["request"]["references"].size(), 1u);
  auto tune_without = tune;
  tune_without.push_back("--no-reference");
  EXPECT_TRUE(run(tune_without).json()["request"]["references"].empty());

  EXPECT_EQ(run({"reference", "remove", "new"}).exit_code, 2);
  EXPECT_EQ(run({"reference", "remove", "old"}).exit_code, 0);
  EXPECT_TRUE(run({"reference", "list", "--json"}).json()["references"].empty());
}

TEST_F(PredictTest, ParetoShowsWhatNothingBeats) {
  const fs::path file = write("front.csv",
                              "device,workload,phase,gpu_mhz,minibatch_ms,power_w\n"
                              "b,n,train,100,90,5\nb,n,train,200,50,8\nb,n,train,300,55,9\n"
                              "b,n,train,400,30,20\nb,m,infer,100,10,5\n");
  const Finished done = run({"pareto", file.string(), "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = done.json();
  ASSERT_EQ(json["workloads"].size(), 2u);
  const auto& first = json["workloads"][0];
  ASSERT_EQ(first["power_front"].size(), 3u);
  EXPECT_EQ(first["power_front"][0]["config"]["gpu_mhz"], 100);
  EXPECT_EQ(first["power_front"][2]["config"]["gpu_mhz"], 400);
  ASSERT_EQ(first["energy_front"].size(), 2u);  // 0.40 J at 50 ms, 0.60 J at 30 ms
  EXPECT_EQ(first["energy_front"][0]["config"]["gpu_mhz"], 200);
  EXPECT_NEAR(first["energy_front"][0]["minibatch_j"].get<double>(), 0.4, 1e-12);
  EXPECT_EQ(run({"pareto", file.string(), "--workload", "m", "--json"}).json()["workloads"].size(),
            1u);
}

TEST_F(PredictTest, ParetoOfSeveralBatchSizesTellsSamples) {
  const fs::path file = write("batches.csv",
                              "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w\n"
                              "b,n,train,8,100,32,5\nb,n,train,16,100,48,5.5\n");
  const auto row =
      run({"pareto", file.string(), "--json"}).json()["workloads"][0]["power_front"][1];
  EXPECT_EQ(row["minibatch_ms"], 48);
  EXPECT_EQ(row["sample_ms"], 3);
  EXPECT_NEAR(row["sample_j"].get<double>(), 0.0165, 1e-12);
}

}  // namespace
}  // namespace flyball::testing_tools
