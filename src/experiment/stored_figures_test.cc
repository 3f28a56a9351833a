#include "experiment/stored_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/os/temp_folder.h"
#include "base/statistics.h"
#include "experiment/fingerprint.h"
#include "experiment/run_figures_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class StoredFiguresTest : public testing::Test {
 protected:
  StoredFiguresTest() : store_(Store::open(folder_ / "a.db").value()) {}

  std::filesystem::path file(const std::string& text) {
    const auto path = folder_ / "results.jsonl";
    std::ofstream(path, std::ios::trunc) << text;
    return path;
  }
  // As programs wrote it that had no store for runs of experiments.
  static std::string earlier_line(const RunFigures& run) {
    auto json = run_json(run);
    json["fingerprint"] = with_conditions(run.fingerprint, run.conditions);
    json.erase("device");
    json.erase("conditions");
    return json.dump() + "\n";
  }

  const TempFolder folder_;
  Store store_;
};

TEST_F(StoredFiguresTest, AreReadBack) {
  const int64_t run = store_.begin_run({}).value();
  RunFigures figures = some_run(2);
  figures.device = "host";
  figures.conditions = Conditions{{"CPU governor", "powersave"}};
  figures.repeat = 3;
  figures.residency = {{.clock = "gpu_mhz", .step_mhz = 0, .values = {{.mhz = 408, .share = 1}}}};
  ASSERT_TRUE(store_.add_experiment_run(row_of(figures), run).ok());
  const auto back = stored_figures(store_, {.run = run});
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back->size(), 1u);
  EXPECT_EQ(run_json(back->front().figures), run_json(figures));
  EXPECT_EQ(back->front().run, run);
  EXPECT_EQ(back->front().conditions, "this machine; under CPU governor powersave");
  EXPECT_EQ(back->front().key, run_key(some_run(2).settings, 3));
  EXPECT_NE(back->front().key, run_key(some_run(2).settings, 0));
  EXPECT_NE(back->front().key, run_key(some_run(1).settings, 3));
}

// One training whose loss is no number hides none of the others.
TEST_F(StoredFiguresTest, ADivergedTrainingIsARunLikeOthers) {
  const int64_t run = store_.begin_run({}).value();
  RunFigures lost = some_run(1);
  lost.losses[1] = lost.epochs[0].loss = not_known;
  for (const RunFigures& one : {some_run(0), lost})
    ASSERT_TRUE(store_.add_experiment_run(row_of(one), run).ok());
  const auto all = stored_figures(store_, {});
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  EXPECT_TRUE(diverged(all->back().figures));
}

TEST_F(StoredFiguresTest, ADamagedRowIsNamed) {
  const int64_t run = store_.begin_run({}).value();
  ExperimentRun row = row_of(some_run(0));
  row.figures = "[1";
  ASSERT_TRUE(store_.add_experiment_run(row, run).ok());
  const auto back = stored_figures(store_, {.run = run});
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().code, Code::corrupt);
  EXPECT_THAT(back.error().message, HasSubstr("run 1 of the store holds a damaged run"));
}

// A file of an earlier version that is taken in late is no newer than what was measured since.
TEST_F(StoredFiguresTest, StandInTheOrderInWhichTheyWereMeasured) {
  RunFigures now = some_run(0), then = some_run(1);
  now.started_utc = "2026-04-01T00:00:00Z";
  then.started_utc = "2026-03-01T00:00:00Z";
  const int64_t run = store_.begin_run({}).value();
  for (const RunFigures& one : {now, then})
    ASSERT_TRUE(store_.add_experiment_run(row_of(one), run).ok());
  const auto all = stored_figures(store_, {}).value();
  EXPECT_EQ(all[0].figures.settings.workers, 1);
  EXPECT_EQ(all[1].figures.settings.workers, 0);
  EXPECT_EQ(stored_figures(store_, {.run = run})->front().figures.settings.workers, 0);
}

TEST_F(StoredFiguresTest, AFileOfAnEarlierVersionIsTakenInOnce) {
  RunFigures drawn = some_run(0), own = some_run(2), unknown = some_run(1);
  drawn.fingerprint = "a CPU; data digits-64";
  own.fingerprint = "a CPU; data /photos";
  drawn.conditions = own.conditions = Conditions{{"CPU governor", "powersave"}, {"procedure", "2"}};
  const auto path =
      file(earlier_line(drawn) + earlier_line(own) + earlier_line(unknown) + "{\"cut");
  const auto taken = take_in_results(store_, path, "flyball experiment run", "host", "/out");
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_FALSE(taken->there);
  EXPECT_EQ(taken->run.experiment_runs, 3u);
  EXPECT_EQ(taken->run.state, RunState::done);
  EXPECT_EQ(taken->run.request.device, "host");
  const auto rows = stored_figures(store_, {.run = taken->run.id}).value();
  ASSERT_EQ(rows.size(), 3u);
  // As one says it of a run that is measured now.
  Conditions now = *drawn.conditions;
  now.merge(drawn_in("/out"));
  EXPECT_EQ(rows[0].conditions, with_conditions(drawn.fingerprint, now));
  EXPECT_EQ(rows[1].conditions, with_conditions(own.fingerprint, own.conditions));
  EXPECT_EQ(rows[2].figures.conditions, std::nullopt);
  EXPECT_EQ(rows[0].figures.device, "host");
  EXPECT_EQ(rows[0].figures.epochs[0].e2e_s, 3);

  const auto again = take_in_results(store_, path, "flyball experiment report", "host", "/out");
  EXPECT_TRUE(again->there);
  EXPECT_EQ(again->run.id, taken->run.id);
  EXPECT_EQ(store_.runs()->size(), 1u);
}

TEST_F(StoredFiguresTest, ABrokenFileLeavesTheStoreAsItIs) {
  const auto path = file(earlier_line(some_run(0)) + "nonsense\n" + earlier_line(some_run(1)));
  const auto taken = take_in_lines(store_, path, "flyball import");
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message, HasSubstr("results.jsonl:2: this is no JSON"));
  EXPECT_TRUE(store_.runs()->empty());
}

// As a copy that failed leaves it: whoever imports it is not to lose a run without a word.
TEST_F(StoredFiguresTest, AFileThatIsCutOffOrEmptyIsNotImported) {
  const auto message = [&](const std::string& text) {
    return take_in_lines(store_, file(text), "flyball import").error().message;
  };
  EXPECT_THAT(message(earlier_line(some_run(0)) + "{\"cut"),
              HasSubstr("results.jsonl:2: the last line is cut off"));
  EXPECT_THAT(message(""), HasSubstr("results.jsonl holds no runs"));
  EXPECT_TRUE(store_.runs()->empty());
}

}  // namespace
}  // namespace flyball
