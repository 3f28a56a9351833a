#include "space/import_map.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Imported> import(const std::string& text, const std::vector<std::string>& clauses) {
  const auto map = parse_import_map(clauses);
  if (!map.ok()) return map.error();
  return import_table(parse_csv(text, "log.csv").value(), map.value());
}

const std::vector<std::string> clauses = {"device==orin_agx",     "workload=net",    "phase==train",
                                          "cpu_mhz=cpu_khz:kHz",  "gpu_mhz=gpu:Hz",  "cpu_cores=n",
                                          "minibatch_ms=time:us", "power_w=total:mW"};
const std::string foreign_head = "net,n,cpu_khz,gpu,time,total,timestamp\n";

TEST(ImportMap, RenamesColumnsAndConvertsUnits) {
  const auto imported = import(foreign_head +
                                   "lenet5,4,1190400,114750000,10500,31500,17:00\n"
                                   "lenet5,4,268800,114750000,30250.5,,17:01\n",
                               clauses);
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_THAT(imported->ignored_columns, ElementsAre("timestamp"));
  EXPECT_EQ(format_table(imported->table.workloads),
            "device,workload,phase,cpu_mhz,gpu_mhz,cpu_cores,minibatch_ms,power_w\n"
            "orin_agx,lenet5,train,1190.4,114.75,4,10.5,31.5\n"
            "orin_agx,lenet5,train,268.8,114.75,4,30.2505,\n");
}

// They may as well be figures.
TEST(ImportMap, ColumnsThatNobodyKnowsAreNamed) {
  const std::string tidy =
      "device,workload,phase,cpu_mhz,temperature_c,fan,depth:run,minibatch_ms\n"
      "orin,net,train,1190.4,40,2,3,10\n";
  EXPECT_THAT(import(tidy, {})->notes,
              ElementsAre("temperature_c, fan are taken for axes of the board; leave out of the "
                          "file what is no setting"));
  EXPECT_THAT(import(tidy, {"cpu_mhz=cpu_mhz"})->notes, IsEmpty()) << "they are ignored";
}

TEST(ImportMap, KnowsEveryUnit) {
  const auto value = [](const std::string& target, const std::string& unit) {
    const auto map = parse_import_map({target + "=x:" + unit});
    EXPECT_TRUE(map.ok()) << map.error().message;
    return 3 * map->front().multiply / map->front().divide;
  };
  EXPECT_EQ(value("cpu_mhz", "Hz"), 3e-6);
  EXPECT_EQ(value("cpu_mhz", "kHz"), 3e-3);
  EXPECT_EQ(value("dla_mhz", "MHz"), 3);
  EXPECT_EQ(value("cpu_mhz", "GHz"), 3000);
  EXPECT_EQ(value("power_w", "mW"), 3e-3);
  EXPECT_EQ(value("power_limit_w", "W"), 3);
  EXPECT_EQ(value("power_w", "kW"), 3000);
  EXPECT_EQ(value("minibatch_ms", "ns"), 3e-6);
  EXPECT_EQ(value("minibatch_ms", "us"), 3e-3);
  EXPECT_EQ(value("minibatch_ms", "ms"), 3);
  EXPECT_EQ(value("minibatch_ms", "s"), 3000);
  EXPECT_EQ(value("minibatch_ms", "min"), 180000);
  EXPECT_EQ(value("settle_s", "ms"), 3e-3);
}

TEST(ImportMap, TakesTidyColumnsThatNobodyMaps) {
  const auto imported =
      import("device,net,phase,cpu_mhz,gpu_mhz,t,minibatch_ms\no,n,train,1,2,9,3\n",
             {"workload=net", "gpu_mhz==7"});
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(format_table(imported->table.workloads),
            "device,workload,phase,gpu_mhz,cpu_mhz,minibatch_ms,power_w\no,n,train,7,1,3,\n");
  EXPECT_THAT(imported->ignored_columns, ElementsAre("gpu_mhz", "t"));
}

TEST(ImportMap, WithoutClausesTheTableMustBeTidy) {
  const std::string tidy = "device,workload,phase,odd_axis,minibatch_ms,power_w\no,n,train,1,3,4\n";
  const auto imported = import(tidy, {});
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(format_table(imported->table.workloads), tidy);
  EXPECT_THAT(imported->ignored_columns, IsEmpty());
  EXPECT_THAT(import(foreign_head, {}).error().hint, HasSubstr("--map"));
}

// Bounds of predictions are no readings: that they are not taken is told.
TEST(ImportMap, WhatATidyTableHasBesideItsFiguresIsToldAsIgnored) {
  const auto csv = parse_csv(
      "device,workload,phase,gpu_mhz,minibatch_ms,minibatch_ms_lo90,minibatch_ms_hi90,power_w\n"
      "o,n,train,900,10,9,11,20\n",
      "t.csv");
  const auto imported = import_table(*csv, {});
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(imported->ignored_columns,
            (std::vector<std::string>{"minibatch_ms_lo90", "minibatch_ms_hi90"}));
}

TEST(ImportMap, RowsThatContradictOthersAreToldInOneLine) {
  const auto notes = [](const std::string& rows) {
    const auto csv =
        parse_csv("device,workload,phase,gpu_mhz,minibatch_ms,power_w\n" + rows, "t.csv");
    return import_table(*csv, {})->notes;
  };
  EXPECT_THAT(notes("o,n,train,900,100,20\no,n,train,900,190,20\no,n,train,800,300,9\n"),
              IsEmpty());
  EXPECT_THAT(notes("o,n,train,900,2149.6,20\no,n,train,900,900,20\no,n,train,800,900,20\n"),
              ElementsAre("n train on o: rows of 1 configuration contradict each other (gpu_mhz "
                          "900: 900 and 2149.6 ms); their median counts"));
  EXPECT_THAT(
      notes("o,n,train,900,9,20\no,n,train,900,9,50\no,n,train,800,9,1\no,n,train,800,9,3\n"),
      ElementsAre("n train on o: rows of 2 configurations contradict each other (gpu_mhz "
                  "800: 1 and 3 W, …); their median counts"));
}

TEST(ImportMap, AColumnWithoutANameIsIgnoredWhereColumnsAreMapped) {
  const std::string pandas = ",device,net,phase,cpu_mhz,minibatch_ms\n0,o,n,train,1,3\n";
  const auto imported = import(pandas, {"workload=net"});
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_EQ(imported->table.workloads[0].space.dimensions(), 1u);
  EXPECT_THAT(import(pandas, {}).error().message, HasSubstr("log.csv:1: column 1 has no name"));
  EXPECT_THAT(import(pandas, {"workload=net", "device=="}).error().message,
              HasSubstr("log.csv:2: column 'device': is empty"));
}

TEST(ImportMap, AColonOfTheColumnNeedsOneMore) {
  const auto map =
      parse_import_map({"cpu_mhz=cpu:freq:", "gpu_mhz=gpu:freq:kHz", "power_w = total : mW "});
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ((*map)[0].source, "cpu:freq");
  EXPECT_EQ((*map)[0].unit, "");
  EXPECT_EQ((*map)[1].source, "gpu:freq");
  EXPECT_EQ((*map)[1].unit, "kHz");
  EXPECT_EQ((*map)[2].target, "power_w");
  EXPECT_EQ((*map)[2].source, "total");
}

TEST(ImportMap, ABadClauseIsNamedWithTheRemedy) {
  const auto error = [](const std::vector<std::string>& given) {
    const auto map = parse_import_map(given);
    EXPECT_FALSE(map.ok());
    return map.ok() ? "" : map.error().message + " | " + map.error().hint;
  };
  EXPECT_THAT(error({"cpu_mhz"}), AllOf(HasSubstr("--map cpu_mhz:"), HasSubstr("TARGET=COLUMN")));
  EXPECT_THAT(error({"=x"}), HasSubstr("TARGET=COLUMN"));
  EXPECT_THAT(error({"cpu_mhz="}), HasSubstr("names no column"));
  EXPECT_THAT(error({"cpu_mhz=:kHz"}), HasSubstr("names no column"));
  EXPECT_THAT(error({"cpu_mhz=x:mW"}),
              AllOf(HasSubstr("'mW' is not a unit of frequency"), HasSubstr("Hz, kHz, MHz, GHz")));
  EXPECT_THAT(error({"cpu_cores=x:kHz"}), HasSubstr("'cpu_cores' has no unit"));
  EXPECT_THAT(error({"a=x", "a=y"}), HasSubstr("'a' is given twice"));
  EXPECT_THAT(error({"phase==sleep"}), HasSubstr("'sleep' is not a phase"));
  EXPECT_THAT(error({"batch_size==many"}), HasSubstr("'many' is not a number"));
  EXPECT_THAT(error({"batch_size==inf"}), HasSubstr("'inf' is not a number"));
  EXPECT_THAT(error({"device==b\xf6rd"}), HasSubstr("is not UTF-8"));
}

TEST(ImportMap, AMissingColumnIsNamedAndTheOneThatWasMeant) {
  const auto imported = import(foreign_head, {"workload=nett"});
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.error().code, Code::not_found);
  EXPECT_THAT(imported.error().message, HasSubstr("log.csv has no column 'nett'"));
  EXPECT_THAT(imported.error().hint, HasSubstr("'net'"));
}

TEST(ImportMap, ABadRowIsNamedByFileLineAndForeignColumn) {
  const std::string good = "lenet5,4,1190400,114750000,10500,31500,17:00\n";
  const auto complaint = [&](const std::string& row) {
    const auto imported = import(foreign_head + good + row, clauses);
    EXPECT_FALSE(imported.ok());
    return imported.ok() ? "" : imported.error().message;
  };
  EXPECT_THAT(complaint("lenet5,4,fast,114750000,1,2,x\n"),
              HasSubstr("log.csv:3: column 'cpu_khz': 'fast' is not a number"));
  EXPECT_THAT(complaint("lenet5,4,1,114750000,-1,2,x\n"), HasSubstr("log.csv:3: column 'time'"));
  EXPECT_THAT(complaint("lenet5,4,1,114750000,1,0,x\n"), HasSubstr("log.csv:3: column 'total'"));
  EXPECT_THAT(complaint("lenet5,4,1,,1,5,x\n"), HasSubstr("log.csv:3: column 'gpu'"));
  EXPECT_THAT(complaint("lenet5,-4,1,1,1,5,x\n"),
              HasSubstr("log.csv:3: column 'n': '-4': it takes whole"));
  EXPECT_THAT(complaint(",4,1,1,1,5,x\n"), HasSubstr("log.csv:3: column 'net': is empty"));
}

}  // namespace
}  // namespace flyball
