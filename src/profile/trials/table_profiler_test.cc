#include "profile/trials/table_profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "profile/trials/chosen_modes.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

WorkloadTable table_over(std::vector<Axis> axes) {
  WorkloadTable table;
  table.device = "board";
  table.workload = "net";
  table.power_total = "module";
  for (Axis& axis : axes) {
    const auto values = axis.values;
    axis = named_axis(axis.name, values);
  }
  const Space grid = Space::grid(axes);
  table.space = Space(axes);
  for (size_t i = 0; i < grid.size(); ++i)
    table.add(grid.row(i), 10.0 + static_cast<double>(i), 5.0 + static_cast<double>(i));
  return table;
}

Settings default_of(const Profiler& profiler) {
  return profiler.space().settings(profiler.default_config());
}

TEST(TableProfiler, DefaultIsMaxnForTheBoardAndPlainForTheRun) {
  const auto profiler = make_table_profiler(table_over({{"cpu_cores", "", {1, 2, 4}},
                                                        {"gpu_mhz", "", {300, 900}},
                                                        {"batch_size", "", {1, 4, 16, 64}},
                                                        {"loader_workers", "", {0, 2, 4}},
                                                        {"prefetch", "", {0, 2}}}));
  EXPECT_EQ(default_of(*profiler), (Settings{{"cpu_cores", 4},
                                             {"gpu_mhz", 900},
                                             {"batch_size", 16},
                                             {"loader_workers", 0},
                                             {"prefetch", 0}}));
  EXPECT_THAT(profiler->default_reason(), HasSubstr("(MAXN), batch_size 16, loader_workers 0"));
}

TEST(TableProfiler, OnlyTheHighestRowOfTheWholeTableIsMaxn) {
  const WorkloadTable whole = table_over({{"cpu_cores", "", {1, 2}}, {"gpu_mhz", "", {300, 900}}});
  const auto trials = [](const WorkloadTable& table, std::vector<AxisChoice> axes) {
    return table_trials(table, axes, {}).value().profiler;
  };
  const auto all = trials(whole, {});
  EXPECT_TRUE(all->info().default_is_highest);
  EXPECT_EQ(all->default_reason(), "the highest value of each board axis (MAXN)");
  const auto narrowed = trials(whole, {{"gpu_mhz", {300}, {}}});
  EXPECT_FALSE(narrowed->info().default_is_highest);
  EXPECT_EQ(narrowed->default_reason(),
            "the highest value of each board axis as far as it is open (not MAXN: gpu_mhz is "
            "narrowed)");
  EXPECT_EQ(narrowed->table()->size(), 4u);
  EXPECT_TRUE(trials(whole, {{"gpu_mhz", {900}, {}}})->info().default_is_highest);
  const auto without = make_table_profiler(take_rows(whole, std::array<size_t, 3>{0, 1, 2}));
  EXPECT_FALSE(without->info().default_is_highest);
  EXPECT_EQ(without->default_reason(),
            "the mode nearest to the highest value of each board axis (not MAXN: none has all of "
            "them)");
}

TEST(TableProfiler, SaysHowManyRowsRepeatOthers) {
  WorkloadTable table = table_over({{"cpu_mhz", "", {300, 900}}});
  EXPECT_TRUE(make_table_profiler(table)->info().gaps.empty());
  table.add(table.space.row(0), 12, 5);
  const auto profiler = make_table_profiler(table);
  EXPECT_EQ(profiler->space().size(), 2u);
  EXPECT_THAT(profiler->info().gaps, ElementsAre(HasSubstr("1 repeated row of ")));
  EXPECT_EQ(profiler->measure(0)->minibatch_ms, 11);
}

// Stored trials and imports of one table stand for those of an equal one alone.
TEST(TableProfiler, TablesThatDifferInAxesOrPowerTotalAloneHaveFingerprintsOfTheirOwn) {
  const auto fingerprint = [](const WorkloadTable& table) {
    return make_table_profiler(table)->info().fingerprint;
  };
  const WorkloadTable cpu = table_over({{"cpu_mhz", "", {300, 900}}});
  EXPECT_EQ(fingerprint(cpu), fingerprint(table_over({{"cpu_mhz", "", {300, 900}}})));
  EXPECT_NE(fingerprint(cpu), fingerprint(table_over({{"gpu_mhz", "", {300, 900}}})));
  WorkloadTable monitor = cpu;
  monitor.power_total = "monitor";
  EXPECT_NE(fingerprint(cpu), fingerprint(monitor));
}

TEST(TableProfiler, AConstantRunSettingIsNoPartOfTheReason) {
  const auto profiler =
      make_table_profiler(table_over({{"cpu_cores", "", {1, 2}}, {"batch_size", "", {16}}}));
  EXPECT_EQ(profiler->default_reason(), "the highest value of each board axis (MAXN)");
}

TEST(TableProfiler, RepeatsAreOneConfigurationWithTheirMedian) {
  WorkloadTable table = table_over({{"cpu_cores", "", {1, 2}}});
  for (double time : {30.0, 50.0}) table.add(table.space.row(0), time, time);
  const auto profiler = make_table_profiler(table);
  ASSERT_EQ(profiler->space().size(), 2u);
  const auto measured = profiler->measure(0);
  ASSERT_TRUE(measured.ok());
  EXPECT_DOUBLE_EQ(measured->minibatch_ms, 30);
  EXPECT_EQ(measured->provenance, Provenance::table);
  EXPECT_EQ(measured->power->total, "module");
}

TEST(TableProfiler, WhatWasNotMeasuredDoesNotBecomeSo) {
  WorkloadTable table = table_over({{"cpu_cores", "", {1, 2, 4, 8}}});
  table.provenance = {Provenance::measured, Provenance::table, Provenance::simulated,
                      Provenance::predicted};
  const auto mixed = make_table_profiler(table);
  EXPECT_EQ(mixed->info().provenance, Provenance::table);
  const std::vector<Provenance> known = {Provenance::table, Provenance::table,
                                         Provenance::simulated, Provenance::predicted};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(mixed->measure(i)->provenance, known[i]) << i;
  table.provenance.assign(4, Provenance::simulated);
  const auto simulated = make_table_profiler(table);
  EXPECT_EQ(simulated->info().provenance, Provenance::simulated);
  EXPECT_NE(simulated->info().fingerprint, mixed->info().fingerprint);
}

TEST(TableProfiler, MissingPowerIsAStatedGapOfItsRow) {
  WorkloadTable table = table_over({{"cpu_cores", "", {1, 2}}});
  table.power_w[1] = std::numeric_limits<double>::quiet_NaN();
  const auto profiler = make_table_profiler(table);
  EXPECT_EQ(profiler->info().power_gap, "");
  EXPECT_TRUE(profiler->measure(0)->power.has_value());
  const auto gap = profiler->measure(1);
  ASSERT_TRUE(gap.ok());
  EXPECT_FALSE(gap->power.has_value());
  EXPECT_THAT(gap->power_gap, HasSubstr("no power for this configuration"));
}

TEST(TableProfiler, AnUnknownConfigurationIsAnError) {
  const auto profiler = make_table_profiler(table_over({{"cpu_cores", "", {1, 2}}}));
  EXPECT_FALSE(profiler->measure(2).ok());
}

TEST(TableProfiler, TheFingerprintFollowsTheContent) {
  WorkloadTable table = table_over({{"cpu_cores", "", {1, 2}}});
  const std::string before = make_table_profiler(table)->info().fingerprint;
  EXPECT_EQ(make_table_profiler(table)->info().fingerprint, before);
  table.minibatch_ms[0] += 1e-9;
  EXPECT_NE(make_table_profiler(table)->info().fingerprint, before);
}

}  // namespace
}  // namespace flyball
