// What a network takes of memory, and what is left out since it does not fit, as a user sees it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "live_testing.h"

namespace flyball::testing_tools {
namespace {

using Words = std::vector<std::string>;

using ::testing::HasSubstr;
using ::testing::Not;

class MemoryTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) return;
    memory_ = between("train");
  }
  double needed(const std::string& phase, const std::string& samples) {
    const Finished done = run({"describe", "lenet5", "--phase", phase, "--batch-size", samples,
                               "--memory", "1GB", "--json"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.json()["fit"]["needed_bytes"];
  }
  /// So much that LeNet-5 fits with 16 samples and not with the 600 of the set, far from both.
  std::string between(const std::string& phase) {
    return std::to_string(std::llround(std::sqrt(needed(phase, "16") * needed(phase, "600")))) +
           "B";
  }
  static Words with(Words words, const std::string& more) {
    words.push_back(more);
    return words;
  }
  static size_t left_out(const SortedJson& notes, const std::string& what) {
    return static_cast<size_t>(std::ranges::count_if(notes, [&](const SortedJson& note) {
      return note.get<std::string>().starts_with("left out: " + what);
    }));
  }
  static bool tried(const SortedJson& trials, double batch_size) {
    for (const SortedJson& trial : trials)
      if (trial["config"].value("batch_size", 0.0) == batch_size) return true;
    return false;
  }

  std::string memory_;
};

TEST_F(MemoryTest, DescribeTellsThePeakByPartAndWhetherItFits) {
  const Words words = {"describe", "lenet5", "--batch-size", "64", "--memory", "4GB"};
  const Finished text = run(words), document = run(with(words, "--json"));
  ASSERT_EQ(text.exit_code, 0) << text.err;
  for (const char* told : {"peak memory ", "weights ", "activations ", "kept by the process: ",
                           "steps of 1 and 2 samples were measured", "fits in 4.00 GB"})
    EXPECT_THAT(text.out, HasSubstr(told));
  const SortedJson json = document.json(), memory = json["memory"], fit = json["fit"];
  double parts = 0;
  for (const char* part : {"weights", "gradients", "optimizer", "activations", "workspace"})
    parts += memory[part].get<double>();
  EXPECT_DOUBLE_EQ(parts, json["peak_memory_bytes"]);
  EXPECT_NEAR(memory["weights"], 4 * 61706, 100);
  EXPECT_GE(memory["kept_bytes"].get<double>(), json["peak_memory_bytes"].get<double>());
  EXPECT_EQ(memory["minibatch_bytes"], 64 * (28 * 28 * 4 + 8));
  EXPECT_EQ(fit["available_bytes"], 4e9);
  EXPECT_EQ(fit["needed_bytes"].get<double>(),
            memory["kept_bytes"].get<double>() + memory["minibatch_bytes"].get<double>());
  EXPECT_EQ(fit["fits"], true);
  EXPECT_THAT(text.out, HasSubstr("the largest batch that fits: " + fit["largest_batch"].dump()));
}

// What is kept of our networks is what a step shows here and now, but for what LibTorch's
// convolutions need beside it: which one it takes hangs on the CPU.
TEST_F(MemoryTest, WhatIsKnownIsWhatIsMeasured) {
  for (const Words& words : {Words{"describe", "lenet5", "--json"},
                             Words{"describe", "lenet5", "--phase", "infer", "--json"},
                             Words{"describe", "resnet18", "--input", "3x32x32", "--json"},
                             Words{"describe", "lstm", "--batch-size", "4", "--json"}}) {
    const SortedJson known = run(words).json();
    SortedJson measured = run(with(words, "--measured")).json();
    EXPECT_FALSE(measured["memory"]["steps"].empty());
    measured["memory"].erase("steps");
    for (const char* part : {"weights", "optimizer", "minibatch_bytes", "measured_at"})
      EXPECT_EQ(known["memory"][part], measured["memory"][part]) << words[1] << " " << part;
    const double kept = known["memory"]["kept_bytes"];
    EXPECT_NEAR(measured["memory"]["kept_bytes"].get<double>(), kept, 0.3 * kept) << words[1];
    if (words[1] != "resnet18") {
      EXPECT_EQ(known["memory"], measured["memory"]) << words[1];
    }
    EXPECT_EQ(known["layers"], measured["layers"]) << words[1];
    EXPECT_EQ(known["flop"], measured["flop"]) << words[1];
  }
}

TEST_F(MemoryTest, DescribeSaysWhatDoesNotFit) {
  const Finished none = run({"describe", "lenet5", "--batch-size", "64", "--memory", "1kB"});
  EXPECT_EQ(none.exit_code, 1) << "the answer is no";
  EXPECT_THAT(none.out, HasSubstr("DOES NOT FIT in "));
  EXPECT_THAT(none.out, HasSubstr("the largest batch that fits: none"));
  const SortedJson large =
      run({"describe", "lenet5", "--batch-size", "600", "--memory", memory_, "--json"}).json();
  EXPECT_EQ(large["fit"]["fits"], false);
  EXPECT_GT(large["fit"]["largest_batch"], 16);
  EXPECT_LT(large["fit"]["largest_batch"], 600);
}

TEST_F(MemoryTest, OfABoardTheSourcesAreTold) {
  const Words words = {"describe", "lenet5", "--batch-size", "4", "--device", "orin_nano"};
  const SortedJson fit = run(with(words, "--json")).json()["fit"];
  EXPECT_EQ(fit["what"], "orin_nano");
  EXPECT_LT(fit["available_bytes"], 8.6e9);
  EXPECT_GT(fit["sources"].size(), 1u);
}

// As every command reads it, and a kind of board by its bare name.
TEST_F(MemoryTest, EveryDeviceHasItsMemory) {
  fs::create_directories(folder_ / "tree/proc");
  write("tree/proc/meminfo", "MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\n");
  const fs::path table = write("orin.csv",
                               "device,workload,phase,gpu_mhz,minibatch_ms\n"
                               "orin_agx,net,train,100,30\norin_agx,net,train,200,20\n");
  const std::vector<std::pair<std::string, std::string>> devices = {
      {"host", "this machine"},      {"cpu", "this machine"},
      {"twin:orin_agx", "orin_agx"}, {"table:" + table.string(), "orin_agx"},
      {"orin_agx", "orin_agx"},      {"thor", "thor"}};
  std::map<std::string, double> bytes;
  for (const auto& [device, what] : devices) {
    Words words = {"describe", "lenet5", "--batch-size", "4", "--device", device, "--json"};
    // A root is of this machine.
    if (device.find(':') == std::string::npos)
      words.insert(words.end(), {"--root", (folder_ / "tree").string()});
    const Finished done = run(words);
    ASSERT_EQ(done.exit_code, 0) << device << done.err;
    EXPECT_EQ(done.json()["fit"]["what"], what) << device;
    const double available = done.json()["fit"]["available_bytes"];
    EXPECT_EQ(bytes.try_emplace(what, available).first->second, available) << device;
  }
  EXPECT_LE(bytes["this machine"], 1.024e9);
  EXPECT_GT(bytes["orin_agx"], 20e9);
}

TEST_F(MemoryTest, TuneLeavesOutWhatDoesNotFitAndSaysSo) {
  const Words words = live({"--axis", "batch_size=16,600", "--axis", "loader_workers=0",
                            "--strategy", "brute-force", "--memory", memory_});
  const Finished done = run(words);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson answer = done.json();
  const SortedJson& gaps = answer["device"]["gaps"];
  EXPECT_EQ(left_out(gaps, "batch_size 600 needs "), 1u) << gaps;
  EXPECT_EQ(left_out(gaps, ""), 1u) << gaps;
  EXPECT_TRUE(tried(answer["profiled"], 16));
  EXPECT_FALSE(tried(answer["profiled"], 600));

  const SortedJson all = run(with(words, "--no-memory-check")).json();
  EXPECT_EQ(left_out(all["device"]["gaps"], ""), 0u) << all["device"]["gaps"];
  EXPECT_TRUE(tried(all["profiled"], 600));
}

TEST_F(MemoryTest, WhereNothingFitsTuneSaysNo) {
  const Finished none = run(live({"--axis", "batch_size=600", "--memory", memory_}));
  EXPECT_EQ(none.exit_code, 1) << none.out;
  EXPECT_THAT(none.err, HasSubstr("lenet5 does not fit: batch_size 600 needs "));
  EXPECT_THAT(none.err, HasSubstr("--no-memory-check"));
}

TEST_F(MemoryTest, PlanLeavesOutWhatDoesNotFitAndSaysSo) {
  const Words words = {"plan",         "inference",
                       "--infer",      "lenet5",
                       "--data",       data_,
                       "--device",     "host",
                       "--rate",       "100",
                       "--latency",    "100s",
                       "--trial-time", "0.1s",
                       "--axis",       "cpu_cores=1",
                       "--axis",       "batch_size=8,600",
                       "--axis",       "loader_workers=0",
                       "--strategy",   "brute-force",
                       "--json",       "-q",
                       "--memory",     between("infer")};
  const Finished done = run(words);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson answer = done.json();
  EXPECT_EQ(left_out(answer["notes"], "batch_size 600 needs "), 1u) << answer["notes"];
  EXPECT_FALSE(tried(answer["profiled"], 600));
  const SortedJson all = run(with(words, "--no-memory-check")).json();
  EXPECT_EQ(left_out(all["notes"], ""), 0u) << all["notes"];
  EXPECT_TRUE(tried(all["profiled"], 600));
}

TEST_F(MemoryTest, ProfileRefusesWhatDoesNotFit) {
  const Words words = {"profile", "lenet5",    "--data", data_,          "--steps",
                       "1",       "--epochs",  "1",      "--batch-size", "600",
                       "-q",      "--threads", "1",      "--memory",     "2MB"};
  const Finished none = run(words);
  EXPECT_EQ(none.exit_code, 1) << none.out;
  EXPECT_THAT(none.err, HasSubstr("lenet5 does not fit: batch_size 600 needs "));
  EXPECT_THAT(none.err, HasSubstr("--no-memory-check to try all the same"));
  const Finished tried = run(with(words, "--no-memory-check"));
  EXPECT_EQ(tried.exit_code, 0) << tried.err;
  EXPECT_THAT(tried.err, Not(HasSubstr("does not fit")));
}

TEST_F(MemoryTest, WorkloadsTellWhatWasMeasured) {
  const SortedJson list = run({"workloads", "--json"}).json()["workloads"];
  ASSERT_EQ(list[0]["name"], "lenet5");
  const SortedJson lenet = run({"describe", "lenet5", "--batch-size", "16", "--json"}).json();
  EXPECT_NEAR(list[0]["weight_bytes"].get<double>() / lenet["memory"]["weights"].get<double>(), 1,
              0.05);
  EXPECT_NEAR(list[0]["training_bytes"].get<double>() / lenet["peak_memory_bytes"].get<double>(), 1,
              0.05);
}

}  // namespace
}  // namespace flyball::testing_tools
