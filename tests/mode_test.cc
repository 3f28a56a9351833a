// `flyball mode`, `doctor --root` and a tune over trees of boards, as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>
#include <thread>

#include "device/host/board_trees_testing.h"
#include "live_testing.h"
#include "living_tree_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class ModeTest : public LiveTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    fs::create_directories(folder_ / "tmp");
    root_ = folder_ / "tree";
    trees::write_tree("orin_agx_jp6", root_);
    start_ = content();
  }
  Finished mode(std::vector<std::string> words) {
    const size_t program = std::ranges::find(words, "--") - words.begin();
    words.insert(words.begin() + static_cast<long>(program), {"--root", root_.string()});
    words.insert(words.begin(), "mode");
    return run(words);
  }
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      if (entry.is_regular_file()) all[entry.path().string()] = slurp(entry.path());
    return all;
  }
  std::string get(const std::string& file) const {
    const std::string text = slurp(root_ / file);
    return text.substr(0, text.find('\n'));
  }

  fs::path root_;
  std::map<std::string, std::string> start_;
};

TEST_F(ModeTest, DoctorReadsATreeAndLeavesNothingInIt) {
  const Finished done = run({"doctor", "--root", root_.string(), "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["board"]["id"], "orin_agx");
  EXPECT_EQ(done.json()["axes"].size(), 4u);
  EXPECT_EQ(content(), start_);
  EXPECT_EQ(run({"doctor", "--root", (folder_ / "none").string()}).exit_code, 2);
}

TEST_F(ModeTest, ANumberThatNoBoardHasIsRefused) {
  for (const char* number : {"inf", "-inf", "nan", "1e308", "1e999", "-5", "0", "", "1.5x"}) {
    const std::string part = fmt::format("cpu_mhz={}", number);
    for (const std::string& words : {part, "gpu_mhz=612," + part}) {
      const Finished done = mode({"set", words});
      EXPECT_EQ(done.exit_code, 2) << words << done.out;
      EXPECT_THAT(done.err, HasSubstr("cpu_mhz")) << words;
      EXPECT_THAT(done.err, HasSubstr("HINT: ")) << words;
    }
  }
  EXPECT_EQ(content(), start_);
}

// What was named is looked at or refused; this machine's report answers for nothing else.
TEST_F(ModeTest, DoctorAndModeLookAtWhatIsNamed) {
  const auto doctor = [&](const std::string& device, const fs::path& root) {
    return run({"doctor", "--device", device, "--root", root.string(), "--json"});
  };
  for (const char* device : {"jetson", "board", "host"}) {
    const Finished done = doctor(device, root_);
    ASSERT_EQ(done.exit_code, 0) << device << done.err;
    EXPECT_EQ(done.json()["board"]["id"], "orin_agx") << device;
  }
  const fs::path table = small_table(), bare = folder_ / "bare";
  fs::create_directories(bare / "proc");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"jetson", "is no Jetson"},
      {"board", "is no board with a device tree"},
      {"cuda:1", "`flyball mode list --device cuda:1 --root "},
      {"table:" + table.string(), "no machine to look at"},
      {"orin_agx", "twin:orin_agx simulates one"}};
  for (const auto& [device, says] : wrong) {
    const Finished refused = doctor(device, bare);
    EXPECT_EQ(refused.exit_code, 2) << device << refused.out;
    EXPECT_THAT(refused.err, HasSubstr(says));
    EXPECT_THAT(refused.err, HasSubstr("HINT: "));
  }
  const auto axes = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"list", "--json"});
    return mode(words).json()["axes"].size();
  };
  EXPECT_EQ(axes({}), 4u);
  EXPECT_EQ(axes({"--device", "jetson"}), 4u);
  EXPECT_LT(axes({"--device", "host"}), 4u);  // as `tune --device host` has them
  EXPECT_EQ(mode({"restore", "--device", "toaster"}).exit_code, 2);
}

TEST_F(ModeTest, SetStaysAndRestorePutsBack) {
  const Finished set = mode({"set", "cpu_cores=4,cpu_mhz=1344,gpu_mhz=612,mem_mhz=2133"});
  ASSERT_EQ(set.exit_code, 0) << set.err;
  EXPECT_EQ(get(gpu_max), "612000000");
  ASSERT_EQ(run({"workloads"}).exit_code, 0);  // another start leaves it
  EXPECT_EQ(get(gpu_max), "612000000");
  EXPECT_TRUE(mode({"show", "--json"}).json()["kept"]);
  const fs::path other = folder_ / "other";  // another board: nothing of it is kept
  trees::write_tree("nano_jp4", other);
  EXPECT_FALSE(run({"mode", "show", "--json", "--root", other.string()}).json()["kept"]);
  const Finished restored = mode({"restore", "--json"});
  EXPECT_EQ(restored.json()["restored"], 19);
  EXPECT_EQ(content(), start_);
  EXPECT_FALSE(mode({"show", "--json"}).json()["kept"]);
}

// The step of a report, typed on the board: it is then in the mode that was chosen.
TEST_F(ModeTest, WhatApplyPrintsSetsTheModeThatWasChosen) {
  std::string table =
      "device,workload,phase,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w\n";
  for (const double cores : {4, 8})
    for (const double cpu : {1344.0, 2201.6})
      for (const double gpu : {408, 612, 1020})
        for (const double memory : {2133, 3199})
          table += fmt::format("orin_agx,net,train,{},{},{},{},{},{}\n", cores, cpu, gpu, memory,
                               20000 / gpu + 30000 / cpu / cores + 9000 / memory,
                               5 + 0.01 * gpu + 0.0008 * cpu * cores + 0.001 * memory);
  const std::string report = (folder_ / "r.html").string();
  const Finished done = run({"tune", "net", "--device",
                             "table:" + write("orin.csv", table).string(), "--power-budget", "22W",
                             "--strategy", "brute-force", "--report", report, "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto data = report_data(report);
  std::istringstream code(data["apply"][0]["code"].get<std::string>());
  std::vector<std::string> words;
  for (std::string word; code >> word;) words.push_back(word);
  ASSERT_GE(words.size(), 7u);
  const auto behind = words.begin() + 4;
  ASSERT_EQ(std::vector<std::string>(words.begin(), behind),
            (std::vector<std::string>{"sudo", "\"$(command", "-v", "flyball)\""}));
  words.erase(words.begin(), behind);
  words.insert(words.end(), {"--root", root_.string()});
  const Finished set = run(words);
  ASSERT_EQ(set.exit_code, 0) << set.err;
  const auto config = done.json()["choice"]["config"], shown = mode({"show", "--json"}).json();
  for (const auto& axis : shown["axes"])
    EXPECT_EQ(axis["current"], config[axis["name"].get<std::string>()]) << axis;
  EXPECT_EQ(config.size(), 4u);
  EXPECT_NE(content(), start_);
  ASSERT_EQ(mode({"restore"}).exit_code, 0);
  EXPECT_EQ(content(), start_);
}

TEST_F(ModeTest, WhatIsNotListedIsRefused) {
  for (const std::string bad :
       {"gpu_mhz=600", "gpu_mhz", "gpu_mhz=x", "gpu_mhz=612,gpu_mhz=408", "warp=1"})
    EXPECT_EQ(mode({"set", bad}).exit_code, 2) << bad;
  EXPECT_EQ(mode({"set"}).exit_code, 2);
  EXPECT_EQ(mode({"set", "gpu_mhz=612", "--preset", "15W"}).exit_code, 2);
  EXPECT_EQ(content(), start_);
}

TEST_F(ModeTest, HoldRunsACommandInTheModeAndPutsBack) {
  const fs::path file = root_ / gpu_max;
  const Finished held =
      mode({"hold", "gpu_mhz=408", "--json", "--", "sh", "-c", "cat \"$0\" >&2; exit 3", file});
  EXPECT_EQ(held.exit_code, 3);
  EXPECT_THAT(held.err, HasSubstr("408000000"));
  EXPECT_EQ(held.json()["exit_code"], 3);
  EXPECT_EQ(held.json()["restored"], true);
  EXPECT_EQ(content(), start_);
  EXPECT_EQ(mode({"hold", "gpu_mhz=408", "--", "/no/such/program"}).exit_code, 127);
  EXPECT_EQ(mode({"hold", "gpu_mhz=408"}).exit_code, 2);
  EXPECT_EQ(content(), start_);
}

// As profile and tune do: a script that marks its minibatches imports the package.
TEST_F(ModeTest, WhatFlyballStartsFindsItsPackage) {
  const std::vector<std::string> script = {"--", "/usr/bin/python3", "-c", "import flyball"};
  for (std::vector<std::string> words : {std::vector<std::string>{"mode", "hold", "cpu_cores=1"},
                                         {"measure"},
                                         {"record", "-o", (folder_ / "a.flyrec").string()}}) {
    const std::string name = words[0];
    words.insert(words.end(), script.begin(), script.end());
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << name << done.err;
  }
}

// Cores by affinity bind this process and what it starts: they can be held, and not stay.
TEST_F(ModeTest, ThisMachinesCoresAreHeldForACommand) {
  const Finished held = run({"mode", "hold", "cpu_cores=1", "--", "nproc"});
  ASSERT_EQ(held.exit_code, 0) << held.err;
  EXPECT_EQ(held.out, "1\n");
  const Finished refused = run({"mode", "set", "cpu_cores=1"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("HINT: `flyball mode hold cpu_cores=1 -- COMMAND`"));
  EXPECT_THAT(run({"mode", "set", "--preset", "15W"}).err, HasSubstr("there is no preset '15W'"));
}

TEST_F(ModeTest, OneWriterAtATime) {
  const fs::path begun = folder_ / "begun";
  const pid_t holder = start({"mode", "hold", "gpu_mhz=408", "--root", root_.string(), "--", "sh",
                              "-c", ": >\"$0\"; exec sleep 60", begun.string()});
  for (int round = 0; round < 3000 && !fs::exists(begun); ++round)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(fs::exists(begun));
  const pid_t other = ::fork();
  if (other == 0) {
    const Finished refused = mode({"set", "gpu_mhz=612"});
    const bool told = refused.err.find("the board is held by process") != std::string::npos;
    ::_exit(refused.exit_code == 2 && told ? 0 : 1);
  }
  int status = 0;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(get(gpu_max), "408000000");
  ::kill(holder, SIGTERM);  // goes to the command; then the mode goes back
  EXPECT_EQ(finish(holder).exit_code, 128 + SIGTERM);
  EXPECT_EQ(content(), start_);
}

TEST_F(ModeTest, AKilledHoldIsPutBackByTheNextStart) {
  const fs::path begun = folder_ / "begun";
  const pid_t holder = start({"mode", "hold", "--preset", "15W", "--root", root_.string(), "--",
                              "sh", "-c", ": >\"$0\"; exec sleep 60", begun.string()});
  for (int round = 0; round < 3000 && !fs::exists(begun); ++round)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(get(gpu_max), "408000000");
  ::kill(holder, SIGKILL);
  finish(holder);
  run({"workloads"});
  for (int round = 0; round < 1000 && content() != start_; ++round)  // or its guard is at it
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(content(), start_);
}

TEST_F(ModeTest, ATuneGoesThroughTheModesOfTheTree) {
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  data_ = (folder_ / "digits").string();
  ASSERT_EQ(run({"dataset", "make", "digits", "--samples", "600", "--out", data_}).exit_code, 0);
  Finished done;
  {
    const LivingTree tree(root_);
    // 30 W: 19 V × (0.2 A + GPU) + 1.9 W + 4 W lets 1020 MHz pass (29.1 W) and 1122 not.
    done = run({"tune",           "lenet5",
                "--root",         root_.string(),
                "--data",         data_,
                "--power-budget", "30W",
                "--axis",         "gpu_mhz=408,612,1020,1300.5",
                "--axis",         "cpu_cores=1",
                "--axis",         "cpu_mhz=1344,2201.6",
                "--axis",         "mem_mhz=3199",
                "--axis",         "loader_workers=0",
                "--trial-time",   "0.4s",
                "--strategy",     "brute-force",
                "--json",         "-q"});
  }
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto answer = done.json();
  EXPECT_EQ(answer["device"]["name"], "orin_agx");
  EXPECT_EQ(answer["device"]["power_total"], "module");
  EXPECT_LE(answer["choice"]["power_w"], 30);
  EXPECT_LE(answer["choice"]["config"]["gpu_mhz"], 1020);
  size_t powered = 0;
  for (const auto& trial : answer["profiled"]) {
    const double gpu = trial["config"]["gpu_mhz"];
    EXPECT_EQ(trial["throttled"], false) << trial.dump();
    for (const auto& clock : trial["clocks"])
      if (clock["axis"] == "gpu_mhz") {
        EXPECT_EQ(clock["asked"], gpu);
        EXPECT_EQ(clock["seen_mean"], gpu) << trial.dump();
      }
    EXPECT_EQ(trial["clocks"].size(), 4u) << trial.dump();  // cores and clocks
    if (trial["power_w"].is_null()) {  // the machine was too busy to read the rail
      EXPECT_FALSE(trial["power_gap"].is_null()) << trial.dump();
      continue;
    }
    ++powered;
    EXPECT_EQ(trial["power_settled"], true) << trial.dump();
    EXPECT_NEAR(trial["power_w"], 19 * (0.2005 + gpu * 1e-3) + 1.9 + 4, 0.2) << trial.dump();
  }
  EXPECT_GE(powered, 6u);
  EXPECT_THAT(done.err, HasSubstr("ATTENTION: the network runs on the CPU, not on the GPU of"));
  const auto settings = [](std::map<std::string, std::string> all) {
    std::erase_if(all, [](const auto& file) {
      return file.first.ends_with("curr1_input") || file.first.ends_with("cur_freq");
    });
    return all;
  };
  EXPECT_EQ(settings(content()), settings(start_));
}

}  // namespace
}  // namespace flyball::testing_tools
