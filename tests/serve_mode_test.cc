// flyball serve on a board: it plans, sets the mode, tells power, and puts everything back.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.h"
#include "device/host/board_trees_testing.h"
#include "live_testing.h"
#include "living_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class ServeModeTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) return;
    root_ = folder_ / "tree";
    trees::write_tree("orin_agx_jp6", root_);
  }
  static double watts(double gpu_mhz) { return 19 * (0.2005 + gpu_mhz * 1e-3) + 1.9 + 4; }
  /// LeNet-5 in three modes of the tree, in milliseconds that this machine keeps.
  std::string profiles(const std::vector<double>& gpu_mhz = {408, 1020, 1300.5}) {
    std::string text =
        "device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w\n";
    for (const double gpu : gpu_mhz)
      for (const auto& [phase, batch, ms] :
           {std::tuple{"train", 16, 4.0}, {"infer", 1, 1.0}, {"infer", 8, 2.0}})
        text += fmt::format("orin_agx,lenet5,{},{},4,1344,{},3199,{},{}\n", phase, batch, gpu,
                            ms * 1300.5 / gpu, watts(gpu));
    return write("profiles.csv", text).string();
  }
  std::vector<std::string> serve(const std::vector<std::string>& more) {
    std::vector<std::string> all = {
        "serve",        "--infer", "lenet5",    "--train", "lenet5",
        "--data",       data_,     "--latency", "5s",      "--root",
        root_.string(), "--json",  "--force",   "-q",      "--no-checkpoint"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::map<std::string, std::string> settings() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      if (entry.is_regular_file()) all[entry.path().string()] = slurp(entry.path());
    std::erase_if(all, [](const auto& file) {  // what lives, not what is set
      return file.first.ends_with("curr1_input") || file.first.ends_with("cur_freq") ||
             file.first.ends_with(".part");
    });
    return all;
  }
  bool wait_for_gpu(const std::string& hertz) {
    for (int i = 0; i < 1200; ++i) {
      if (slurp(root_ / gpu_max).starts_with(hertz)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }

  fs::path root_;
};

TEST_F(ServeModeTest, ThePlansModeIsSetAndPutBackAndPowerIsTold) {
  const auto before = settings();
  const LivingTree tree(root_);
  const pid_t served = start(serve({"--measured", profiles(), "--arrivals", "poisson:40",
                                    "--power-budget", "30W", "--duration", "4s"}));
  EXPECT_TRUE(wait_for_gpu("1020000000"));
  const Finished done = finish(served);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto json = done.json();
  ASSERT_EQ(json["plan"].size(), 2u);
  // That the network computes elsewhere than the board's GPU is said, and once.
  const size_t said = done.err.find("ATTENTION");
  ASSERT_NE(said, std::string::npos);
  EXPECT_EQ(done.err.find("ATTENTION", said + 1), std::string::npos) << done.err;
  EXPECT_EQ(json["plan"][0]["config"]["gpu_mhz"], 1020);  // 29.1 W; the next one draws 34.4 W
  EXPECT_EQ(json["services"][0]["batches"]["planned"], json["plan"][1]["config"]["batch_size"]);
  EXPECT_GT(json["training"][0]["planned"], 0);
  ASSERT_TRUE(json["power_w"].is_number()) << json["power_gap"];
  EXPECT_NEAR(json["power_w"], watts(1020), 0.5);
  // What services and trainings drew is part of what the board did.
  const double served_j = json["services"][0]["energy_j_per_request"].get<double>() *
                          json["services"][0]["requests"]["answered"].get<double>();
  const double trained_j = json["training"][0]["energy_j_per_minibatch"].get<double>() *
                           json["training"][0]["minibatches"].get<double>();
  EXPECT_GT(served_j, 0);
  EXPECT_GT(trained_j, 0);
  EXPECT_LT(served_j + trained_j, 1.5 * json["energy_j"].get<double>());
  EXPECT_TRUE(settings() == before);
}

TEST_F(ServeModeTest, AKilledOneIsPutBackByTheNextStart) {
  const auto before = settings();
  const LivingTree tree(root_);
  const pid_t served =
      start(serve({"--measured", profiles(), "--arrivals", "poisson:40", "--power-budget", "30W"}));
  EXPECT_TRUE(wait_for_gpu("1020000000"));
  ::kill(served, SIGKILL);
  finish(served);
  ASSERT_EQ(run({"workloads"}).exit_code, 0);
  for (int round = 0; round < 1000 && settings() != before; ++round)  // or its guard is at it
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(settings() == before);
}

TEST_F(ServeModeTest, ATraceIsPlannedForTheRateThatItHas) {
  const LivingTree tree(root_);
  std::string times = "time_s\n";
  for (int i = 0; i < 400; ++i) times += fmt::format("{}\n", 0.01 * i);
  const Finished done =
      run(serve({"--measured", profiles(), "--arrivals", "trace:" + write("t.csv", times).string(),
                 "--power-budget", "30W", "--duration", "6s"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["services"][0]["requests"]["arrived"], 400);
  EXPECT_EQ(done.json()["plan"][0]["config"]["gpu_mhz"], 1020);
}

// A faster clock than those profiled is promised; what this machine takes there is observed.
TEST_F(ServeModeTest, AModeThatNobodyProfiledIsMeasuredAndPutBack) {
  const auto before = settings();
  const LivingTree tree(root_);
  const auto attempt = [&] {
    const Finished done = run(serve({"--measured", profiles({306, 408, 510}), "--arrivals",
                                     "poisson:40", "--measure", "1", "--duration", "22s"}));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(settings() == before);
    return done.json();
  };
  // On a busy machine another plan may come first.
  auto json = attempt();
  if (json["measured"]["modes"].empty()) json = attempt();
  EXPECT_EQ(json["measured"]["most"], 1);
  const auto& modes = json["measured"]["modes"];
  ASSERT_EQ(modes.size(), 1u) << json["measured"] << json["replans"];
  EXPECT_THAT(modes[0]["mode"].get<std::string>(), HasSubstr("gpu_mhz"));
  EXPECT_GT(modes[0]["batches"], 0);
  EXPECT_GT(modes[0]["minibatches"], 0);
  EXPECT_GE(json["switches"], 1);
}

TEST_F(ServeModeTest, WhereNoModeCanBeSetNoneIsMeasured) {
  const LivingTree tree(root_);
  const Finished none = run(serve({"--arrivals", "poisson:40", "--measure", "2", "--no-store"}));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("--measure: there is nothing to plan with"));
  const Finished all =
      run(serve({"--arrivals", "poisson:40", "--measure", "2", "--measured", profiles({408})}));
  EXPECT_EQ(all.exit_code, 2) << all.out;
  EXPECT_THAT(all.err, HasSubstr("--measure: "));
}

TEST_F(ServeModeTest, ProfilesOfAnotherBoardAreRefused) {
  std::string text = slurp(profiles());
  for (size_t at; (at = text.find("orin_agx,")) != std::string::npos;)
    text.replace(at, 9, "xavier_nx,");
  const Finished done = run(serve({"--measured", write("other.csv", text).string(), "--arrivals",
                                   "poisson:40", "--duration", "1s"}));
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("other.csv holds lenet5 train on xavier_nx, and this board is "
                                  "orin_agx"));
}

TEST_F(ServeModeTest, ProfilesOfAnotherPowerAreRefused) {
  std::string text;
  for (const std::string& line : split(slurp(profiles()), '\n'))
    if (!line.empty()) text += line + (text.empty() ? ",power_total\n" : ",monitor\n");
  const std::string other = write("other.csv", text).string();
  const Finished live =
      run(serve({"--measured", other, "--arrivals", "poisson:40", "--duration", "1s"}));
  const Finished simulated =
      run({"serve", "--device", "twin:orin_agx", "--train", "lenet5", "--infer", "lenet5",
           "--latency", "1s", "--arrivals", "poisson:5", "--measured", other});
  for (const Finished& done : {live, simulated}) {
    EXPECT_EQ(done.exit_code, 2) << done.out;
    EXPECT_THAT(done.err, HasSubstr("the power of lenet5 train on orin_agx is that of 'monitor', "
                                    "and this board's is that of '"));
  }
}

// Tables that do not say which power theirs is may stand beside those that do.
TEST_F(ServeModeTest, ProfilesOfAPowerThatIsNotSaidAreTakenForTheBoards) {
  const std::string all = slurp(profiles());
  std::string said, unsaid;
  for (const std::string& line : split(all, '\n')) {
    if (line.empty()) continue;
    if (said.empty() || line.find(",train,") != std::string::npos)
      said += line + (said.empty() ? ",power_total\n" : ",module\n");
    if (unsaid.empty() || line.find(",infer,") != std::string::npos) unsaid += line + "\n";
  }
  const Finished done = run(serve({"--measured", write("said.csv", said).string(), "--measured",
                                   write("unsaid.csv", unsaid).string(), "--arrivals", "poisson:40",
                                   "--duration", "1s"}));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.json()["notes"].dump(), HasSubstr("taken for that of this board, 'module'"));
}

// A board whose GPU may compute has its trials stored with where they ran.
TEST_F(ServeModeTest, WhatWasProfiledHereBeforeIsPlannedWith) {
  const LivingTree tree(root_);
  const Finished planned =
      run({"plan",         "concurrent",   "--train", "lenet5", "--infer",    "lenet5",
           "--data",       data_,          "--rate",  "40",     "--latency",  "5s",
           "--root",       root_.string(), "--modes", "3",      "--profiles", "2",
           "--trial-time", "200ms",        "--force", "-q"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const Finished done = run(serve({"--arrivals", "poisson:40", "--duration", "1s"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.json()["notes"].dump(), HasSubstr("trials of the store"));
}

TEST_F(ServeModeTest, WhatCannotBePlannedIsSaid) {
  const Finished none = run(serve({"--arrivals", "poisson:40", "--power-budget", "30W"}));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err,
              HasSubstr("no profiles of lenet5 training, lenet5 inference on this board"));
  EXPECT_THAT(none.err, HasSubstr("HINT: `flyball plan concurrent --train lenet5"));
  const Finished little =
      run(serve({"--measured", profiles(), "--arrivals", "poisson:40", "--power-budget", "12W"}));
  EXPECT_EQ(little.exit_code, 1);
  EXPECT_THAT(little.err,
              HasSubstr("no choice answers 99 % of these requests within the limits: "));
  const std::string hint = "HINT: try --power-budget ";
  const size_t at = little.err.find(hint);
  ASSERT_NE(at, std::string::npos) << little.err;
  const size_t from = at + hint.size();
  const std::string enough = little.err.substr(from, little.err.find_first_of(", \n", from) - from);
  const LivingTree tree(root_);
  const Finished more = run(serve({"--measured", profiles(), "--arrivals", "poisson:40",
                                   "--duration", "1s", "--power-budget", enough}));
  EXPECT_EQ(more.exit_code, 0) << more.err;
  const Finished as_it_is = run(serve({"--arrivals", "poisson:40", "--duration", "1s"}));
  ASSERT_EQ(as_it_is.exit_code, 0) << as_it_is.err;
  EXPECT_THAT(as_it_is.json()["notes"].dump(), HasSubstr("the mode stays as it is"));
}

}  // namespace
}  // namespace flyball::testing_tools
