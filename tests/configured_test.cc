// Defaults of configuration files beside what is typed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class ConfiguredTest : public CommandTest {
 protected:
  void configure(const std::string& text) {
    fs::create_directories(folder_ / "configuration/flyball");
    write("configuration/flyball/config.toml", text);
  }
  Finished run_with(const std::string& text, const std::vector<std::string>& words) {
    configure(text);
    return run(words);
  }
};

const std::vector<std::string> plan_on_twin = {"plan",     "training",       "--train",   "lenet5",
                                               "--device", "twin:orin_nano", "--dry-run", "--json"};

TEST_F(ConfiguredTest, NoVerifyMeansThatInEveryCommand) {
  const auto verified = [&](const std::string& text) {
    const auto dry = run_with(text, plan_on_twin).json();
    return dry["trials_at_most"].get<int>() - dry["profiles_at_most"].get<int>();
  };
  const int usual = verified("");
  EXPECT_GT(usual, 0);
  EXPECT_EQ(verified("[plan]\nno-verify = false\n"), usual);
  EXPECT_EQ(verified("[plan]\nno-verify = true\n"), 0);
}

TEST_F(ConfiguredTest, AnAxisOfTheFileStandsBesideATypedOne) {
  const auto dry = run_with("[tune]\nbatch-size = [8, 16, 32]\n",
                            {"tune", "lenet5", "--device", "twin:orin_nano", "--axis",
                             "gpu_mhz=600..1300", "--dry-run", "--json"})
                       .json();
  std::map<std::string, size_t> values;
  for (const auto& axis : dry["axes"]) values[axis["name"]] = axis["values"].size();
  EXPECT_EQ(values["batch_size"], 3u) << dry;
}

TEST_F(ConfiguredTest, ADefaultKeepsNobodyFromAnotherChoice) {
  const std::string table = small_table().string();
  configure("");
  const Finished frames =
      run({"monitor", "--device", "twin:orin_nano", "--json", "--duration", "2s"});
  ASSERT_EQ(frames.exit_code, 0) << frames.err;
  const std::string replayed = write("day.jsonl", frames.out).string();
  const std::string log =
      write("tegrastats.log", "RAM 1200/3964MB (lfb 2x4MB) CPU [10%@1479] POM_5V_IN 3000/3000\n")
          .string();
  const std::vector<std::string> tune = {"tune",           "lenet5",    "--device",
                                         "twin:orin_nano", "--dry-run", "--json"};
  const std::vector<std::pair<std::string, std::vector<std::string>>> kept = {
      {"[tune]\nat-most = 'memory=2GB'\n", tune},
      {"[tune]\nobjective = 'latency'\n", tune},
      {"[monitor]\ninterval = '2s'\n", {"monitor", "--replay", replayed, "--once"}},
      {"[monitor]\nduration = '1min'\n", {"monitor", "--device", "twin:orin_nano", "--once"}},
      {"[monitor]\nonce = true\n",
       {"monitor", "--device", "twin:orin_nano", "--json", "--duration", "1s"}},
      {"device = 'twin:orin_nano'\n", {"monitor", "--replay", replayed, "--json"}},
      {"device = 'twin:orin_nano'\n", {"plan", "training", "--train", table, "--dry-run"}},
      {"[record]\nduration = '1h'\n",
       {"record", "-o", (folder_ / "run.flyrec").string(), "--", "true"}},
      {"[import]\nmap = 'power_w=total_mw:mW'\n",
       {"import", "--format", "tegrastats", log, "--out", (folder_ / "traces.csv").string()}},
      {"[broker]\nlatency = '100ms'\nmeasured = 'none.csv'\ntrain-batch-size = 8\n",
       {"broker", "--duration", "100ms", "--socket", (folder_ / "broker.sock").string(), "-q"}}};
  for (const auto& [text, words] : kept) {
    const Finished done = run_with(text, words);
    EXPECT_EQ(done.exit_code, 0) << text << done.err;
  }
}

TEST_F(ConfiguredTest, WhatIsTypedAndChangesNothingIsRefused) {
  const std::string table = small_table().string();
  configure("");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
      {{"broker", "--train-batch-size", "8"}, "there is none"},
      {{"import", table, "--plug-zone", "1h"}, "--plug-zone is for logs"},
      {{"import", table, "--out", "a.csv", "--store", "b.db"}, "two places"},
      {{"roofline", table, "--device", "twin:orin_nano"}, "says nothing of the table"},
      {{"profile", "lenet5", "--device", "twin:orin_nano", "--interval", "100ms"}, "--interval"},
      {{"verify-board", "--dry-run", "--json"}, "excludes"},
      {{"serve", "--infer", "lenet5", "--latency", "1s", "--checkpoint", "a", "--no-checkpoint"},
       "excludes"}};
  for (const auto& [words, said] : refused) {
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 2) << words[0];
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, HasSubstr(said));
  }
}

TEST_F(ConfiguredTest, APhaseIsItsSynonym) {
  std::string rows = "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w\n";
  for (const int gpu : {300, 600, 900, 1200})
    rows +=
        fmt::format("board,resnet18,train,16,{},{},{}\n", gpu, 5 + 60000.0 / gpu, 5 + 0.01 * gpu);
  const std::string table = write("modes.csv", rows).string();
  configure("");
  const auto modes = [&](const std::string& phase) {
    const Finished done = run({"roofline", table, "--phase", phase, "--no-store", "--json"});
    return done.json()["cases"].size();
  };
  EXPECT_GT(modes("train"), 0u);
  EXPECT_EQ(modes("training"), modes("train"));
}

}  // namespace
}  // namespace flyball::testing_tools
