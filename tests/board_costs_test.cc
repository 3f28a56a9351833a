// `flyball mode idle` and `mode cost` over a tree with a scripted rail, and what uses their
// figures.
#include <gmock/gmock.h>

#include "device/host/board_trees_testing.h"
#include "device/measuring_testing.h"
#include "live_testing.h"
#include "living_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class BoardCostsTest : public LiveTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    fs::create_directories(folder_ / "tmp");
    root_ = folder_ / "tree";
    trees::write_tree("orin_agx_jp6", root_);
  }
  Finished mode(std::vector<std::string> words) {
    words.insert(words.begin(), "mode");
    words.insert(words.end(), {"--root", root_.string(), "-q"});
    return run(words);
  }
  /// On a busy machine the rail may go unread for too long, and that is said.
  Finished measure_idle(std::vector<std::string> words) {
    words.insert(words.begin(), "idle");
    Finished done = mode(words);
    for (int i = 0; i < 5 && done.err.find("was not measured for") != std::string::npos; ++i)
      done = mode(words);
    return done;
  }
  /// What the scripted rail shows at this clock.
  static double watts(double gpu_mhz) { return 19 * (0.2005 + gpu_mhz * 1e-3) + 1.9 + 4; }

  fs::path root_;
};

// What a board can do and in which mode it is, a waiting command finds out when its turn has come:
// until then the board is in the mode of another one's trial.
TEST_F(BoardCostsTest, AWaitingCommandOpensTheBoardWhenItsTurnHasCome) {
  const fs::path cap = root_ / gpu_max, listed = cap.parent_path() / "available_frequencies";
  const std::string before = slurp(cap);
  const std::vector<std::vector<std::string>> commands = {
      {"mode", "idle", "gpu_mhz=613", "--settle", "0s", "--duration", "0.5s"},
      {"mode", "cost", "gpu_mhz=613", "gpu_mhz=1020", "--rounds", "1"}};
  const std::string frequencies = slurp(listed);
  for (std::vector<std::string> words : commands) {
    SCOPED_TRACE(words[1]);
    measuring_testing::Other other;
    std::ofstream(cap) << "408000000\n";
    words.insert(words.end(), {"--wait", "--root", root_.string(), "-q", "--no-store"});
    const pid_t waiting = start(words);
    EXPECT_TRUE(within_seconds_of_now(
        30, [&] { return slurp(told(waiting, "err")).find("waiting for") != std::string::npos; }));
    std::ofstream(listed) << frequencies.substr(0, frequencies.find('\n')) << " 613000000\n";
    std::ofstream(cap) << before;
    other.kill();
    const LivingTree tree(root_);
    const Finished done = finish(waiting);
    EXPECT_EQ(done.err.find("gpu_mhz"), std::string::npos) << "refused: " << done.err;
    EXPECT_EQ(slurp(cap), before);
    std::ofstream(listed) << frequencies;
  }
}

TEST_F(BoardCostsTest, ASignalEndsThemAndTheBoardIsPutBack) {
  const std::string before = slurp(root_ / gpu_max);
  const LivingTree tree(root_);
  const std::vector<std::vector<std::string>> commands = {
      {"mode", "idle", "gpu_mhz=612", "--settle", "60s"},
      {"mode", "idle", "gpu_mhz=612", "--settle", "0s", "--duration", "60s"},
      {"mode", "cost", "gpu_mhz=612", "gpu_mhz=1020", "--rounds", "1000"}};
  for (std::vector<std::string> words : commands) {
    words.insert(words.end(), {"--root", root_.string(), "--no-store"});
    const pid_t child = start(words);
    EXPECT_TRUE(within_seconds_of_now(30, [&] { return slurp(root_ / gpu_max) != before; }));
    ::usleep(300'000);
    EXPECT_EQ(expect_ends(child, SIGTERM).exit_code, 128 + SIGTERM) << words[1];
    EXPECT_EQ(slurp(root_ / gpu_max), before) << words[1];
  }
}

TEST_F(BoardCostsTest, IdlePowerOfModesIsMeasuredKeptAndPutBack) {
  const std::string before = slurp(root_ / gpu_max);
  const LivingTree tree(root_);
  const Finished done = measure_idle(
      {"gpu_mhz=612", "gpu_mhz=1020", "--settle", "0.3s", "--duration", "1s", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto idle = done.json()["idle"];
  ASSERT_EQ(idle.size(), 2u);
  for (const auto& one : idle) {
    EXPECT_NEAR(one["power_w"], watts(one["mode"]["gpu_mhz"]), 0.2) << one;
    EXPECT_LE(one["q1_w"], one["power_w"]);
    EXPECT_GE(one["q3_w"], one["power_w"]);
    EXPECT_GE(one["updates"], 0);  // of the slowest rail of the total: all but one stand still
    EXPECT_EQ(one["total"], "module");
  }
  EXPECT_EQ(idle[1]["run"], idle[0]["run"].get<int>() + 1);
  EXPECT_EQ(slurp(root_ / gpu_max), before);
  EXPECT_THAT(run({"runs", "list"}).out, HasSubstr("idle power"));
  const auto kept = run({"runs", "show", idle[0]["run"].dump(), "--json"}).json();
  EXPECT_EQ(kept["choice"], "gpu_mhz 612");
  EXPECT_LT(kept["started_utc"], kept["finished_utc"]) << "1.3 s later";
  EXPECT_THAT(run({"runs", "show", idle[0]["run"].dump()}).out, HasSubstr(" W at gpu_mhz 612\n"));
  const Finished as_it_is = measure_idle({"--settle", "0s", "--duration", "0.5s"});
  EXPECT_THAT(as_it_is.out, HasSubstr("as it is"));
  EXPECT_EQ(slurp(root_ / gpu_max), before);
}

TEST_F(BoardCostsTest, TheCostOfASwitchIsMeasuredAndUsedByPlans) {
  const std::string before = slurp(root_ / gpu_max);
  Finished done;
  {
    const LivingTree tree(root_);
    done = mode({"cost", "gpu_mhz=612", "gpu_mhz=1020", "--rounds", "3", "--json"});
  }
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto cost = done.json();
  ASSERT_EQ(cost["switches"].size(), 2u);
  // The tree's clock follows within some 20 ms.
  EXPECT_GT(cost["switch_ms"], 0.1);
  EXPECT_LT(cost["switch_ms"], 2000);
  for (const auto& change : cost["switches"]) EXPECT_EQ(change["ms"].size(), 3u);
  EXPECT_EQ(slurp(root_ / gpu_max), before);
  const std::string table =
      write("serve.csv",
            "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w\n"
            "orin_agx,net,infer,1,612,40,10\norin_agx,net,infer,1,1020,10,30\n")
          .string();
  const std::vector<std::string> plan = {"plan",      "dynamic",         "--infer", table,
                                         "--windows", "10:1min,80:1min", "--json",  "-q"};
  const auto planned = run(plan).json();
  EXPECT_THAT(planned["notes"].dump(), HasSubstr("measured on a board of this kind"));
  EXPECT_THAT(planned["notes"].dump(), HasSubstr("(`flyball mode cost`, run 1)"));
  EXPECT_NEAR(planned["switch_j"], 30 * cost["switch_ms"].get<double>() * 1e-3, 1e-6);
  auto told = plan;
  told.insert(told.end(), {"--switch-cost", "2s"});
  const auto asked = run(told).json();
  EXPECT_NEAR(asked["switch_j"], 60, 1e-6);
  EXPECT_THAT(asked["notes"].dump(), testing::Not(HasSubstr("mode cost")));
  auto nowhere = plan;
  nowhere.push_back("--no-store");
  EXPECT_THAT(run(nowhere).json()["notes"].dump(),
              HasSubstr("what a switch takes is not known and counts as nothing"));
}

TEST_F(BoardCostsTest, ServingCountsTheIdlePowerBetweenBatches) {
  // 10 requests/s, batch 1: 100 ms a window. At work 0.4 and 0.3 J; idle 60 and 90 ms of it.
  const std::string table =
      write("serve.csv",
            "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w,power_total\n"
            "orin_agx,net,infer,1,612,40,10,module\norin_agx,net,infer,1,1020,10,30,module\n")
          .string();
  std::vector<std::string> plan = {"plan",       "inference",   "--infer", table,         "--rate",
                                   "10",         "--latency",   "100ms",   "--objective", "energy",
                                   "--strategy", "brute-force", "--json",  "-q"};
  const auto without = run(plan).json();
  EXPECT_EQ(without["choice"]["roles"][0]["config"]["gpu_mhz"], 1020);
  EXPECT_NEAR(without["choice"]["value"], 0.3, 1e-9);
  EXPECT_THAT(without["notes"].dump(),
              HasSubstr("idle power between batches is not counted: it is known of 0 of 2 modes"));
  auto told = plan;
  told.insert(told.end(), {"--idle-power", "6W"});
  const auto same = run(told).json();
  EXPECT_NEAR(same["choice"]["value"], 0.4 + 6 * 0.06, 1e-9);  // against 0.3 + 6 × 0.09: 0.84
  EXPECT_EQ(same["choice"]["roles"][0]["config"]["gpu_mhz"], 612);
  EXPECT_THAT(same["notes"].dump(), HasSubstr("is yours: 6 W in every mode"));
  {
    const LivingTree tree(root_);
    ASSERT_EQ(measure_idle({"gpu_mhz=612", "--settle", "0.2s", "--duration", "0.5s"}).exit_code, 0);
    EXPECT_THAT(run(plan).json()["notes"].dump(), HasSubstr("known of 1 of 2 modes"));
    ASSERT_EQ(measure_idle({"gpu_mhz=1020", "--settle", "0.2s", "--duration", "0.5s"}).exit_code,
              0);
  }
  const auto measured = run(plan).json();
  EXPECT_NEAR(measured["choice"]["value"], 0.4 + watts(612) * 0.06, 0.02);
  EXPECT_THAT(measured["notes"].dump(),
              HasSubstr("as `flyball mode idle` measured it, in 2 modes"));
}

TEST_F(BoardCostsTest, ARunTellsItsShareOfIdlePower) {
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  data_ = (folder_ / "digits").string();
  ASSERT_EQ(run({"dataset", "make", "digits", "--samples", "600", "--out", data_}).exit_code, 0);
  const LivingTree tree(root_);
  const std::vector<std::string> tune = {
      "tune",         "lenet5",       "--root",      root_.string(),
      "--data",       data_,          "--axis",      "gpu_mhz=612",
      "--axis",       "cpu_cores=1",  "--axis",      "cpu_mhz=2201.6",
      "--axis",       "mem_mhz=3199", "--axis",      "loader_workers=0",
      "--trial-time", "0.4s",         "--no-verify", "-q"};
  auto fresh = tune;
  fresh.emplace_back("--fresh");
  Finished first = run(tune);
  int number = 1;  // of a run whose power was measured: a busy machine leaves gaps
  for (; number < 5 && first.out.find("`flyball mode idle") == std::string::npos; ++number)
    first = run(fresh);
  const std::string tuned = std::to_string(number);
  EXPECT_THAT(first.out, HasSubstr("`flyball mode idle --run " + tuned + " --root "));
  ASSERT_EQ(measure_idle({"--run", tuned, "--settle", "0.2s", "--duration", "0.5s"}).exit_code, 0);
  EXPECT_THAT(run(tune).out, HasSubstr("is idle power of this mode, measured"));
  auto as_json = tune;
  as_json.push_back("--json");
  const auto idle = run(as_json).json()["choice"]["idle"];
  EXPECT_NEAR(idle["share"], 1, 0.05);  // the rail shows the same at work
  const auto shown = run({"runs", "show", tuned, "--json"}).json();
  EXPECT_GT(shown["trials"].size(), 0u);
  for (const auto& trial : shown["trials"]) EXPECT_NEAR(trial["idle"]["share"], 1, 0.05) << trial;
  EXPECT_THAT(run({"runs", "show", tuned}).out, HasSubstr("of it idle"));
  const std::vector<std::string> profile = {"profile",    "lenet5", "--root",   root_.string(),
                                            "--data",     data_,    "--epochs", "2",
                                            "--interval", "50ms",   "-q"};
  EXPECT_THAT(run(profile).out, HasSubstr("`flyball mode idle --root "));
  ASSERT_EQ(measure_idle({"--settle", "0.2s", "--duration", "0.5s"}).exit_code, 0);
  EXPECT_THAT(run(profile).out, HasSubstr("is idle power of this mode"));
}

}  // namespace
}  // namespace flyball::testing_tools
