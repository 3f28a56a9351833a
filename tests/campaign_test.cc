// `flyball campaign` over simulated boards: planned, run, killed, gone on with, cancelled, told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "base/os/lock_file.h"
#include "command_testing.h"

namespace flyball {
namespace {

using namespace flyball::testing_tools;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* twins = R"(parallel = 2
[[boards]]
name = "nano"
count = 2
device = "twin:orin_nano@{n}"
[[workloads]]
name = "resnet18"
[[workloads]]
name = "mobilenet_v3"
[[questions]]
name = "tune"
options = "--profiles 10"
[[budgets]]
name = "10W"
options = "--power-budget 10W"
)";

class CampaignTest : public CommandTest {
 protected:
  // Of a twin's trials no second answer has the same times of its own.
  static nlohmann::json without_times(nlohmann::json answer) {
    for (const char* key : {"started_utc", "seconds", "own_seconds", "run", "effort", "reused"})
      answer.erase(key);
    for (auto& trial : answer["profiled"]) trial.erase("measured_utc");
    return answer;
  }
  /// Cells that take far longer than a test does, unless they are ended.
  std::string long_cells() {
    std::string text = twins;
    text.replace(text.find("\"--profiles 10\""), 15, "\"--strategy brute-force\"");
    return write("c.toml", text).string();
  }
  nlohmann::json counts_of(const std::string& file) {
    return run({"campaign", "status", file, "--json"}).json()["counts"];
  }
  void await_cell(const std::string& file) {
    for (int i = 0; i < 500 && counts_of(file)["running"] == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_GT(counts_of(file)["running"], 0);
  }
  nlohmann::json answer_of(const std::string& cell) {
    return nlohmann::json::parse(slurp(folder_ / "c.campaign/cells" / cell / "answer.json"));
  }
};

TEST_F(CampaignTest, AnswersEachCellAsThePlainCommandDoes) {
  const std::string file = write("c.toml", twins).string();
  const Finished plan = run({"campaign", "plan", file, "--json"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(plan.json()["cells"], 4);
  EXPECT_GT(plan.json()["trials"]["known"], 39);
  EXPECT_EQ(plan.json()["trials"]["unknown_cells"], 0);
  const Finished words = run({"campaign", "plan", file});
  EXPECT_THAT(words.out, HasSubstr("time of boards: none\nenergy: none\n"));
  EXPECT_THAT(words.out, Not(HasSubstr("0 us"))) << "as `tune --dry-run` says";

  const Finished done = run({"campaign", "run", file, "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["done"], 4);
  const Finished alone =
      run({"tune", "resnet18", "--device", "twin:orin_nano@2", "--profiles", "10", "--power-budget",
           "10W", "--store", (folder_ / "alone.db").string(), "--json"});
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_EQ(without_times(answer_of("nano-2.resnet18.tune.10W")), without_times(alone.json()));

  const Finished again = run({"campaign", "run", file, "--json"});
  EXPECT_EQ(again.json()["known"], 4);
  EXPECT_EQ(again.json()["done"], 0);
  const Finished report =
      run({"campaign", "report", file, "--csv", (folder_ / "a.csv").string(), "--json"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(report.json()["answers"].size(), 4u);
  EXPECT_EQ(report.json()["answers"][0]["provenance"], "simulated");
  ASSERT_EQ(report.json()["spread"].size(), 2u);
  EXPECT_GT(report.json()["spread"][0]["time_cv"], 0);
  EXPECT_THAT(slurp(folder_ / "a.csv"), HasSubstr("nano-2.mobilenet_v3.tune.10W"));
}

// What the command line took instead of the file's executor is known to the other commands.
TEST_F(CampaignTest, StatusIsOfTheExecutorThatRan) {
  std::string text = twins;
  text.replace(text.find("device"), 0, "host = \"me@127.0.0.{n}\"\n");
  const std::string file = write("c.toml", "executor = \"ssh\"\n" + text).string();
  EXPECT_EQ(run({"campaign", "status", file, "--json"}).json()["executor"], "ssh");
  const Finished done = run({"campaign", "run", file, "--executor", "local", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json status = run({"campaign", "status", file, "--json"}).json();
  EXPECT_EQ(status["executor"], "local");
  EXPECT_EQ(status["counts"]["done"], 4);
  const nlohmann::json asked =
      run({"campaign", "status", file, "--executor", "ssh", "--json"}).json();
  EXPECT_EQ(asked["counts"]["missing"], 4) << "another machine answered";
  EXPECT_THAT(run({"campaign", "cancel", file}).out,
              HasSubstr("4 of 4 have an answer\n`flyball campaign run " + file +
                        " --executor local` goes on"));
  EXPECT_EQ(run({"campaign", "report", file, "--json"}).json()["answers"][0]["state"], "done");
}

TEST_F(CampaignTest, GoesOnAfterAKill) {
  const std::string file = write("c.toml", twins).string();
  const pid_t first = start({"campaign", "run", file, "--parallel", "1"});
  const fs::path one = folder_ / "c.campaign/cells/nano-1.resnet18.tune.10W/result.json";
  for (int i = 0; i < 2000 && !fs::exists(one); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(fs::exists(one));
  ::kill(first, SIGKILL);
  int status = 0;
  ::waitpid(first, &status, 0);
  const std::string before = slurp(one);
  Finished second;
  for (int i = 0; i < 50; ++i) {  // the guard ends the cell that ran
    second = run({"campaign", "run", file, "--json"});
    if (second.exit_code == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(slurp(one), before);
  const Finished state = run({"campaign", "status", file, "--json"});
  EXPECT_EQ(state.json()["counts"]["done"], 4);
}

TEST_F(CampaignTest, CancelEndsWhatRunsAndRunGoesOn) {
  const std::string file = long_cells();
  const pid_t first = start({"campaign", "run", file});
  await_cell(file);
  const Finished cancelled = run({"campaign", "cancel", file, "--json"});
  ASSERT_EQ(cancelled.exit_code, 0) << cancelled.err;
  EXPECT_TRUE(cancelled.json()["cancelled"].get<bool>());
  EXPECT_NE(finish(first).exit_code, -1);
  const nlohmann::json after = counts_of(file);
  EXPECT_EQ(after["running"], 0);
  EXPECT_EQ(after["done"], 0);
  EXPECT_GT(after["interrupted"], 0);
  // What may not begin any more is what is asked by itself, too.
  const Finished alone = run({"campaign", "cell", file, "nano-2.mobilenet_v3.tune.10W"});
  EXPECT_THAT(alone.err, HasSubstr("the campaign is cancelled"));
  EXPECT_EQ(counts_of(file)["missing"], after["missing"]);

  write("c.toml", twins);
  const Finished again = run({"campaign", "run", file, "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.json()["done"], 4);
  EXPECT_FALSE(run({"campaign", "status", file, "--json"}).json()["cancelled"].get<bool>());
}

TEST_F(CampaignTest, ASignalEndsItsCells) {
  const std::string file = long_cells();
  const pid_t child = start({"campaign", "run", file});
  await_cell(file);
  expect_ends(child, SIGTERM);
  const nlohmann::json after = counts_of(file);
  EXPECT_EQ(after["running"], 0);
  EXPECT_GT(after["interrupted"], 0);
}

TEST_F(CampaignTest, HowItsFileIsSpelledDoesNotMatter) {
  write("c.toml", twins);
  ASSERT_EQ(run({"campaign", "run", (folder_ / "c.toml").string()}).exit_code, 0);
  fs::create_directories(folder_ / "other");
  const Finished other =
      run({"campaign", "run", (folder_ / "other/.././c.toml").string(), "--json"});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.json()["known"], 4);
  // Neither does where its folder lies.
  fs::rename(folder_ / "c.campaign", folder_ / "other/moved");
  const Finished moved = run({"campaign", "status", (folder_ / "c.toml").string(), "--out",
                              (folder_ / "other/moved").string(), "--json"});
  EXPECT_EQ(moved.json()["counts"]["done"], 4);
}

// Whoever has the first board's cell may end without an answer; those that start from it do not
// wait for ever.
TEST_F(CampaignTest, OthersWaitForAFirstBoardThatAnotherProcessHas) {
  const std::string file = write("c.toml", std::string(twins) + "[references]\ntravel = true\n");
  const fs::path cell = folder_ / "c.campaign/cells/nano-1.resnet18.tune.10W";
  fs::create_directories(cell);
  std::optional<LockFile> held = *LockFile::take(cell / "running", "the cell");
  const pid_t running = start({"campaign", "run", file, "--json"});
  std::this_thread::sleep_for(std::chrono::seconds(3));
  held.reset();
  const Finished done = finish(running);
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.json()["done"], 2) << "the other network has answers";
  EXPECT_THAT(done.err, HasSubstr("nano-2.resnet18.tune.10W"));
  EXPECT_EQ(run({"campaign", "run", file, "--json"}).json()["done"], 2);
}

// What the first board measured is exported also where it was asked before others were to learn
// from it, and what they learned counts no longer once it is asked anew.
TEST_F(CampaignTest, OthersStartFromWhatTheFirstBoardHasNow) {
  const std::string travels = std::string(twins) + "[references]\ntravel = true\n";
  std::string alone = twins;
  alone.replace(alone.find("count = 2"), 9, "count = 1");
  const std::string file = write("c.toml", alone).string();
  ASSERT_EQ(run({"campaign", "run", file}).exit_code, 0);
  write("c.toml", travels);
  const Finished second = run({"campaign", "run", file, "--json"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.json()["known"], 2);
  EXPECT_EQ(second.json()["done"], 2);
  const fs::path reference = folder_ / "c.campaign/cells/nano-1.resnet18.tune.10W/reference.csv";
  const auto rows = [&] {
    const std::string text = slurp(reference);
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto before = rows();

  std::string changed = travels;
  changed.replace(changed.find("--profiles 10"), 13, "--profiles 5 ");
  write("c.toml", changed);
  EXPECT_EQ(run({"campaign", "status", file, "--json"}).json()["counts"]["done"], 0);
  const Finished third = run({"campaign", "run", file, "--json"});
  ASSERT_EQ(third.exit_code, 0) << third.err;
  EXPECT_EQ(third.json()["done"], 4);
  // The first run's own measurements, and what it took from the store, as its answer has them.
  const nlohmann::json answer = answer_of("nano-1.resnet18.tune.10W");
  EXPECT_EQ(rows(), static_cast<long>(answer["trials"].get<size_t>()) + 1);
  EXPECT_GT(before, 0);
  EXPECT_EQ(run({"campaign", "run", file, "--json"}).json()["known"], 4);
}

// Boards of one kind count alike in both, though the conditions of each are its own.
TEST_F(CampaignTest, WhatAFleetShowsIsWhatItChooses) {
  const std::string file =
      write("c.toml", "collect = \"fleet.db\"\n" + std::string(twins)).string();
  ASSERT_EQ(run({"campaign", "run", file}).exit_code, 0);
  const std::string store = (folder_ / "fleet.db").string();
  const auto shown = run({"fleet", "show", "--store", store, "--json"}).json();
  const auto choose = [&](const std::string& board) {
    return run({"fleet", "choose", "--board", board, "--workload", "resnet18", "--store", store,
                "--accept", "simulated", "--json"});
  };
  const auto chosen = choose("orin_nano=1").json();
  int compared = 0;
  for (const auto& mode : shown["best"]) {
    if (mode["workload"] != "resnet18" || mode["objective"] != "energy") continue;
    EXPECT_NEAR(chosen["value"].get<double>() / mode["epoch_j"].get<double>(), 1, 1e-3) << mode;
    ++compared;
  }
  EXPECT_EQ(compared, 1);
  const Finished named = choose("nano-1=1");
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_THAT(named.err, HasSubstr("HINT: its trainings there are on orin_nano (nano-1, nano-2)"));
}

// Of simulated boards experiments keep no store; each benchmark has a result of its own.
TEST_F(CampaignTest, AsksExperimentsOfSimulatedBoards) {
  const std::string file = write("e.toml", R"([[boards]]
name = "agx"
device = "twin:orin_agx"
[[questions]]
name = "findings"
ask = "experiment findings"
options = "--only cards-are-faster"
[[questions]]
name = "workers"
ask = "experiment run"
options = ")" + std::string(FLYBALL_SOURCE_DIR) +
                                               R"(/experiments/workers.toml"
[[questions]]
name = "mlperf"
ask = "experiment benchmark"
options = "--only lenet5"
)")
                               .string();
  const Finished ahead = run({"campaign", "plan", file});
  EXPECT_EQ(ahead.exit_code, 0) << ahead.err;
  const Finished done = run({"campaign", "run", file});
  EXPECT_EQ(done.exit_code, 0) << done.err
                               << slurp(folder_ / "e.campaign/cells/agx.findings/log.txt")
                               << slurp(folder_ / "e.campaign/cells/agx.workers/log.txt")
                               << slurp(folder_ / "e.campaign/cells/agx.mlperf/log.txt");
  EXPECT_EQ(counts_of(file)["done"], 3);
  const auto is_result = [](const fs::directory_entry& entry) {
    return entry.path().filename().string().starts_with("benchmark-");
  };
  EXPECT_EQ(std::count_if(fs::directory_iterator(folder_ / "e.campaign/cells/agx.mlperf"),
                          fs::directory_iterator(), is_result),
            1);
  EXPECT_FALSE(fs::exists(folder_ / "e.campaign/cells/agx.findings/store.db"));
}

// A program that fails in every trial answers nothing: it may be mended, and is tried again.
TEST_F(CampaignTest, ACellWhoseTrialsAllFailedIsTriedAgain) {
  const std::string script =
      write("work.sh", "echo the disk is full of sand >&2\nexit 3\n").string();
  const std::string file = write("c.toml", R"([[boards]]
name = "me"
device = "host"
[[workloads]]
name = "work"
program = ["sh", ")" + script + R"("]
[[questions]]
name = "tune"
options = "--axis cpu_cores=1 --axis batch_size=1,2 --profiles 2 --trial-time 0.5s --force"
)")
                               .string();
  const Finished failed = run({"campaign", "run", file, "--json"});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_EQ(failed.json()["failed"], 1);
  const auto why = AllOf(HasSubstr("all 2 trials failed: "), HasSubstr("the disk is full of sand"));
  const auto status = run({"campaign", "status", file, "--json"}).json();
  EXPECT_EQ(status["cells"][0]["state"], "failed");
  EXPECT_THAT(status["cells"][0]["reason"].get<std::string>(), why);
  const auto report = run({"campaign", "report", file, "--json"}).json();
  EXPECT_EQ(report["answers"][0]["state"], "failed");
  EXPECT_THAT(report["answers"][0]["text"].get<std::string>(), why);
  EXPECT_THAT(run({"campaign", "report", file}).out, Not(HasSubstr("keeps the limits")));

  write("work.sh", "sleep 0.0$FLYBALL_BATCH_SIZE\n");
  const Finished mended = run({"campaign", "run", file, "--json"});
  EXPECT_EQ(mended.exit_code, 0) << mended.err
                                 << slurp(folder_ / "c.campaign/cells/me.work.tune/log.txt");
  EXPECT_EQ(mended.json()["done"], 1);
}

TEST_F(CampaignTest, WhatFailsIsNamedAndSaysWhy) {
  std::string text = twins;
  text.replace(text.find("mobilenet_v3"), 12, "nonesuch");
  const std::string file = write("c.toml", text).string();
  const Finished done = run({"campaign", "run", file});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("2 cells have no answer: nano-1.nonesuch"),
                              HasSubstr("campaign status " + file + "` says why")));
  const std::string other = (folder_ / "other").string();
  EXPECT_THAT(run({"campaign", "run", file, "--out", other}).err,
              AllOf(HasSubstr("campaign status " + file + " --out " + other + "` says why"),
                    HasSubstr("campaign run " + file + " --out " + other + "` tries again")));
  const auto why = HasSubstr("the network 'nonesuch' is not known to the twin");
  EXPECT_THAT(slurp(folder_ / "c.campaign/cells/nano-1.nonesuch.tune.10W/log.txt"), why);
  for (const char* asked : {"status", "report"}) {
    const auto answer = run({"campaign", asked, file, "--json"}).json();
    const auto& cells = answer[asked == std::string("status") ? "cells" : "answers"];
    for (const auto& cell : cells) {
      if (cell["state"] != "failed") continue;
      const auto& told = cell[asked == std::string("status") ? "reason" : "text"];
      EXPECT_THAT(told.get<std::string>(), why) << cell["cell"];
    }
    EXPECT_EQ(std::ranges::count(cells, "failed", [](const auto& c) { return c["state"]; }), 2);
  }
  EXPECT_THAT(run({"campaign", "status", file}).out,
              HasSubstr("note: nano-1.nonesuch.tune.10W failed: the network 'nonesuch'"));
  // As a page, too, which is never written over the campaign's file.
  const std::string page = (folder_ / "status.html").string();
  EXPECT_EQ(run({"campaign", "status", file, "--report", page}).exit_code, 0);
  EXPECT_THAT(slurp(page), HasSubstr("\"kind\":\"campaign\""));
  EXPECT_EQ(run({"campaign", "status", file, "--report", file}).exit_code, 2);
  EXPECT_EQ(slurp(file), text);
}

}  // namespace
}  // namespace flyball
