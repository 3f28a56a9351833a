// `flyball broker` and processes that ask it for turns, in C and in Python, in containers, stopped
// and killed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <thread>
#include <utility>

#include "base/clock_testing.h"
#include "command_testing.h"
#include "device/host/board_trees_testing.h"
#include "living_tree_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class BrokerCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    socket_ = (folder_ / "turns" / "broker.sock").string();
  }
  void TearDown() override {
    for (const pid_t left : {broker_, held_})
      if (left > 0) {
        ::kill(left, SIGKILL);
        ::waitpid(left, nullptr, 0);
      }
    CommandTest::TearDown();
  }

  void start_broker(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"broker", "--socket", socket_, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    broker_ = start(words);
    ASSERT_TRUE(within_seconds_of_now(30, [&] { return fs::exists(socket_); }));
    environment_["FLYBALL_BROKER"] = socket_;
  }
  Finished end_broker() {
    ::kill(broker_, SIGTERM);
    return finish(std::exchange(broker_, -1));
  }

  /// Another program, which asks by this name; with a latency it is a service.
  pid_t start_client(const std::string& name, const std::string& latency,
                     const std::vector<std::string>& words) {
    environment_["FLYBALL_TURN_NAME"] = name;
    environment_["FLYBALL_TURN_LATENCY"] = latency;
    const std::string flyball = std::exchange(program_, words.front());
    const pid_t started = start({words.begin() + 1, words.end()});
    program_ = flyball;
    return started;
  }
  pid_t start_turned(const std::string& name, const std::string& latency,
                     const std::vector<std::string>& times) {
    std::vector<std::string> words = {FLYBALL_BIN_DIR "/turned_c"};
    words.insert(words.end(), times.begin(), times.end());
    return start_client(name, latency, words);
  }
  /// One in the middle of its turn, which lasts for ever.
  void start_holder() {
    held_ = start_turned("holder", "", {"600", "600000"});
    EXPECT_TRUE(within_seconds_of_now(30, [&] { return processor_ticks(held_) > 3; }));
  }
  static long processor_ticks(pid_t process) {
    const std::string stat = slurp("/proc/" + std::to_string(process) + "/stat");
    std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    long user = 0;
    fields >> user;
    return user;
  }
  static nlohmann::json client(const nlohmann::json& document, const std::string& name) {
    for (const auto& one : document["clients"])
      if (one["name"] == name) return one;
    return {};
  }

  std::string socket_;
  pid_t broker_ = -1, held_ = -1;
};

TEST_F(BrokerCommandTest, TwoTrainingsAndAServiceTakeTurns) {
  start_broker();
  const pid_t one = start_turned("one", "", {"1.5", "10"}),
              two = start_turned("two", "", {"1.5", "5"});
  const pid_t net = start_turned("net", "500ms", {"1.5", "2", "40"});
  std::map<std::string, size_t> steps;
  for (const auto& [name, process] : {std::pair{"one", one}, {"two", two}, {"net", net}}) {
    const Finished finished = finish(process);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    steps[name] = std::stoul(finished.out);
  }
  const Finished broker = end_broker();
  EXPECT_EQ(broker.exit_code, 0) << broker.err;
  EXPECT_THAT(broker.err, HasSubstr("export FLYBALL_BROKER=" + socket_));
  EXPECT_FALSE(fs::exists(socket_));
  const auto document = broker.json();
  EXPECT_THAT(schema_faults("broker", document), ::testing::IsEmpty());
  double busy_s = 0;
  for (const auto& [name, counted] : steps) {
    const auto found = client(document, name);
    EXPECT_EQ(found["turns"], counted) << name;
    EXPECT_GT(counted, 3u) << name;
    EXPECT_EQ(found["role"], name == "net" ? "service" : "training");
    busy_s += found["busy_s"].get<double>();
  }
  EXPECT_LE(busy_s, document["seconds"].get<double>());
  EXPECT_EQ(client(document, "net")["budget_ms"], 500);
  EXPECT_GE(client(document, "net")["latency_ms"]["p50"].get<double>(), 2);
  EXPECT_TRUE(client(document, "one")["latency_ms"].is_null());
}

TEST_F(BrokerCommandTest, ALatencyThatDoesNotReadIsRefusedNotTakenForAnother) {
  start_broker({});
  for (const char* latency : {"100us", "soon", "-1", "0"})
    EXPECT_EQ(finish(start_turned("net", latency, {"0.3", "5"})).exit_code, 2) << latency;
  const auto document = end_broker().json();
  EXPECT_EQ(document["expelled"], 4);
  EXPECT_TRUE(document["clients"].empty());
}

TEST_F(BrokerCommandTest, AStoppedProcessLosesItsTurnAndIsNamed) {
  start_broker({"--longest-turn", "50ms", "-q"});
  start_holder();
  ASSERT_EQ(::kill(held_, SIGSTOP), 0);
  const Finished other = finish(start_turned("other", "", {"0.3", "5"}));
  EXPECT_EQ(other.exit_code, 0) << other.err;
  const Finished broker = end_broker();
  EXPECT_THAT(broker.err, HasSubstr("holder has had its turn for"));  // -q hides no loss
  EXPECT_THAT(broker.err, ::testing::Not(HasSubstr("export FLYBALL_BROKER")));
  const auto document = broker.json();
  EXPECT_EQ(client(document, "holder")["overruns"], 1);
  EXPECT_EQ(client(document, "holder")["deaths"], 0);
  EXPECT_EQ(client(document, "other")["turns"], std::stoul(other.out));
}

TEST_F(BrokerCommandTest, AKilledProcessFreesItsTurnAtOnce) {
  start_broker({"--longest-turn", "600s"});
  start_holder();
  const pid_t other = start_turned("other", "", {"0.2", "5"});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ::kill(held_, SIGKILL);
  ::waitpid(std::exchange(held_, -1), nullptr, 0);
  EXPECT_EQ(finish(other).exit_code, 0);
  const Finished broker = end_broker();
  EXPECT_THAT(broker.err, HasSubstr("holder has ended within its turn"));
  EXPECT_EQ(client(broker.json(), "holder")["deaths"], 1);
}

TEST_F(BrokerCommandTest, AProcessInAContainerAsksByTheMountedFolder) {
  if (!fs::exists("/usr/bin/bwrap")) GTEST_SKIP() << "bubblewrap is not installed";
  start_broker();
  const std::string inner = "/run/turns";
  environment_["FLYBALL_BROKER"] = inner + "/broker.sock";
  const Finished inside = finish(
      start_client("inside", "",
                   {"/usr/bin/bwrap", "--ro-bind", "/", "/", "--tmpfs", "/run", "--proc", "/proc",
                    "--dev", "/dev", "--unshare-pid", "--bind", (folder_ / "turns").string(), inner,
                    FLYBALL_BIN_DIR "/turned_c", "0.3", "5"}));
  if (inside.err.find("bwrap:") != std::string::npos) GTEST_SKIP() << inside.err;
  EXPECT_EQ(inside.exit_code, 0) << inside.err;
  EXPECT_EQ(client(end_broker().json(), "inside")["turns"], std::stoul(inside.out));
}

TEST_F(BrokerCommandTest, PythonTakesTurnsByOneLine) {
  start_broker();
  environment_["PYTHONPATH"] = FLYBALL_BIN_DIR "/../python";
  const Finished script = finish(start_client("script", "250ms",
                                              {"/usr/bin/python3", "-c",
                                               "import flyball\n"
                                               "for _ in range(20):\n"
                                               "    with flyball.turn(): sum(range(1000))\n"
                                               "for _ in flyball.mark(range(5)): pass\n"}));
  EXPECT_EQ(script.exit_code, 0) << script.err;
  const auto found = client(end_broker().json(), "script");
  EXPECT_EQ(found["turns"], 25);
  EXPECT_EQ(found["budget_ms"], 250);
}

// The tree's GPU draws 19 mW a MHz, and 9.7 W besides: at first 21.3 W in the preset "30W".
TEST_F(BrokerCommandTest, ABudgetBelowWhatTheModeDrawsSetsALowerPresetAndPutsBack) {
  const fs::path root = folder_ / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const std::string before = slurp(root / gpu_max);
  const LivingTree tree(root);
  start_broker({"--root", root.string(), "--power-budget", "19W"});
  const pid_t one = start_turned("one", "", {"12", "5"});
  const pid_t net = start_turned("net", "500ms", {"12", "2", "40"});
  EXPECT_TRUE(within_seconds_of_now(12, [&] {
    return slurp(root / gpu_max).starts_with("408000000");
  })) << slurp(root / gpu_max);
  finish(one);
  finish(net);
  const Finished broker = end_broker();
  ASSERT_EQ(broker.exit_code, 0) << broker.err;
  EXPECT_THAT(broker.err, HasSubstr("W are drawn, of a budget of 19 W: mode"));
  const auto document = broker.json();
  EXPECT_THAT(schema_faults("broker", document), ::testing::IsEmpty());
  EXPECT_GE(document["switches"], 1);
  EXPECT_THAT(document["replans"][0]["mode"].get<std::string>(), HasSubstr("gpu_mhz"));
  EXPECT_EQ(document["budget_w"], 19);
  EXPECT_EQ(slurp(root / gpu_max), before);
}

// Who is expected has profiles, by which the mode is chosen before anybody comes. A training and a
// service may have one name.
TEST_F(BrokerCommandTest, ProfilesOfWhoIsExpectedChooseTheMode) {
  const fs::path root = folder_ / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const LivingTree tree(root);
  std::string text =
      "device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w\n";
  for (const double gpu : {408.0, 1020.0, 1300.5})
    text += fmt::format(
        "orin_agx,net,train,16,4,1344,{0},3199,{1},{2}\n"
        "orin_agx,net,infer,4,4,1344,{0},3199,{1},{2}\n",
        gpu, 5 * 1300.5 / gpu, 9.7 + 0.019 * gpu);
  const std::string table = write("profiles.csv", text).string();
  const std::vector<std::string> asked = {"--root",     root.string(), "--power-budget", "30W",
                                          "--infer",    "net",         "--train",        "net",
                                          "--latency",  "500ms",       "--rate",         "25",
                                          "--measured", table,         "--batch-size",   "4"};
  start_broker(asked);
  const Finished early = finish(start_turned("net", "100ms", {"0.2", "2", "40"}));
  EXPECT_THAT(early.err, HasSubstr("net is expected as a service within 500 ms"));
  EXPECT_TRUE(slurp(root / gpu_max).starts_with("1020000000"));
  const pid_t one = start_turned("net", "", {"0.5", "5"});
  EXPECT_EQ(finish(start_turned("net", "500ms", {"0.5", "2", "40"})).exit_code, 0);
  finish(one);
  const Finished broker = end_broker();
  ASSERT_EQ(broker.exit_code, 0) << broker.err;
  const auto document = broker.json();
  EXPECT_THAT(schema_faults("broker", document), ::testing::IsEmpty());
  EXPECT_EQ(document["plan"][0]["config"]["gpu_mhz"], 1020);
  EXPECT_THAT(document["mode"].get<std::string>(), HasSubstr("gpu_mhz 1020"));
  ASSERT_EQ(document["clients"].size(), 2u);
  EXPECT_GT(document["clients"][0]["turns"], 0);
  EXPECT_GT(document["clients"][1]["turns"], 0);
}

TEST_F(BrokerCommandTest, WhatItCannotDoIsSaidAtOnce) {
  const std::string table = small_table().string();
  for (const auto& [words, what] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--device", "table:" + table}, "table"},
           {{"--device", "twin:orin_agx"}, "simulated"},
           {{"--group", "no-such-group"}, "no-such-group"},
           {{"--mode", "gpu_mhz"}, "gpu_mhz"},
           {{"--infer", "net"}, "--latency"},
           {{"--train", "one"}, "plans are for"},
           {{"--latency", "1s"}, "--infer"},
           {{"--mode", "cpu_cores=1"}, "would bind the broker alone"},
           {{"--infer", "a/b", "a-b", "--latency", "1s"}, "a/b and a-b would both come as a-b"},
           {{"--infer", "net", "--latency", "1s", "--mode", "gpu_mhz=1"}, "--mode holds"}}) {
    std::vector<std::string> all = {"broker", "--socket", socket_, "--duration", "100ms"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished refused = run(all);
    EXPECT_EQ(refused.exit_code, 2) << what;
    EXPECT_THAT(refused.err, HasSubstr(what));
  }
  start_broker();
  const Finished second = run({"broker", "--socket", socket_});
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("listens at"));
}

}  // namespace
}  // namespace flyball::testing_tools
