// flyball serve: on tables in simulated time, and LeNet-5 on this machine.
#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "live_testing.h"

namespace flyball::testing_tools {
namespace {

class ServeTest : public LiveTest {
 protected:
  /// A table to train and one to serve, of one board.
  std::pair<std::string, std::string> tables() {
    const std::string train = small_table().string();
    std::string text = slurp(train);
    for (size_t at = 0; (at = text.find("net,train,16", at)) != std::string::npos;)
      text.replace(at, 12, "det,infer,16");
    return {train, write("infer.csv", text).string()};
  }
  std::vector<std::string> live_serve(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"serve",
                                    "--infer",
                                    "lenet5",
                                    "--train",
                                    "lenet5",
                                    "--data",
                                    data_,
                                    "--latency",
                                    "5s",
                                    "--arrivals",
                                    "poisson:40",
                                    "--checkpoint",
                                    (folder_ / "kept").string(),
                                    "--force",
                                    "--json",
                                    "-q"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// The rows of a table at these clocks of the GPU, as a file.
  std::string rows_at(const std::string& table, const std::set<std::string>& gpu_mhz,
                      const std::string& name) {
    std::istringstream lines(slurp(table));
    std::string kept, line;
    while (std::getline(lines, line)) {
      std::vector<std::string> cells;
      std::istringstream row(line);
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      if (cells[0] == "device" || gpu_mhz.contains(cells[6])) kept += line + "\n";
    }
    return write(name, kept).string();
  }
  /// What is answered in simulated time, all but when the command was started.
  static nlohmann::ordered_json answer_of(const Finished& done) {
    auto json = nlohmann::ordered_json::parse(done.out);
    EXPECT_EQ(json.erase("started_utc"), 1u);
    return json;
  }
};

TEST_F(ServeTest, TablesAreServedInSimulatedTimeAndTheSameEachTime) {
  const auto [train, infer] = tables();
  const std::vector<std::string> asked = {
      "serve",      "--train",    train,        "--infer", infer,    "--latency", "900ms",
      "--arrivals", "poisson:50", "--duration", "5min",    "--json", "-q"};
  const Finished first = run(asked);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto json = first.json();
  const auto& requests = json["services"][0]["requests"];
  EXPECT_NEAR(requests["arrived"].get<double>(), 15000, 500);
  EXPECT_EQ(requests["arrived"].get<int>(),
            requests["answered"].get<int>() + requests["refused"].get<int>());
  EXPECT_LE(requests["late"].get<int>() + requests["refused"].get<int>(), 150);
  EXPECT_GT(json["training"][0]["minibatches"], 0);
  EXPECT_TRUE(json["simulated"]);
  EXPECT_TRUE(answer_of(first) == answer_of(run(asked)));  // no picture of how 300 kB differ
}

TEST_F(ServeTest, ModesThatNobodyProfiledAreMeasuredWhileItServes) {
  const auto [train, infer] = tables();
  const std::vector<std::string> asked = {"serve",
                                          "--train",
                                          train,
                                          "--infer",
                                          infer,
                                          "--latency",
                                          "900ms",
                                          "--arrivals",
                                          "poisson:50",
                                          "--duration",
                                          "5min",
                                          "--switch-cost",
                                          "200ms",
                                          "--measured",
                                          rows_at(train, {"300", "600"}, "known_train.csv"),
                                          "--measured",
                                          rows_at(infer, {"300", "600"}, "known_infer.csv"),
                                          "--json",
                                          "-q"};
  const Finished without = run(asked);
  ASSERT_EQ(without.exit_code, 0) << without.err;
  EXPECT_TRUE(without.json()["measured"].is_null());
  std::vector<std::string> measuring = asked;
  measuring.insert(measuring.end(), {"--measure", "4"});
  const Finished with = run(measuring);
  ASSERT_EQ(with.exit_code, 0) << with.err;
  const auto json = with.json();
  EXPECT_EQ(json["measured"]["most"], 4);
  const auto& modes = json["measured"]["modes"];
  ASSERT_GT(modes.size(), 0u);
  EXPECT_LE(modes.size(), 4u);
  EXPECT_TRUE(modes[0]["left"].is_null()) << modes[0];
  EXPECT_NE(modes[0]["mode"].get<std::string>().find("gpu_mhz"), std::string::npos);
  EXPECT_GT(modes[0]["observed"].size(), 1u);
  EXPECT_GE(json["replan_count"], modes.size());
  EXPECT_GT(json["training"][0]["minibatches"].get<double>(),
            1.1 * without.json()["training"][0]["minibatches"].get<double>());
  EXPECT_EQ(json["services"][0]["requests"]["late"], 0);
  EXPECT_EQ(json["services"][0]["requests"]["refused"], 0);
  EXPECT_TRUE(answer_of(with) == answer_of(run(measuring)));
}

TEST_F(ServeTest, TwoServicesWhoseRatesChangeAreServed) {
  const auto [train, infer] = tables();
  const Finished done =
      run({"serve", "--infer", infer, "--infer", infer, "--latency", "900ms", "--arrivals",
           "poisson:20", "--arrivals", "windows:20:5min,30:5min", "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["services"].size(), 2u);
  for (const auto& service : nlohmann::json(done.json()["services"])) {
    EXPECT_GT(service["requests"]["arrived"], 10000);
    EXPECT_EQ(service["requests"]["late"], 0);
  }
}

TEST_F(ServeTest, LeNetIsServedAndTrainedAndGoesOn) {
  const Finished first =
      run(live_serve({"--duration", "2s", "--trace", (folder_ / "t.json").string()}));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto json = first.json();
  EXPECT_GT(json["services"][0]["requests"]["answered"], 0);
  EXPECT_GT(json["training"][0]["minibatches"], 0);
  EXPECT_FALSE(json["simulated"]);
  EXPECT_NE(slurp(folder_ / "t.json").find("batch of"), std::string::npos);
  const Finished second = run(live_serve({"--duration", "1s"}));
  ASSERT_EQ(second.exit_code, 0) << second.err;
  ASSERT_EQ(second.json()["notes"].size(), 1u);
  EXPECT_NE(second.json()["notes"][0].get<std::string>().find("lenet5 goes on at epoch"),
            std::string::npos);
  // Another training does not take up what was kept: that is said before anybody may ask.
  const Finished other = run(live_serve({"--duration", "1s", "--train-batch-size", "8"}));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("lenet5.ckpt"), std::string::npos) << other.err;
  EXPECT_NE(other.err.find("--checkpoint names another folder, --no-checkpoint"), std::string::npos)
      << other.err;
  EXPECT_EQ(other.err.find("listening on"), std::string::npos) << other.err;
}

// One user trains one network on two data sets, and with other settings, without naming a folder.
TEST_F(ServeTest, TrainingsThatDifferAreKeptApart) {
  const std::string more = (folder_ / "more").string();
  ASSERT_EQ(run({"dataset", "make", "digits", "--samples", "700", "--out", more}).exit_code, 0);
  const auto notes = [&](const std::string& data, const std::vector<std::string>& settings) {
    std::vector<std::string> words = {
        "serve",      "--infer",   "lenet5", "--train",    "lenet5", "--data",
        data,         "--latency", "5s",     "--listen",   "0",      "--force",
        "--arrivals", "poisson:9", "--json", "--duration", "1s"};
    words.insert(words.end(), settings.begin(), settings.end());
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.exit_code == 0 ? done.json()["notes"].dump() : "";
  };
  using ::testing::HasSubstr;
  using ::testing::Not;
  EXPECT_THAT(notes(data_, {}), Not(HasSubstr("goes on")));
  EXPECT_THAT(notes(more, {}), Not(HasSubstr("goes on")));
  EXPECT_THAT(notes(data_, {"--train-batch-size", "8"}), Not(HasSubstr("goes on")));
  EXPECT_THAT(notes(data_, {}), HasSubstr("lenet5 goes on"));
  EXPECT_THAT(notes(more, {}), HasSubstr("lenet5 goes on"));
  const std::string other = (folder_ / "other/store.db").string();
  ASSERT_EQ(run({"import", small_table().string(), "--store", other}).exit_code, 0);
  EXPECT_THAT(notes(data_, {"--store", other}), Not(HasSubstr("goes on")))
      << "they lie beside the store";
  EXPECT_TRUE(fs::is_directory(folder_ / "serve"));
}

TEST_F(ServeTest, APlaceThatTakesNoCheckpointIsRefusedBeforeAnybodyMayAsk) {
  const std::string file = write("taken", "x").string();
  for (const std::string& folder : {file, file + "/below", std::string("/proc/none")}) {
    const Finished done = run({"serve", "--infer", "lenet5", "--train", "lenet5", "--data", data_,
                               "--latency", "5s", "--listen", "0", "--checkpoint", folder});
    EXPECT_EQ(done.exit_code, 2) << done.out;
    EXPECT_NE(done.err.find(folder), std::string::npos) << done.err;
    EXPECT_NE(done.err.find("--no-checkpoint"), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find("listening on"), std::string::npos) << done.err;
  }
}

}  // namespace
}  // namespace flyball::testing_tools
