#include "experiment/run_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiment/fingerprint.h"
#include "experiment/run_figures_testing.h"

namespace flyball {
namespace {

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

TEST(RunFigures, KeepsWhatTheGpuDid) {
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

TEST(RunFigures, ReadsRunsFromBeforeGpusWereTold) {
  auto line = run_json(some_run(0));
  for (const char* key : {"gpu_load_pct", "gpu_mhz", "gpu_memory_bytes"})
    ASSERT_EQ(line["epochs"][0].erase(key), 1u) << key;
  const auto run = parse_run(line);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_FALSE(run->epochs[0].gpu_load_pct);
  EXPECT_EQ(run->epochs[0].e2e_s, 3);
}

// The device and the conditions were not told, or stood behind the fingerprint.
TEST(RunFigures, ReadsConditionsAsEarlierProgramsWroteThem) {
  RunFigures run = some_run(0);
  run.device = "host";
  run.conditions = Conditions{{"CPU governor", "powersave"}};
  auto json = run_json(run);
  EXPECT_EQ(parse_run(json)->conditions, run.conditions);
  EXPECT_EQ(parse_run(json)->device, "host");
  json.erase("device");
  json.erase("conditions");
  EXPECT_EQ(parse_run(json)->conditions, std::nullopt);
  EXPECT_EQ(parse_run(json)->device, "");
  json["fingerprint"] = with_conditions(run.fingerprint, run.conditions);
  const auto earlier = parse_run(json);
  ASSERT_TRUE(earlier.ok()) << earlier.error().message;
  EXPECT_EQ(earlier->fingerprint, "this machine");
  EXPECT_EQ(with_conditions(earlier->fingerprint, earlier->conditions), json["fingerprint"]);
}

// A loss that is no number is null in a document, and no number again when it is read.
TEST(RunFigures, ADivergedTrainingIsReadBack) {
  RunFigures run = some_run(0);
  EXPECT_FALSE(diverged(run));
  run.losses = {2.5, std::numeric_limits<double>::quiet_NaN()};
  run.epochs[0].loss = std::numeric_limits<double>::quiet_NaN();
  const auto text = run_json(run).dump();
  const auto again = parse_run(SortedJson::parse(text));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->losses[0], 2.5);
  EXPECT_TRUE(std::isnan(again->losses[1]));
  EXPECT_TRUE(std::isnan(again->epochs[0].loss));
  EXPECT_EQ(run_json(*again).dump(), text);
  EXPECT_TRUE(diverged(*again));
}

// Whose run it was that ran beside it: what `experiment run --force` measures stays marked.
TEST(RunFigures, ADisturbedRunStaysDisturbed) {
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

}  // namespace
}  // namespace flyball
