#include "space/public_tables.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Imported> read(const std::string& format, const std::string& text, const std::string& file,
                      const std::vector<std::string>& clauses = {}) {
  for (const PublicFormat& known : public_formats())
    if (known.name == format) return known.read(text, file, parse_import_map(clauses).value());
  return Error{};
}

std::string tidy(const Result<Imported>& imported) {
  return imported.ok() ? format_table(imported->table.workloads) : imported.error().message;
}

TEST(PublicTables, PowerTrainsTrainingIsReadWhateverTheOrderOfItsColumns) {
  const auto imported = read("powertrain",
                             "cpu,cores,gpu,observed_power,mem,observed_time\n"
                             "268800,2,1300500000,17.7045,204000000,1105.0670776367188\n"
                             "422400,12,114750000,18.758,2133000000,649.5\n",
                             "somewhere/mobnet_train_data_final.csv");
  EXPECT_EQ(
      tidy(imported),
      "device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w\n"
      "orin_agx,mobilenet_v3,train,16,2,268.8,1300.5,204,1105.0670776367188,17.7045\n"
      "orin_agx,mobilenet_v3,train,16,12,422.4,114.75,2133,649.5,18.758\n");
}

TEST(PublicTables, TheFirstOfRepeatsCountsAndRowsWithGapsAreLeftOutByNumber) {
  const auto imported = read("powertrain",
                             "cores,cpu,gpu,mem,observed_time,bs,observed_power\n"
                             "4,422400,114750000,665600000,77.5,1.0,13\n"
                             "4,422400,114750000,665600000,99,1.0,13\n"
                             "4,422400,114750000,665600000,150,4.0,13.5\n"
                             "4,422400,114750000,665600000,,16.0,13.5\n"
                             "4,422400,114750000,665600000,600,32.0,0\n",
                             "resnet_infer_data_final.csv");
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  ASSERT_EQ(imported->table.workloads.size(), 1u);
  const WorkloadTable& table = imported->table.workloads.front();
  EXPECT_EQ(table.title(), "resnet50 infer on orin_agx");
  EXPECT_THAT(table.minibatch_ms, ElementsAre(77.5, 150));
  EXPECT_THAT(imported->notes, ElementsAre("2 rows with an empty field or a zero are left out",
                                           "1 row repeats a configuration: its first row counts"));
}

TEST(PublicTables, RepeatsThatContradictTheFirstAreNamed) {
  const auto imported = read("powertrain",
                             "cores,cpu,gpu,mem,observed_time,bs,observed_power\n"
                             "4,422400,114750000,665600000,2149.6,1.0,13\n"
                             "4,422400,114750000,665600000,900,1.0,13\n",
                             "resnet_infer_data_final.csv");
  ASSERT_TRUE(imported.ok()) << imported.error().message;
  EXPECT_THAT(imported->notes, ElementsAre("1 row repeats a configuration: its first row counts",
                                           "1 of these contradicts it (line 3: 2149.6 and 900)"));
}

TEST(PublicTables, AFileOfAnotherNameHasToBeNamed) {
  const std::string text =
      "cores,cpu,gpu,mem,observed_time,observed_power\n2,1000000,5e8,2e8,10,15\n";
  const auto unnamed = read("powertrain", text, "mine.csv");
  ASSERT_FALSE(unnamed.ok());
  EXPECT_THAT(unnamed.error().message, HasSubstr("does not say the workload"));
  EXPECT_THAT(unnamed.error().hint, HasSubstr("--map workload==VALUE"));
  const auto named = read("powertrain", text, "mine.csv",
                          {"workload==net", "phase==train", "device==nano", "batch_size==8"});
  ASSERT_TRUE(named.ok()) << named.error().message;
  EXPECT_EQ(named->table.workloads.front().title(), "net train on nano");
}

TEST(PublicTables, BoflsJsonIsReadByBoardAndDataSet) {
  const auto imported = read(
      "bofl", R"({"115200,114750000,204000000": [2.5, 12.5], "115200,114750000,8e8": [2, 12]})",
      "clone/TX2/ImageNet.json");
  EXPECT_EQ(
      tidy(imported),
      "device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w\n"
      "tx2,resnet50,train,8,6,115.2,114.75,204,2500,5\n"
      "tx2,resnet50,train,8,6,115.2,114.75,800,2000,6\n");
}

TEST(PublicTables, WhatDoesNotHoldTogetherIsNamed) {
  const auto complaint = [](const Result<Imported>& imported) {
    return imported.ok() ? "none" : imported.error().message;
  };
  const std::string file = "resnet_train_data_final.csv", json = "AGX/CIFAR10.json";
  EXPECT_THAT(complaint(read("powertrain", "cores,cpu\n1,2\n", file)),
              HasSubstr("no column 'gpu'"));
  EXPECT_THAT(
      complaint(read("powertrain", "cores,cpu,gpu,mem,observed_time,observed_power\n2,x,3,4,5,6\n",
                     file)),
      HasSubstr("resnet_train_data_final.csv:2"));
  EXPECT_THAT(
      complaint(read("powertrain", "cores,cpu,gpu,mem,observed_time,observed_power\n2,1,3,4,0,6\n",
                     file)),
      HasSubstr("no whole row"));
  EXPECT_THAT(complaint(read("bofl", "[1, 2]", json)), HasSubstr("no JSON object"));
  EXPECT_THAT(complaint(read("bofl", R"({"1,2": [1, 2]})", json)), HasSubstr("entry '1,2'"));
  EXPECT_THAT(complaint(read("bofl", R"({"1,2,3": [0, 2]})", json)), HasSubstr("entry '1,2,3'"));
  EXPECT_THAT(complaint(read("bofl", R"({"1,2,3": [1]})", json)), HasSubstr("entry '1,2,3'"));
  EXPECT_THAT(complaint(import_public("powerbrain", "x.csv", {})),
              HasSubstr("no format 'powerbrain'"));
  EXPECT_THAT(
      complaint(import_public("bofl", "x.json", parse_import_map({"device=board"}).value())),
      HasSubstr("knows its columns"));
}

}  // namespace
}  // namespace flyball
