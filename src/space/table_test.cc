#include "space/table.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Table> table_of(const std::string& text) {
  const auto csv = parse_csv(text, "t.csv");
  if (!csv.ok()) return csv.error();
  return parse_table(csv.value());
}

const std::string head = "device,workload,phase,batch_size,cpu_mhz,minibatch_ms,power_w\n";

// It would be an axis, and the power lost.
TEST(Table, AKnownColumnThatIsSpelledOtherwiseIsNoAxis) {
  for (const auto& [column, meant] : {std::pair{"Power_W", "power_w"},
                                      {"CPU MHz", "cpu_mhz"},
                                      {"Batch-Size", "batch_size"},
                                      {"cpumhz:board", "cpu_mhz"},
                                      {"Provenance", "provenance"}}) {
    const auto table = table_of("device,workload,phase,cpu_cores,minibatch_ms," +
                                std::string(column) + "\norin,lenet5,train,4,10.5,31.5\n");
    ASSERT_FALSE(table.ok()) << column;
    EXPECT_THAT(table.error().message, HasSubstr("has a column '" + std::string(column) + "'"));
    EXPECT_THAT(table.error().hint, HasSubstr("did you mean '" + std::string(meant) + "'?"));
  }
}

// As `flyball tune --axis batchsize=8,16 -- PROGRAM` has it.
TEST(Table, AnAxisOfAProgramMayResembleAKnownOne) {
  WorkloadTable table;
  table.device = "orin", table.workload = "train.py";
  Axis own = named_axis("batchsize", {8, 16});
  own.scope = Scope::run;
  table.space = Space({own, named_axis("batch_size", {4})});
  table.add(std::vector<double>{8, 4}, 10, 20);
  table.add(std::vector<double>{16, 4}, 15, 21);
  const auto read = table_of(format_table(std::span(&table, 1)));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const WorkloadTable& again = read->workloads.front();
  EXPECT_EQ(again.space.axes()[0].name, "batchsize");
  EXPECT_EQ(again.space.axes()[0].scope, Scope::run);
  EXPECT_EQ(again.minibatch_ms, table.minibatch_ms);
}

TEST(Table, ReadsTheTidyForm) {
  const auto table = table_of(head +
                              "orin,lenet5,train,16,1190.4,10.5,31.5\n"
                              "orin,lenet5,train,16,268.8,30.25,\n"
                              "orin,bert,infer,1,268.8,3,12\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->workloads.size(), 2u);
  const WorkloadTable& lenet = table->workloads[0];
  EXPECT_EQ(lenet.title(), "lenet5 train on orin");
  EXPECT_EQ(lenet.space.axes()[0].name, "batch_size");
  EXPECT_EQ(lenet.space.axes()[0].scope, Scope::run);
  EXPECT_THAT(lenet.space.axes()[1].values, ElementsAre(268.8, 1190.4));
  EXPECT_THAT(lenet.minibatch_ms, ElementsAre(10.5, 30.25));
  EXPECT_TRUE(std::isnan(lenet.power_w[1]));
  EXPECT_TRUE(lenet.has_power());
  EXPECT_EQ(table->find("bert").value(), &table->workloads[1]);
  EXPECT_THAT(table->find("vgg").error().hint, HasSubstr("lenet5 (train), bert (infer)"));
  EXPECT_FALSE(table->only().ok());
}

TEST(Table, APhaseTellsWorkloadsApart) {
  const auto table = table_of(head + "o,net,train,1,2,3,4\no,net,infer,1,2,3,4\n");
  EXPECT_EQ(table->find("net").error().code, Code::invalid_argument);
  EXPECT_EQ(table->find("net", Phase::infer).value()->phase, Phase::infer);
  EXPECT_FALSE(table->find("net", Phase::train).value() ==
               table->find("net", Phase::infer).value());
}

TEST(Table, AnyOtherColumnIsAnAxis) {
  const auto table = table_of("device,workload,phase,dla_mhz,minibatch_ms\no,n,train,600,3\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->only().value()->space.axes()[0].unit, "MHz");
  EXPECT_FALSE(table->only().value()->has_power());
}

TEST(Table, AWorkloadMayLackAnAxis) {
  const std::string text = head + "o,a,train,16,268.8,3,4\no,b,train,,268.8,3,4\n";
  const auto table = table_of(text);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->workloads[0].space.dimensions(), 2u);
  EXPECT_EQ(table->workloads[1].space.dimensions(), 1u);
  EXPECT_EQ(format_table(table->workloads), text);
}

TEST(Table, KeepsTheTotalThatPowerIs) {
  const std::string text =
      "device,workload,phase,cpu_mhz,minibatch_ms,power_w,power_total\n"
      "o,a,train,268.8,3,4,module\no,b,train,268.8,3,,monitor\n";
  const auto table = table_of(text);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->workloads[0].power_total, "module");
  EXPECT_EQ(format_table(table->workloads), text);
}

TEST(Table, ABadRowIsNamedByFileLineAndColumn) {
  const auto complaint = [](const std::string& rows) {
    const auto table = table_of(head + rows);
    return table.ok() ? "none" : table.error().message;
  };
  const std::string good = "o,n,train,16,268.8,3,4\n";
  EXPECT_THAT(complaint(good + "o,n,train,16,268.8,x,4\n"),
              AllOf(HasSubstr("t.csv:3: column 'minibatch_ms'"), HasSubstr("'x'")));
  EXPECT_THAT(complaint(good + "o,n,train,16,268.8,0,4\n"),
              HasSubstr("t.csv:3: column 'minibatch_ms'"));
  EXPECT_THAT(complaint(good + "o,n,train,16,268.8,3,-4\n"),
              HasSubstr("t.csv:3: column 'power_w'"));
  EXPECT_THAT(complaint(good + "o,n,train,16,fast,3,4\n"), HasSubstr("t.csv:3: column 'cpu_mhz'"));
  EXPECT_THAT(complaint(good + "o,n,train,16,inf,3,4\n"), HasSubstr("t.csv:3: column 'cpu_mhz'"));
  EXPECT_THAT(complaint(good + "o,n,sleep,16,1,3,4\n"), HasSubstr("t.csv:3: column 'phase'"));
  EXPECT_THAT(complaint(good + "o,n,train,,268.8,3,4\n"),
              HasSubstr("t.csv:3: column 'batch_size'"));
  EXPECT_THAT(complaint("o,n,train,,268.8,3,4\n" + good),
              HasSubstr("t.csv:3: column 'batch_size'"));
  EXPECT_THAT(complaint("o,n,train,,,3,4\n"), HasSubstr("no value on any axis"));
  EXPECT_THAT(complaint(good + "o,n,train\n"), HasSubstr("t.csv:3: 3 fields"));
  EXPECT_EQ(complaint(""), "t.csv holds no rows");
  EXPECT_NE(table_of(head).error().hint, "");
}

TEST(Table, AnImpossibleRowIsNamedByFileLineAndColumn) {
  const auto complaint = [](const std::string& row) {
    const auto table = table_of(head + "o,n,train,16,268.8,3,4\n" + row);
    if (table.ok()) return std::string("none");
    EXPECT_NE(table.error().hint, "");
    return table.error().message;
  };
  EXPECT_EQ(complaint("o,n,train,-16,268.8,3,4\n"),
            "t.csv:3: column 'batch_size': '-16': it takes whole numbers from 1");
  EXPECT_THAT(complaint("o,n,train,0,268.8,3,4\n"), HasSubstr("t.csv:3: column 'batch_size'"));
  EXPECT_EQ(complaint("o,n,train,16,-1,3,4\n"),
            "t.csv:3: column 'cpu_mhz': '-1': it takes numbers above 0");
  EXPECT_EQ(complaint(",n,train,16,1,3,4\n"), "t.csv:3: column 'device': is empty");
  EXPECT_EQ(complaint("o, ,train,16,1,3,4\n"), "t.csv:3: column 'workload': is empty");
  EXPECT_EQ(complaint("o,n,train,16,1,1e300,4\n"),
            "t.csv:3: column 'minibatch_ms': 1e300 is more than 1e+09");
  EXPECT_EQ(complaint("o,n,train,16,1,3,1e300\n"),
            "t.csv:3: column 'power_w': 1e300 is more than 1e+06");
  EXPECT_EQ(complaint("o,n,train,16,1,1e9,1e6\n"), "none");
}

TEST(Table, ABadHeaderIsNamed) {
  EXPECT_THAT(table_of("device,workload,phase,cpu_mhz\n").error().message,
              HasSubstr("minibatch_ms"));
  EXPECT_THAT(table_of("device,workload,phase,minibatch_ms\n").error().message,
              HasSubstr("no axis"));
  EXPECT_THAT(table_of("device,workload,phase,a,a,minibatch_ms\n").error().message,
              HasSubstr("two columns 'a'"));
}

TEST(Table, AColumnWithoutANameIsRefused) {
  const auto table =
      table_of("# x\ndevice,workload,phase,cpu_mhz,,minibatch_ms\no,n,train,1,2,3\n");
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().message, "t.csv:2: column 5 has no name");
}

TEST(Table, TotalsOfOneWorkloadAreNotMixed) {
  const auto table = table_of(
      "device,workload,phase,cpu_mhz,minibatch_ms,power_w,power_total\n"
      "o,a,train,1,3,4,module\no,a,train,2,3,4,monitor\n");
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(table.error().message, HasSubstr("t.csv:3: column 'power_total'"));
}

TEST(Table, AnAxisThatAProgramMadeUpKeepsItsScopeInAFile) {
  WorkloadTable table;
  table.device = "o";
  table.workload = "n";
  Axis depth = named_axis("depth");
  depth.scope = Scope::run;
  table.space = Space(std::vector<Axis>{depth, named_axis("batch_size"), named_axis("gpu_mhz")});
  table.add(std::vector<double>{3, 16, 900}, 10, 20);
  const std::string text = format_table(std::span(&table, 1));
  EXPECT_NE(text.find(",depth:run,batch_size,gpu_mhz,"), std::string::npos) << text;
  const auto back = table_of(text);
  ASSERT_TRUE(back.ok()) << back.error().message;
  const Trial trial = back->workloads[0].space.trial(0, "n", Phase::train);
  EXPECT_EQ(trial.job.settings, (Settings{{"depth", 3}, {"batch_size", 16}}));
  EXPECT_EQ(trial.mode.values, (Settings{{"gpu_mhz", 900}}));
  EXPECT_EQ(format_table(back->workloads), text);
}

// The counts that the tables' own description gives; the tables are not ours to keep here.
class MeasuredTables : public testing::Test {
 protected:
  static std::filesystem::path folder() {
    const char* given = std::getenv("FLYBALL_DATA");
    return given ? given : FLYBALL_SOURCE_DIR "/../shared/data";
  }
  void SetUp() override {
    if (!std::filesystem::exists(folder() / "orin_agx__resnet18__train.csv"))
      GTEST_SKIP() << "no measured tables: FLYBALL_DATA, or ../shared/data beside the checkout";
  }
};

TEST(Table, WhatNoBoardHasIsRefused) {
  for (const char* row : {"16,0,3,4", "16,-0,3,4", "16,1e308,3,4", "1e308,268.8,3,4", "0,268.8,3,4",
                          "1.5,268.8,3,4", "16,268.8,1e-320,4", "16,268.8,3,1e-320"})
    EXPECT_FALSE(table_of(head + "o,n,train," + row + "\n").ok()) << row;
}

TEST(Table, ValuesOfAProgramsOwnAxisMayBeNegative) {
  const std::string text =
      "device,workload,phase,shift:run,gpu_mhz,minibatch_ms,power_w\no,n,train,-2.5,900,3,4\n";
  const auto table = table_of(text);
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(table->workloads[0].space.row(0)[0], -2.5);
  EXPECT_EQ(format_table(table->workloads), text);
}

TEST_F(MeasuredTables, ComeBackAsTheyWere) {
  for (const auto& file : {"orin_agx__resnet50__infer.csv", "xavier_agx__vit_b16__train.csv"}) {
    const auto table = read_table(folder() / file);
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(format_table(table->workloads), read_file(folder() / file).value()) << file;
  }
}

TEST(Table, ReadsAFile) {
  const TempFolder folder;
  ASSERT_TRUE(write_file(folder / "t.csv", head + "o,n,train,16,268.8,3,4\n").ok());
  EXPECT_EQ(read_table(folder / "t.csv")->name, (folder / "t.csv").string());
  EXPECT_EQ(read_table(folder / "none.csv").error().code, Code::not_found);
}

TEST(Table, RepeatsMergeIntoTheirMedians) {
  const Result<Table> table = table_of(head + "o,n,train,16,100,3,4\no,n,train,16,200,9,\n" +
                                       "o,n,train,16,100,5,8\no,n,train,16,100,4,6\n");
  const WorkloadTable merged = merge_repeats(table->workloads.front());
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged.minibatch_ms, (std::vector<double>{4, 9}));
  EXPECT_EQ(merged.power_w[0], 6);
  EXPECT_TRUE(std::isnan(merged.power_w[1]));
}

TEST(Table, ReadsWhatPredictWritesAndKnowsWhatWasPredicted) {
  const Result<Table> table = table_of(
      "device,workload,phase,gpu_mhz,minibatch_ms,power_w,minibatch_ms_lo90,minibatch_ms_hi90,"
      "power_w_lo90,power_w_hi90,extrapolated,provenance\n"
      "o,n,train,100,3,4,3,3,4,4,0,measured\no,n,train,200,2,5,1,3,4,6,1,predicted\n");
  ASSERT_TRUE(table.ok()) << table.error().message;
  const WorkloadTable& all = table->workloads.front();
  EXPECT_EQ(all.space.dimensions(), 1u);
  EXPECT_EQ(all.known(0), Provenance::measured);
  EXPECT_EQ(all.known(1), Provenance::predicted);
  size_t dropped = 0;
  EXPECT_EQ(accepted_rows(all, {.predicted = true}, dropped).size(), 2u);
  const WorkloadTable known = accepted_rows(all, {}, dropped);
  EXPECT_EQ(dropped, 1u);
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known.minibatch_ms[0], 3);
  EXPECT_EQ(known.space.axes()[0].values, std::vector<double>{100});
}

TEST(Table, KeepsHowItsRowsAreKnown) {
  const std::string text =
      "device,workload,phase,gpu_mhz,minibatch_ms,power_w,provenance\n"
      "o,n,train,100,3,4,measured\no,n,train,200,2,5,predicted\no,n,train,300,1,6,simulated\n"
      "o,n,train,400,1,7,table\n";
  const Table table = table_of(text).value();
  EXPECT_EQ(format_table(table.workloads), text);
  const WorkloadTable part = take_rows(table.workloads.front(), std::array<size_t, 2>{2, 3});
  EXPECT_EQ(part.known(0), Provenance::simulated);
  EXPECT_EQ(part.known(1), Provenance::table);
  EXPECT_EQ(merge_repeats(part).known(0), Provenance::simulated);
}

TEST(Table, WithoutTheColumnItsRowsAreOfATable) {
  const std::string plain =
      "device,workload,phase,gpu_mhz,minibatch_ms,power_w\no,n,train,100,3,4\n";
  const Table table = table_of(plain).value();
  EXPECT_EQ(table.workloads.front().known(0), Provenance::table);
  EXPECT_EQ(format_table(table.workloads), plain);
  const Table blank = table_of(
                          "device,workload,phase,gpu_mhz,minibatch_ms,power_w,provenance\n"
                          "o,n,train,100,3,4,\no,n,train,200,2,5,measured\n")
                          .value();
  EXPECT_EQ(blank.workloads.front().known(0), Provenance::table);
  EXPECT_EQ(blank.workloads.front().known(1), Provenance::measured);
}

TEST(Table, MeasuredRepeatsOutdoPredictedOnes) {
  const Table table = table_of(
                          "device,workload,phase,gpu_mhz,minibatch_ms,power_w,provenance\n"
                          "o,n,train,100,30,4,predicted\no,n,train,100,3,5,measured\n"
                          "o,n,train,200,8,4,simulated\no,n,train,200,40,5,predicted\n"
                          "o,n,train,300,8,4,measured\no,n,train,300,6,5,table\n")
                          .value();
  const WorkloadTable merged = merge_repeats(table.workloads.front());
  EXPECT_EQ(merged.minibatch_ms, (std::vector<double>{3, 8, 7}));
  EXPECT_EQ(merged.known(0), Provenance::measured);
  EXPECT_EQ(merged.known(1), Provenance::simulated);
  EXPECT_EQ(merged.known(2), Provenance::table);
}

}  // namespace
}  // namespace flyball
