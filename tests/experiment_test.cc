// `flyball experiment`: a run that is killed goes on, reports are made, bad files are named.
#include <gmock/gmock.h>

#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "base/files.h"
#include "command_testing.h"
#include "schema_testing.h"

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
  nlohmann::json stored_runs() { return run({"runs", "list", "--json"}).json()["runs"]; }
  nlohmann::json shown(int number) {
    const Finished done = run({"runs", "show", std::to_string(number), "--json"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.json();
  }
  // Of all starts, what they measured themselves.
  size_t measured() {
    size_t rows = 0;
    for (const auto& one : stored_runs())
      rows += one["measurements"].get<size_t>() - one["reused"].get<size_t>();
    return rows;
  }
  void wait_for(size_t rows) {
    for (int i = 0; i < 1000 && measured() < rows; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  static std::string many_seeds(int count) {
    std::string seeds = "[1";
    for (int seed = 2; seed <= count; ++seed) seeds += ", " + std::to_string(seed);
    return seeds + "]";
  }
};

TEST_F(ExperimentTest, GoesOnAfterAKill) {
  const fs::path file = experiment("", many_seeds(10));
  const pid_t child = start(json("run", file));
  wait_for(2);
  ::kill(child, SIGKILL);
  finish(child);
  const size_t before = measured();
  ASSERT_GE(before, 2u);
  ASSERT_LT(before, 20u);
  ASSERT_EQ(stored_runs().size(), 1u);
  EXPECT_EQ(stored_runs()[0]["state"], "interrupted");
  EXPECT_EQ(stored_runs()[0]["workload"], "small");
  const auto kept = shown(1)["experiment_runs"];
  const Finished partial = run(json("report", file));
  EXPECT_EQ(partial.exit_code, 0) << partial.err;
  EXPECT_THAT(partial.out, HasSubstr("not all runs were measured yet"));

  const Finished done = run(json("run", file));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["runs"], 20);
  EXPECT_EQ(done.json()["reused"], before);
  EXPECT_EQ(done.json()["groups"].size(), 20u);
  EXPECT_THAT(done.err, HasSubstr(" %] "));  // progress
  ASSERT_EQ(stored_runs().size(), 1u) << "it went on with its run";
  const auto whole = shown(1);
  EXPECT_EQ(whole["state"], "done");
  EXPECT_EQ(whole["answer"]["groups"], done.json()["groups"]);
  std::set<std::string> distinct;
  for (const auto& one : whole["experiment_runs"]) distinct.insert(one["settings"].dump());
  EXPECT_EQ(distinct.size(), 20u);
  ASSERT_EQ(whole["experiment_runs"].size(), 20u) << "nothing is measured twice";
  for (size_t i = 0; i < before; ++i) EXPECT_EQ(whole["experiment_runs"][i], kept[i]);

  EXPECT_EQ(run(json("run", file)).json()["reused"], 20);
  EXPECT_EQ(shown(2)["reused"], 20);
  EXPECT_EQ(measured(), 20u);
  EXPECT_THAT(run({"runs", "show", "2"}).out, HasSubstr("workers 1, seed 10"));
}

// What is measured beside another session says so: in the store, its documents, its table and its
// page, now and when it is taken up again.
TEST_F(ExperimentTest, AnywayMarksWhatItMeasures) {
  const pid_t first = start(json("run", experiment("", many_seeds(60))));
  wait_for(1);
  const fs::path file = write("beside.toml",
                              "question = \"workers\"\n[dataset]\nmake = \"digits\"\nsamples = "
                              "320\n[fixed]\nworkload = \"lenet5\"\nthreads = 1\nepochs = "
                              "2\n[vary]\nworkers = [0, 1]\n");
  auto words = json("run", file);
  words.push_back("--force");
  const Finished beside = run(words);
  const std::string who = "process " + std::to_string(first);
  ::kill(first, SIGKILL);
  finish(first);
  ASSERT_EQ(beside.exit_code, 0) << beside.err;
  EXPECT_THAT(run({"export", "--run", "2"}).out, HasSubstr("\"disturbed\":\"" + who));
  EXPECT_THAT(run({"runs", "show", "2"}).out, HasSubstr("beside " + who));
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
  EXPECT_THAT(refused.err, HasSubstr("there is no cuda:99 here"));
  EXPECT_THAT(refused.err, HasSubstr("HINT: "));
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
  EXPECT_THAT(other.err, HasSubstr("there is no cuda:1 here"));
  EXPECT_THAT(report("twin:orin_nano").err, HasSubstr("what is simulated is not kept"));
  EXPECT_THAT(report("table:" + small_table().string()).err, HasSubstr("cannot run on table:"));
}

TEST_F(ExperimentTest, TwoAtOnceAreRefusedAsOfTune) {
  const fs::path file = experiment("", many_seeds(60));
  const pid_t first = start(json("run", file));
  wait_for(1);
  const size_t before = measured();
  ASSERT_GE(before, 1u);
  for (const bool fresh : {false, true}) {
    auto words = json("run", file);
    if (fresh) words.push_back("--fresh");
    const Finished second = run(words);
    ASSERT_EQ(second.exit_code, 2) << second.out;
    EXPECT_THAT(second.err, HasSubstr("process " + std::to_string(first) + " ("));
    EXPECT_THAT(second.err, HasSubstr("--wait"));
  }
  EXPECT_EQ(stored_runs().size(), 1u) << "the second one begins nothing";
  EXPECT_EQ(stored_runs()[0]["state"], "running");
  EXPECT_EQ(run(command("report", file)).exit_code, 0);  // reading disturbs nobody
  ::kill(first, SIGINT);
  EXPECT_EQ(finish(first).exit_code, 130);
  EXPECT_GE(measured(), before);
  EXPECT_EQ(stored_runs()[0]["state"], "interrupted");
  EXPECT_EQ(run(command("report", file)).exit_code, 0);
}

// --store, --no-store and --fresh as of tune.
TEST_F(ExperimentTest, TheStoreIsNamedOrLeftOut) {
  const fs::path file = experiment("steps = 2\n", "[1]");
  auto words = json("run", file);
  words.push_back("--no-store");
  ASSERT_EQ(run(words).exit_code, 0);
  EXPECT_TRUE(stored_runs().empty());
  EXPECT_THAT(run(json("report", file)).err, HasSubstr("nothing was measured"));
  const std::string other = (folder_ / "other.db").string();
  words.back() = "--store=" + other;
  ASSERT_EQ(run(words).exit_code, 0);
  EXPECT_TRUE(stored_runs().empty());
  EXPECT_EQ(run(words).json()["reused"], 2);
  words.push_back("--fresh");
  EXPECT_EQ(run(words).json()["reused"], 0);
  auto report = json("report", file);
  report.insert(report.end(), {"--store", other});
  EXPECT_EQ(run(report).json()["runs"], 2);
  auto twin = json("run", file);
  twin.insert(twin.end(), {"--device", "twin:orin_nano", "--no-store"});
  EXPECT_THAT(run(twin).err, HasSubstr("--no-store"));
}

TEST_F(ExperimentTest, ItsRunsGoFromStoreToStore) {
  const fs::path file = experiment("steps = 2\n", "[1]"), lines = folder_ / "runs.jsonl";
  const auto groups = nlohmann::json(run(json("run", file)).json()["groups"]);
  ASSERT_EQ(run({"export", "--run", "1", "--out", lines.string()}).exit_code, 0);
  environment_["FLYBALL_STORE"] = (folder_ / "other.db").string();
  const std::vector<std::string> import = {"import", "--format", "experiment", lines.string(),
                                           "--json"};
  const Finished taken = run(import);
  ASSERT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_EQ(taken.json()["rows"], 2);
  EXPECT_EQ(run(import).json()["already_there"][0]["run"], 1);
  EXPECT_EQ(run(json("report", file)).json()["groups"], groups);
  EXPECT_EQ(run(json("run", file)).json()["reused"], 2);
  EXPECT_EQ(run({"export", "--run", "1"}).out, slurp(lines));
  for (const char* other : {"--board=host", "--workload=lenet5"})
    EXPECT_THAT(run({"export", "--run", "1", other}).err, HasSubstr("run 1 is an experiment"));
  EXPECT_EQ(run({"runs", "delete", "1"}).exit_code, 0);
  EXPECT_EQ(shown(2)["experiment_runs"].size(), 2u) << "what it took over stays";
}

// As a board that idle power was measured on keeps it.
TEST_F(ExperimentTest, BaseLoadGoesFromStoreToStore) {
  const fs::path file = experiment("steps = 2\n", "[1]"), lines = folder_ / "runs.jsonl";
  ASSERT_EQ(run(json("run", file)).exit_code, 0);
  ASSERT_EQ(run({"export", "--run", "1", "--out", lines.string()}).exit_code, 0);
  std::string text = slurp(lines);
  const std::string place = "\"epochs\":[";
  for (size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += 20 + place.size())
    text.insert(at, "\"base_w\":6.5,");
  ASSERT_THAT(text, HasSubstr("base_w"));
  ASSERT_TRUE(write_file(lines, text).ok());
  environment_["FLYBALL_STORE"] = (folder_ / "other.db").string();
  ASSERT_EQ(run({"import", "--format", "experiment", lines.string()}).exit_code, 0);
  const Finished kept = run({"runs", "show", "1", "--json"});
  ASSERT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_THAT(schema_faults("runs", kept.json()), testing::IsEmpty());
  for (const auto& one : SortedJson(kept.json()["experiment_runs"])) EXPECT_EQ(one["base_w"], 6.5);
  EXPECT_EQ(run(json("report", file)).json()["groups"][0]["first"]["base_w"], 6.5);
}

// Before there was a store for them, they lay in a file of their own.
TEST_F(ExperimentTest, AnEarlierResultsFileIsTakenIn) {
  const fs::path file = experiment("steps = 2\n", "[1]");
  const Finished before = run(json("run", file));
  ASSERT_EQ(before.exit_code, 0) << before.err;
  // The conditions stood behind the fingerprint, and where the set was drawn was not told.
  const std::string fingerprint = before.json()["fingerprint"];
  const std::string told = fingerprint.substr(0, fingerprint.find(", samples drawn in "));
  std::string text;
  std::istringstream exported(run({"export", "--run", "1"}).out);
  for (std::string line; std::getline(exported, line);) {
    auto json = nlohmann::json::parse(line);
    json.erase("device");
    json.erase("conditions");
    json["fingerprint"] = told;
    text += json.dump() + "\n";
  }
  const fs::path old = write("results/small/results.jsonl", text + "{\"cut off");
  environment_["FLYBALL_STORE"] = (folder_ / "other.db").string();
  const Finished again = run(json("run", file));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("the 2 runs of " + old.string() + " are in the store now"));
  EXPECT_EQ(again.json()["reused"], 2);
  EXPECT_EQ(again.json()["groups"], before.json()["groups"]);
  EXPECT_EQ(again.json()["fingerprint"], fingerprint);
  EXPECT_EQ(measured(), 2u) << "those of the file";
  EXPECT_EQ(run(json("report", file)).err.find("are in the store now"), std::string::npos);
  EXPECT_EQ(slurp(old), text + "{\"cut off") << "it is left as it is";

  write("results/small/results.jsonl", "nonsense\n");
  const Finished broken = run(json("run", file));
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, HasSubstr("results.jsonl:1: this is no JSON"));
}

// Not even the results of an earlier version are taken in.
TEST_F(ExperimentTest, ADryRunReadsTheStoreAndLeavesItAsItIs) {
  const fs::path file = experiment("steps = 2\n", "[1]");
  ASSERT_EQ(run(json("run", file)).exit_code, 0);
  write("results/small/results.jsonl", run({"export", "--run", "1"}).out);
  const std::string before = slurp(folder_ / "store.db");
  const auto look = [&](const std::vector<std::string>& more) {
    auto words = json("run", file);
    words.push_back("--dry-run");
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.err, "");
    return done.json();
  };
  const auto known = look({});
  EXPECT_EQ(known["roles"][0]["held"], 2);
  EXPECT_EQ(known["seconds"]["value"], 0) << "nothing is left to measure";
  EXPECT_TRUE(slurp(folder_ / "store.db") == before) << "the store was written";
  const auto fresh = look({"--fresh"});
  EXPECT_EQ(fresh["roles"][0]["held"], 2) << "as of tune";
  EXPECT_GT(fresh["seconds"]["value"], 0);
  const auto other = look({"--store", write("other.db", "no store\n").string()});
  EXPECT_EQ(other["roles"][0]["held"], 0);
  EXPECT_THAT(other["notes"].dump(), HasSubstr("the store was not looked at: "));
  EXPECT_EQ(look({"--no-store"})["roles"][0]["held"], 0);
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

}  // namespace
}  // namespace flyball::testing_tools
