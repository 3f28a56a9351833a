#include "store/exchange.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/os/temp_folder.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* tidy =
    "device,workload,phase,batch_size,cpu_mhz,minibatch_ms,power_w,power_total\n"
    "orin,lenet5,train,16,1190.4,10.5,31.5,module\n"
    "orin,lenet5,train,16,268.8,30.25,,module\n"
    "orin,lenet5,infer,1,268.8,3.125,12.75,module\n";

Table table_of(const std::string& text) {
  return parse_table(parse_csv(text, "t.csv").value()).value();
}

TEST(Exchange, ATableComesBackThroughTheStoreAsItWas) {
  const TempFolder folder;
  auto store = Store::open(folder.path());
  ASSERT_TRUE(store.ok());
  const Table table = table_of(tidy);
  std::vector<Measurement> all;
  for (const WorkloadTable& workload : table.workloads) {
    const auto some = measurements_of(workload, "t.csv", "2026-03-01T12:30:05Z");
    all.insert(all.end(), some.begin(), some.end());
  }
  const auto run = store->add_run(sample_request(), all, "");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(store->run(run.value())->state, RunState::done);
  EXPECT_EQ(store->run(run.value())->measurements, 3u);
  const auto stored = store->run_measurements(run.value());
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->front().measurement, all.front());
  EXPECT_EQ(format_table(tables_of(*stored)), tidy);
}

TEST(Exchange, HowARowIsKnownSurvivesTheStore) {
  const TempFolder folder;
  const std::string text =
      "device,workload,phase,gpu_mhz,minibatch_ms,power_w,provenance\n"
      "orin,net,train,100,30,10,predicted\norin,net,train,200,20,15,measured\n"
      "orin,net,train,300,10,20,simulated\norin,net,train,400,9,25,table\n";
  {
    auto store = Store::open(folder.path());
    ASSERT_TRUE(store.ok());
    const Table table = table_of(text);
    ASSERT_TRUE(store->add_measurements(measurements_of(table.workloads[0], "t.csv", "")).ok());
  }
  auto store = Store::open(folder.path());
  const auto stored = store->measurements({}).value();
  EXPECT_EQ(stored[0].measurement.provenance, Provenance::predicted);
  EXPECT_EQ(stored[0].measurement.conditions, Conditions());
  EXPECT_EQ(format_table(tables_of(stored)), text);
}

TEST(Exchange, RowsKeepModeAndJobApart) {
  const Table table = table_of(tidy);
  const Measurement m = measurements_of(table.workloads[0], "t.csv", "")[1];
  EXPECT_EQ(m.provenance, Provenance::table);
  EXPECT_EQ(m.trial.mode.values, (Settings{{"cpu_mhz", 268.8}}));
  EXPECT_EQ(m.trial.job.settings, (Settings{{"batch_size", 16}}));
  EXPECT_FALSE(m.power.has_value());
  EXPECT_FALSE(m.power_gap.empty());
}

TEST(Exchange, TotalsAndAxesAreNeverMixed) {
  std::vector<StoredMeasurement> stored;
  for (int i = 0; i < 6; ++i) stored.push_back({i + 1, sample_measurement(i), false});
  stored[0].measurement.power.reset();
  stored[2].measurement.power->total = "monitor";
  stored[3].measurement.trial.job.settings["prefetch"] = 2;
  stored[4].measurement.failure = "out of memory";
  const auto tables = tables_of(stored);
  ASSERT_THAT(tables, SizeIs(3));
  EXPECT_EQ(tables[0].power_total, "module");
  EXPECT_THAT(tables[0].minibatch_ms, ElementsAre(100, 100.1, 100.5));
  EXPECT_TRUE(std::isnan(tables[0].power_w[0]));
  EXPECT_EQ(tables[1].power_total, "monitor");
  EXPECT_EQ(tables[1].size(), 1u);
  EXPECT_TRUE(tables[2].space.axis_index("prefetch").has_value());
  EXPECT_EQ(tables[2].space.axes()[0].scope, Scope::run);
}

TEST(Exchange, NothingGivesNothing) {
  EXPECT_THAT(tables_of({}), SizeIs(0));
}

TEST(Exchange, WorkloadsOfAFileAreTakenOnce) {
  const TempFolder folder;
  auto store = *Store::open(folder.path());
  Imported imported;
  imported.table = table_of(tidy);
  imported.ignored_columns = {"remark"};
  const auto first = take_in(store, imported, "flyball import t.csv");
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->rows, 3u);
  EXPECT_THAT(first->titles, ElementsAre("lenet5 train on orin", "lenet5 infer on orin"));
  EXPECT_THAT(first->there, IsEmpty());
  EXPECT_THAT(store.runs()->front().answer, HasSubstr("remark"));
  imported.table.workloads[1].minibatch_ms[0] = 4;
  const auto again = take_in(store, imported, "flyball import t.csv");
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(again->titles, ElementsAre("lenet5 infer on orin"));
  ASSERT_THAT(again->there, SizeIs(1));
  EXPECT_EQ(again->there[0].title, "lenet5 train on orin");
  EXPECT_EQ(again->there[0].run.rows(), 2u);
}

TEST(Exchange, OneFileHasOneSetOfAxesAndOfAWorkloadOneTotal) {
  std::vector<WorkloadTable> tables = table_of(tidy).workloads;
  EXPECT_TRUE(check_one_file(tables).ok());
  tables.push_back(tables.front());
  tables.back().power_total = "";
  EXPECT_THAT(check_one_file(tables).error().message, HasSubstr("module, and one without a name"));
  tables.back() = tables.front();
  tables.back().space = Space({named_axis("cpu_mhz")});
  EXPECT_THAT(check_one_file(tables).error().message, HasSubstr("different axes"));
}

TEST(Exchange, CountsWhatATableHasNoColumnFor) {
  std::vector<StoredMeasurement> trials(3);
  trials[0].measurement.conditions = Conditions{{"dataset", "a"}};
  trials[1].measurement.conditions = Conditions{{"dataset", "b"}};
  EXPECT_EQ(count_conditions(trials), 3u) << "of the third nothing is known";
  trials[2].measurement.conditions = trials[1].measurement.conditions;
  EXPECT_EQ(count_conditions(trials), 2u);
  EXPECT_EQ(count_doubtful(trials), 0u);
}

// Two boards may be called the same, and one's own has no name.
TEST(Exchange, BoardsOfRowsAreTold) {
  std::vector<StoredMeasurement> trials(4);
  EXPECT_THAT(boards_of(trials), ElementsAre(""));
  trials[0].board = trials[0].board_name = "nx8";
  trials[1].board = trials[1].board_name = "nx8";
  trials[2].board = "a1";
  trials[2].board_name = "nx7";
  EXPECT_THAT(boards_of(trials), ElementsAre("", "nx7", "nx8"));
  trials[3].board = "a2";
  trials[3].board_name = "nx7";
  EXPECT_THAT(boards_of(trials), ElementsAre("nx7", "nx7", "nx8"));
}

}  // namespace
}  // namespace flyball
