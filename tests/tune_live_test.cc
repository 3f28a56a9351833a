// `flyball tune` of a network on this machine: measured, reused, interrupted, one at a time.
#include <algorithm>
#include <thread>

#include <thread>

#include "base/json.h"
#include "device/measuring.h"
#include "live_testing.h"

namespace flyball::testing_tools {
namespace {

TEST_F(LiveTest, MeasuresThisMachineAndReusesItsTrials) {
  const Finished done = run(live({"--profiles", "3"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson answer = done.json();
  EXPECT_EQ(answer["choice"]["provenance"], "measured");
  EXPECT_GE(answer["profiles"], 2);
  EXPECT_LE(answer["profiles"], 3);
  EXPECT_LE(answer["choice"]["config"]["loader_workers"], 4);
  for (const SortedJson& trial : answer["profiled"]) {
    EXPECT_FALSE(trial["from_store"]);
    EXPECT_GT(trial["minibatches"], 0);
    // What computing took lies within the time that was counted.
    const auto of = [&](const char* name) { return trial[name].get<double>(); };
    EXPECT_GT(of("compute_ms"), 0);
    EXPECT_LE(of("minibatches") * of("compute_ms"),
              1e3 * (of("total_s") - of("warm_up_s") - of("settle_s")));
  }
  if (answer["device"]["power_total"].is_null()) {
    EXPECT_TRUE(answer["choice"]["power_w"].is_null());
    EXPECT_FALSE(answer["device"]["power_gap"].get<std::string>().empty());
  }
  const SortedJson again = run(live({"--profiles", "3"})).json();
  EXPECT_EQ(again["choice"]["config"], answer["choice"]["config"]);
  EXPECT_GE(again["profiled"].size(), 3u);
  for (const SortedJson& trial : again["profiled"]) EXPECT_TRUE(trial["from_store"]);
  const SortedJson fresh = run(live({"--profiles", "2", "--fresh", "--no-verify"})).json();
  EXPECT_GE(fresh["profiled"].size(), 2u);
  for (const SortedJson& trial : fresh["profiled"]) EXPECT_FALSE(trial["from_store"]);
}

TEST_F(LiveTest, AnotherDatasetOrSettingIsMeasuredAgain) {
  const auto tune = [&](const std::string& data) {
    auto arguments = live({"--profiles", "1", "--no-verify"});
    arguments[3] = data;
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.json();
  };
  const auto from_store = [](const SortedJson& answer) {
    return answer["profiled"][0]["from_store"].get<bool>();
  };
  const std::string other = (folder_ / "more").string();
  ASSERT_EQ(run({"dataset", "make", "digits", "--samples", "900", "--out", other}).exit_code, 0);
  EXPECT_FALSE(from_store(tune(data_)));
  const SortedJson second = tune(other);
  EXPECT_FALSE(from_store(second));
  EXPECT_EQ(second["device"]["conditions"]["dataset samples"], "900");
  EXPECT_NE(second["notes"].dump().find("dataset samples was 600, now 900"), std::string::npos)
      << second["notes"];
  EXPECT_TRUE(from_store(tune(data_)));
  EXPECT_TRUE(from_store(tune(other)));
  environment_["OMP_WAIT_POLICY"] = "passive";
  EXPECT_FALSE(from_store(tune(data_)));
  const SortedJson shown = run({"runs", "show", "5", "--json"}).json();
  EXPECT_EQ(shown["conditions"]["OMP_WAIT_POLICY"], "passive");
  EXPECT_EQ(shown["trials"][0]["conditions"], shown["conditions"]);
  EXPECT_NE(run({"runs", "show", "5"}).out.find("OMP_WAIT_POLICY: passive"), std::string::npos);
}

TEST_F(LiveTest, OpensTheBatchSize) {
  const Finished done = run(live({"--profiles", "3", "--axis", "batch_size=8,32"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(done.json()["choice"]["config"].contains("batch_size"));
}

void await_session() {
  EXPECT_TRUE(within_seconds_of_now(60, [] { return !others_measuring().empty(); }))
      << "nobody measures";
}

TEST_F(LiveTest, AnInterruptKeepsWhatWasMeasured) {
  const pid_t child = start(live({"--strategy", "brute-force"}, "2s"));
  await_run(1);
  ::kill(child, SIGINT);
  const Finished done = finish(child);
  EXPECT_EQ(done.exit_code, 130);
  EXPECT_NE(done.err.find("interrupted"), std::string::npos) << done.err;
  const Finished runs = run({"runs", "list", "--json"});
  EXPECT_EQ(runs.json()["runs"][0]["state"], "interrupted");
  EXPECT_GE(runs.json()["runs"][0]["measurements"], 1);
}

// What differs in the length of its trials, or in its axes, asks for another answer.
TEST_F(LiveTest, AnInterruptedRunIsTakenOverByTheSameCommandOnly) {
  const pid_t child = start(live({"--strategy", "brute-force"}, "2s"));
  await_run();
  ::kill(child, SIGTERM);
  EXPECT_EQ(finish(child).exit_code, 128 + SIGTERM);
  const auto runs = [&] { return run({"runs", "list", "--json"}).json()["runs"]; };
  ASSERT_EQ(runs().size(), 1u);
  ASSERT_EQ(
      run(live({"--strategy", "brute-force", "--axis", "loader_workers=0"}, "0.1s")).exit_code, 0);
  EXPECT_EQ(runs().size(), 2u);
  EXPECT_EQ(runs()[1]["state"], "interrupted");
  ASSERT_EQ(run(live({"--strategy", "brute-force", "--axis", "loader_workers=0"}, "2s")).exit_code,
            0);
  EXPECT_EQ(runs().size(), 3u);
  EXPECT_EQ(runs()[2]["state"], "interrupted");
}

TEST_F(LiveTest, TwoAtOnceAreOneTooMany) {
  const auto tune = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"--profiles", "1", "--no-verify", "--fresh"};
    all.insert(all.end(), more.begin(), more.end());
    return run(live(all));
  };
  const pid_t first = start({"profile", "-q", "--", FLYBALL_BIN_DIR "/marked_c", "1", "hang"});
  await_session();
  const Finished refused = tune({});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("is held by process " + std::to_string(first)), std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("profile -q --"), std::string::npos) << "the command is named";
  EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
  EXPECT_EQ(run({"runs", "list", "--json"}).json()["runs"].size(), 0u) << "nothing has begun";
  EXPECT_EQ(run({"tune", "--device", "table:" + small_table().string()}).exit_code, 0)
      << "tables are only read";
  const Finished anyway = tune({"--force"});
  EXPECT_EQ(anyway.exit_code, 0) << anyway.err;
  const SortedJson marked = anyway.json();
  for (const SortedJson& trial : marked["profiled"])
    EXPECT_NE(trial["disturbed"].get<std::string>().find("marked_c"), std::string::npos);
  EXPECT_NE(marked["notes"].dump().find("were disturbed: process"), std::string::npos);
  const Finished nothing = run({"export", "--workload", "lenet5"});
  EXPECT_EQ(nothing.exit_code, 2) << nothing.out;
  EXPECT_NE(nothing.err.find("disturbed trials are all that there are"), std::string::npos);
  ::kill(first, SIGKILL);
  int status = 0;
  ::waitpid(first, &status, 0);
  const Finished after = run(live({"--profiles", "1", "--no-verify", "--wait"}));
  ASSERT_EQ(after.exit_code, 0) << "the lock of a dead process is none: " << after.err;
  for (const SortedJson& trial : nlohmann::json(after.json()["profiled"])) {
    EXPECT_FALSE(trial["from_store"]) << "what was disturbed does not stand for what was not";
    EXPECT_TRUE(trial["disturbed"].is_null());
  }
  const Finished exported = run({"export", "--workload", "lenet5"});
  EXPECT_EQ(std::ranges::count(exported.out, '\n'), 1 + after.json()["profiled"].size())
      << exported.out;
  EXPECT_NE(exported.err.find("disturbed trials are left out"), std::string::npos) << exported.err;
  EXPECT_EQ(run(live({"--wait", "--force"})).exit_code, 2) << "one of the two";
}

TEST_F(LiveTest, AnInterruptWithoutAStoreSaysThatNothingWasKept) {
  const pid_t child = start(live({"--strategy", "brute-force", "--no-store"}, "2s"));
  await_session();
  // What begins a trial, LibTorch and the first minibatch, may take longer than a signal waits.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  ::kill(child, SIGINT);
  const Finished done = finish(child);
  EXPECT_EQ(done.exit_code, 130);
  EXPECT_NE(done.err.find("nothing was kept; leave --no-store out"), std::string::npos) << done.err;
  EXPECT_EQ(done.err.find("goes on from here"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace flyball::testing_tools
