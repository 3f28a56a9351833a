#include "experiment/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

RunFigures some_run(int workers) {
  RunFigures run;
  run.settings.workers = workers;
  run.settings.medium = "slow disk";
  run.fingerprint = "this machine";
  run.started_utc = "2026-03-01T12:30:05Z";
  run.losses = {2.5, 1.25};
  run.power_gap = "no sensor";
  run.disturbed = "process 7 (flyball tune)";
  EpochFigures epoch{.epoch = 0, .e2e_s = 3, .stall_s = 1, .minibatches = 2};
  epoch.cached_before = 0.5;
  epoch.file_bytes = 3e6;
  epoch.cache_bytes = 1e6;
  epoch.minibatch_ms = spread_of({1, 2, 3, 4});
  run.epochs = {epoch};
  return run;
}

TEST(Spread, HoldsTheQuartilesAndThePicture) {
  const Spread spread = spread_of({4, 1, 3, 2, 5});
  EXPECT_EQ(spread.min, 1);
  EXPECT_EQ(spread.q1, 2);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.max, 5);
  EXPECT_EQ(spread.quantiles.size(), 51u);
  EXPECT_TRUE(std::is_sorted(spread.quantiles.begin(), spread.quantiles.end()));
  EXPECT_TRUE(spread_of({}).quantiles.empty());
}

TEST(ResultsFile, KeepsWhatTheGpuDid) {
  RunFigures run = some_run(0);
  GpuUse use;
  use.load_pct = 93;
  use.clock_mhz = 1300.5;
  take_gpu(run.epochs[0], use);
  take_gpu(run.epochs[0], {});  // nothing is known: nothing changes
  const auto again = parse_run(run_json(run));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->epochs[0].gpu_load_pct, 93);
  EXPECT_EQ(again->epochs[0].gpu_mhz, 1300.5);
  EXPECT_FALSE(again->epochs[0].gpu_memory_bytes);
}

TEST(ResultsFile, ReadsLinesFromBeforeGpusWereTold) {
  auto line = run_json(some_run(0));
  for (const char* key : {"gpu_load_pct", "gpu_mhz", "gpu_memory_bytes"})
    ASSERT_EQ(line["epochs"][0].erase(key), 1u) << key;
  const auto run = parse_run(line);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_FALSE(run->epochs[0].gpu_load_pct);
  EXPECT_EQ(run->epochs[0].e2e_s, 3);
}

TEST(ResultsFile, ReadsBackWhatItWrote) {
  const TempFolder folder;
  const auto path = folder / "deep/results.jsonl";
  auto file = ResultsFile::open(path);
  ASSERT_TRUE(file.ok());
  for (int workers : {0, 2}) ASSERT_TRUE(file->append(some_run(workers)).ok());
  const auto again = ResultsFile::open(path);
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_EQ(again->runs().size(), 2u);
  for (int i : {0, 1}) EXPECT_EQ(run_json(again->runs()[i]), run_json(file->runs()[i]));
  EXPECT_NE(again->find(some_run(2).settings, 0, "this machine"), nullptr);
  EXPECT_EQ(again->find(some_run(2).settings, 1, "this machine"), nullptr);
  EXPECT_EQ(again->find(some_run(2).settings, 0, "another"), nullptr);
  EXPECT_EQ(again->find(some_run(1).settings, 0, "this machine"), nullptr);
}

// Whose run it was that ran beside it: what `experiment run --anyway` measures stays marked.
TEST(ResultsFile, ADisturbedRunStaysDisturbed) {
  EpochRun run;
  run.disturbed = "process 7 (flyball tune)";
  run.epochs.emplace_back();
  const RunFigures figures = figures_of(run, RunSettings(), 0);
  const auto again = parse_run(run_json(figures));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->disturbed, "process 7 (flyball tune)");
  auto older = run_json(figures);
  older.erase("disturbed");
  EXPECT_EQ(parse_run(older)->disturbed, "");
}

TEST(ResultsFile, ALineThatWasCutOffIsOverwritten) {
  const TempFolder folder;
  const auto path = folder / "results.jsonl";
  ASSERT_TRUE(ResultsFile::open(path)->append(some_run(0)).ok());
  std::ofstream(path, std::ios::app) << R"({"settings": {"workload": "len)";
  auto file = ResultsFile::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->runs().size(), 1u);
  ASSERT_TRUE(file->append(some_run(2)).ok());
  const auto again = ResultsFile::open(path);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->runs().size(), 2u);
}

TEST(ResultsFile, ABrokenLineIsNamed) {
  const TempFolder folder;
  const auto path = folder / "results.jsonl";
  const auto complaint = [&](const std::string& text) {
    std::ofstream(path, std::ios::trunc) << text;
    const auto file = ResultsFile::open(path);
    return file.ok() ? "accepted" : file.error().message;
  };
  EXPECT_THAT(complaint("nonsense\n"), HasSubstr("results.jsonl:1: this is no JSON"));
  EXPECT_THAT(complaint("{}\n"), HasSubstr("results.jsonl:1: this is no run"));
  auto json = run_json(some_run(0));
  json["settings"]["workers"] = -3;
  EXPECT_THAT(complaint(json.dump() + "\n"), HasSubstr("workers cannot be -3"));
  json = run_json(some_run(0));
  json["epochs"] = nlohmann::ordered_json::array();
  EXPECT_THAT(complaint(json.dump() + "\n"), HasSubstr("a run without epochs"));
}

}  // namespace
}  // namespace flyball
