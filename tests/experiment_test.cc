// `flyball experiment`: a run that is killed goes on, reports are made, bad files are named.
#include <gmock/gmock.h>

#include <chrono>
#include <set>
#include <thread>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class ExperimentTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  }
  fs::path experiment(const std::string& more = "", const std::string& seeds = "[1, 2, 3, 4]") {
    return write("small.toml",
                 "question = \"workers\"\n[dataset]\nmake = \"digits\"\nsamples = 320\n"
                 "[fixed]\nworkload = \"lenet5\"\nthreads = 1\nepochs = 3\n" +
                     more + "[vary]\nworkers = [0, 1]\nseed = " + seeds + "\n");
  }
  std::vector<std::string> command(const std::string& what, const fs::path& file) {
    return {"experiment", what, file.string(), "--out", (folder_ / "results").string()};
  }
  std::vector<std::string> json(const std::string& what, const fs::path& file) {
    auto words = command(what, file);
    words.insert(words.end(), {"--json"});
    return words;
  }
  size_t lines() {
    const std::string text = slurp(folder_ / "results/small/results.jsonl");
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(ExperimentTest, GoesOnAfterAKill) {
  const fs::path file = experiment();
  const pid_t child = start(json("run", file));
  for (int i = 0; i < 3000 && lines() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGKILL);
  finish(child);
  const size_t before = lines();
  ASSERT_GE(before, 2u);
  ASSERT_LT(before, 8u);
  const std::string kept = slurp(folder_ / "results/small/results.jsonl");
  const Finished partial = run(json("report", file));
  EXPECT_EQ(partial.exit_code, 0) << partial.err;
  EXPECT_THAT(partial.out, HasSubstr("not all runs were measured yet"));

  const Finished done = run(json("run", file));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["runs"], 8);
  EXPECT_EQ(done.json()["reused"], before);
  EXPECT_EQ(done.json()["groups"].size(), 8u);
  EXPECT_THAT(done.err, HasSubstr(" %] "));  // progress
  EXPECT_EQ(slurp(folder_ / "results/small/results.jsonl").substr(0, kept.rfind('\n') + 1),
            kept.substr(0, kept.rfind('\n') + 1));
  EXPECT_EQ(run(json("run", file)).json()["reused"], 8);
}

// What is measured beside another session says so: in its file, its documents, its table and its
// page, now and when it is taken up again.
TEST_F(ExperimentTest, AnywayMarksWhatItMeasures) {
  std::string seeds = "[1";
  for (int seed = 2; seed <= 60; ++seed) seeds += ", " + std::to_string(seed);
  const pid_t first = start(json("run", experiment("", seeds + "]")));
  for (int i = 0; i < 3000 && lines() < 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const fs::path file = write("beside.toml",
                              "question = \"workers\"\n[dataset]\nmake = \"digits\"\nsamples = "
                              "320\n[fixed]\nworkload = \"lenet5\"\nthreads = 1\nepochs = "
                              "2\n[vary]\nworkers = [0, 1]\n");
  auto words = json("run", file);
  words.push_back("--anyway");
  const Finished beside = run(words);
  const std::string who = "process " + std::to_string(first);
  ::kill(first, SIGKILL);
  finish(first);
  ASSERT_EQ(beside.exit_code, 0) << beside.err;
  const fs::path results = folder_ / "results/beside/results.jsonl";
  EXPECT_THAT(slurp(results), HasSubstr("\"disturbed\":\"" + who));
  const auto marked = [&](const nlohmann::json& document) {
    EXPECT_THAT(document["doubts"].dump(), HasSubstr("beside " + who)) << document["doubts"];
    for (const auto& group : document["groups"]) {
      EXPECT_THAT(group["disturbed"].dump(), HasSubstr(who));
      EXPECT_THAT(group["doubts"].dump(), HasSubstr("beside " + who));
    }
  };
  marked(beside.json());
  const Finished again = run(json("run", file));
  EXPECT_EQ(again.json()["reused"], 2);
  marked(again.json());
  EXPECT_THAT(run(command("report", file)).out, HasSubstr("beside " + who));
  EXPECT_THAT(slurp(folder_ / "results/beside/report.html"), HasSubstr("beside " + who));
}

// As tune does, before anything is drawn or measured.
TEST_F(ExperimentTest, AGpuThatDoesNotComputeIsRefusedInOneLine) {
  const fs::path file = experiment();
  auto words = command("run", file);
  words.insert(words.end(), {"--device", "cuda:99"});
  const Finished refused = run(words);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("CUDA device"));
  EXPECT_THAT(refused.err, HasSubstr("HINT: use "));
  EXPECT_FALSE(fs::exists(folder_ / "results"));
}

// What the CPU measured is no answer for a GPU, and a table or a twin keeps nothing.
TEST_F(ExperimentTest, AReportIsOfItsOwnDevice) {
  const fs::path file = experiment("steps = 2\n", "[1]");
  const Finished here = run(json("run", file));
  ASSERT_EQ(here.exit_code, 0) << here.err;
  EXPECT_EQ(here.json()["compute"], "cpu");
  const auto report = [&](const std::string& device) {
    auto words = json("report", file);
    words.insert(words.end(), {"--device", device});
    return run(words);
  };
  EXPECT_EQ(report("host").json()["groups"], here.json()["groups"]);
  const Finished other = report("cuda:1");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("for networks on cuda:1"));
  EXPECT_THAT(report("twin:orin_nano").err, HasSubstr("what is simulated is not kept"));
  EXPECT_THAT(report("table:" + small_table().string()).err, HasSubstr("cannot run on table:"));
}

TEST_F(ExperimentTest, TwoRunsNeverShareResults) {
  std::string seeds = "[1";
  for (int seed = 2; seed <= 60; ++seed) seeds += ", " + std::to_string(seed);
  const fs::path file = experiment("", seeds + "]");
  const pid_t first = start(json("run", file));
  for (int i = 0; i < 3000 && lines() < 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const size_t before = lines();
  ASSERT_GE(before, 1u);
  for (const bool fresh : {false, true}) {
    auto words = json("run", file);
    words.push_back("--anyway");  // beside the first one, but not into its folder
    if (fresh) words.push_back("--fresh");
    const Finished second = run(words);
    ASSERT_EQ(second.exit_code, 2) << second.out;
    EXPECT_THAT(second.err,
                HasSubstr("experiment small is held by process " + std::to_string(first) + " ("));
    EXPECT_THAT(second.err, HasSubstr("HINT: wait until it ends, or measure into another folder"));
  }
  EXPECT_EQ(run(command("report", file)).exit_code, 0);  // reading disturbs nobody
  ::kill(first, SIGINT);
  EXPECT_EQ(finish(first).exit_code, 130);
  EXPECT_GE(lines(), before);
  EXPECT_FALSE(fs::exists(folder_ / "results/small/results.lock"));
  EXPECT_EQ(run(command("report", file)).exit_code, 0);
}

TEST_F(ExperimentTest, PipeliningNeverChangesTheLossCurve) {
  const Finished done = run(json("run", experiment("", "[1]")));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  bool said = false;
  const auto document = done.json();
  for (const auto& finding : document["findings"])
    if (finding["text"].get<std::string>().find("equal bit for bit") != std::string::npos) {
      said = true;
      EXPECT_EQ(finding["as_expected"], true);
    }
  EXPECT_TRUE(said) << done.out;
}

TEST_F(ExperimentTest, WithTheSetInTheCacheLaterEpochsReadNothing) {
  const auto words = json("run", experiment("", "[1]"));
  auto again = words;
  again.push_back("--fresh");
  Finished done = run(words);
  const auto reads = [&] {
    for (const auto& group : nlohmann::json(done.json()["groups"]))
      if (const auto& bytes = group["later"]["read_bytes"]; !bytes.is_null() && bytes != 0)
        return true;
    return false;
  };
  // Where memory is short, what is read may be the program's own code.
  for (int turn = 0; turn < 4 && done.exit_code == 0 && reads(); ++turn) done = run(again);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto document = done.json();
  for (const auto& group : document["groups"]) {
    if (group["later"]["read_bytes"].is_null()) GTEST_SKIP() << "no I/O accounting here";
    EXPECT_EQ(group["later"]["read_bytes"], 0);
    if (!group["later"]["cached"].is_null()) {
      EXPECT_GT(group["later"]["cached"], 0.99);
    }
  }
}

TEST_F(ExperimentTest, WritesAReportThatStandsAlone) {
  const fs::path file = experiment("", "[1]");
  const Finished done = run(command("run", file));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("seed 1, workers 1"));
  EXPECT_THAT(done.out, HasSubstr("report: "));
  const std::string page = slurp(folder_ / "results/small/report.html");
  EXPECT_THAT(page, HasSubstr("\"kind\":\"experiment\""));
  fs::remove(folder_ / "results/small/report.html");
  EXPECT_EQ(run(command("report", file)).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "results/small/report.html"));
}

TEST_F(ExperimentTest, APlugMeterIsJoinedAlsoAfterwards) {
  const fs::path file = experiment("", "[1]");
  ASSERT_EQ(run(command("run", file)).exit_code, 0);
  auto words = json("report", file);
  words.insert(words.end(), {"--plug", plug_log().string()});
  const Finished done = run(words);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto document = done.json();
  for (const auto& group : document["groups"])
    for (const char* part : {"first", "later"})
      EXPECT_NEAR(group[part]["energy_j"].get<double>(), 12.5 * group[part]["e2e_s"].get<double>(),
                  1e-3);
  words.back() =
      write("old.csv", "time,watts\n1767225600,5\n1767225601,5\n1767225602,5\n").string();
  const Finished old = run(words);
  EXPECT_EQ(old.exit_code, 2);
  EXPECT_THAT(old.err, HasSubstr("old.csv covers no epoch of experiment small"));
  EXPECT_EQ(old.json()["groups"].size(), 2u);
}

TEST_F(ExperimentTest, NamesWhatIsWrong) {
  const Finished unknown =
      run(command("run", write("bad.toml", "question = \"workers\"\nx = 1\n")));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("bad.toml:2: unknown key 'x'"));
  const Finished nothing = run(command("report", experiment()));
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing was measured for experiment small"));
  const Finished data =
      run(command("run", write("none.toml", "question = \"workers\"\n[fixed]\nepochs = 1\n")));
  EXPECT_EQ(data.exit_code, 2);
  EXPECT_THAT(data.err, HasSubstr("experiment none has no dataset"));
  EXPECT_EQ(run(command("run", "/no/such.toml")).exit_code, 2);
}

TEST_F(ExperimentTest, RunsAtAnotherSize) {
  const fs::path file = experiment("", "[1]");
  auto words = json("run", file);
  words.insert(words.end(), {"--scale", "0.1"});
  const Finished small = run(words);
  ASSERT_EQ(small.exit_code, 0) << small.err;
  EXPECT_THAT(small.json()["fingerprint"].get<std::string>(), HasSubstr("digits-32-"));
  // Figures of one size are none of another.
  EXPECT_EQ(run(json("run", file)).json()["reused"], 0);
  EXPECT_EQ(run(words).json()["reused"], 2);
  words.insert(words.end(), {"--data", folder_.string()});
  const Finished own = run(words);
  EXPECT_EQ(own.exit_code, 2);
  EXPECT_THAT(own.err, HasSubstr("--scale is for a dataset that the experiment makes"));
}

TEST_F(ExperimentTest, ASampleCacheNeedsToKnowOfWhichMemory) {
  const Finished done = run(command("run", experiment("cache_pct = 50\n", "[1]")));
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("cache_pct is a share of a memory that is not limited"));
}

TEST_F(ExperimentTest, KnobsThatThisMachineLacksAreNamed) {
  for (const char* name : {"dvfs", "power_modes"}) {
    const Finished done = run(command(
        "run", fs::path(FLYBALL_SOURCE_DIR) / "experiments" / (std::string(name) + ".toml")));
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_THAT(done.err, HasSubstr("this machine has no knob for it"));
  }
}

}  // namespace
}  // namespace flyball::testing_tools
