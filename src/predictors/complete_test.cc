#include "predictors/complete.h"

#include <gmock/gmock.h>

#include "base/distributions.h"
#include "base/statistics.h"

namespace flyball {
namespace {

// Of a program with a run setting of its own: one configuration measured once, one twice.
WorkloadTable measured() {
  WorkloadTable table;
  table.device = "o", table.workload = "n";
  Axis depth = named_axis("depth");
  depth.scope = Scope::run;
  table.space = Space(std::vector<Axis>{depth, named_axis("gpu_mhz")});
  const auto add = [&](double own, double gpu, double ms) {
    table.add(std::vector<double>{own, gpu}, ms, 20 + gpu / 100, Provenance::measured);
  };
  add(-1, 300, 30), add(-1, 600, 16), add(-1, 600, 15), add(-1, 900, 10), add(2, 300, 60);
  add(2, 900, 21);
  return table;
}

CompletedTable completed() {
  Axis depth = named_axis("depth", {-1, 2});
  depth.scope = Scope::run;
  const auto all = complete(
      measured(), Space::grid({depth, named_axis("gpu_mhz", {300, 600, 900})}), {}, "gp", {1});
  EXPECT_TRUE(all.ok()) << all.error().message;
  return *all;
}

TEST(Completed, ReadsBackWithItsScopesAndValues) {
  const std::string text = format_completed(completed());
  EXPECT_NE(text.find(",depth:run,gpu_mhz,"), std::string::npos) << text;
  const auto table = parse_table(parse_csv(text, "t.csv").value());
  ASSERT_TRUE(table.ok()) << table.error().message;
  const WorkloadTable& rows = table->workloads.front();
  EXPECT_EQ(rows.size(), 6u);
  const Trial trial = rows.space.trial(0, "n", Phase::train);
  EXPECT_EQ(trial.job.settings, (Settings{{"depth", -1}}));
  EXPECT_EQ(trial.mode.values, (Settings{{"gpu_mhz", 300}}));
}

// What is predicted does not take the place of a reading.
TEST(Completed, WhereNoPowerWasReadNoneIsGiven) {
  WorkloadTable some = measured();
  some.power_w[0] = not_known;
  const auto all = complete(some, completed().table.space, {}, "gp", {1});
  ASSERT_TRUE(all.ok()) << all.error().message;
  for (size_t i = 0; i < all->table.size(); ++i)
    EXPECT_EQ(std::isnan(all->table.power_w[i]), i == 0) << i;
  EXPECT_TRUE(std::isnan(all->power_lo90[0]) && std::isnan(all->power_hi90[0]));
  EXPECT_EQ(all->table.provenance[0], Provenance::measured);
  EXPECT_THAT(all->notes,
              testing::Contains("of 1 profiled configuration no power was read, and none is given "
                                "there"));
}

TEST(Completed, IntervalsOfRepeatsAreThoseOfSoFewReadings) {
  const CompletedTable all = completed();
  // Of one reading nothing is known of its spread, which is no interval of no width.
  EXPECT_EQ(all.table.minibatch_ms[0], 30);
  EXPECT_TRUE(std::isnan(all.time_lo90[0]));
  EXPECT_TRUE(std::isnan(all.time_hi90[0]));
  // Of two, Student's t with one degree of freedom, in logarithms.
  const double half = t90(1) * std::log(16.0 / 15) / 2;
  EXPECT_NEAR(all.table.minibatch_ms[1], 15.5, 1e-12);
  EXPECT_NEAR(all.time_hi90[1], 15.5 * std::exp(half), 1e-9);
  EXPECT_NEAR(all.time_lo90[1], 15.5 * std::exp(-half), 1e-9);
}

}  // namespace
}  // namespace flyball
