#include "device/registry/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/os/temp_folder.h"
#include "device/host/nvidia_tree_testing.h"
#include "telemetry/sensors/nvidia_gpus.h"

namespace flyball {
namespace {

using testing::HasSubstr;

TEST(BoardName, IsReadOnceAndMeansTheSameEverywhere) {
  EXPECT_EQ(parse_board("")->kind, BoardName::Kind::host);
  EXPECT_EQ(parse_board("cpu")->kind, BoardName::Kind::host);
  EXPECT_EQ(parse_board("cuda")->argument, "");
  EXPECT_EQ(parse_board("cuda:1")->argument, "1");
  EXPECT_EQ(parse_board("table:/a:b.csv")->argument, "/a:b.csv");
  EXPECT_EQ(parse_board("table:/a:b.csv")->text(), "table:/a:b.csv");
}

TEST(BoardName, WhatIsNoneIsNamedWithThoseThereAre) {
  const auto unknown = parse_board("jetsom");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message, HasSubstr("'jetsom'"));
  EXPECT_EQ(unknown.error().hint, "did you mean 'jetson'?");
  for (const BoardKind& kind : board_kinds())
    EXPECT_THAT(parse_board("warp drive").error().hint, HasSubstr(kind.usage()));
  for (const char* text : {"table:", "table", "cuda:", "host:1", "host:"}) {
    const auto bad = parse_board(text);
    ASSERT_FALSE(bad.ok()) << text;
    EXPECT_THAT(bad.error().hint, HasSubstr("write ")) << text;
  }
}

TEST(BoardName, ABareNameMayBeThatOfABoardThatIsNotHere) {
  for (const char* name : {"orin_nano", "my board", "jetsom"})
    EXPECT_TRUE(may_name_absent_board(name)) << name;
  for (const char* text : {"", "cpu", "host", "jetson", "table", "table:", "twin:orin", "orin:1"})
    EXPECT_FALSE(may_name_absent_board(text)) << text;
  EXPECT_THAT(parse_board("orin_nano").error().hint,
              testing::StartsWith("twin:orin_nano simulates one; one of: host"));
  EXPECT_THAT(parse_board("thor").error().hint, testing::StartsWith("one of: host"));
}

TEST(Board, ThisMachineHasKnobsAndSaysWhereItComputes) {
  const auto board = open_board("");
  ASSERT_TRUE(board.ok());
  EXPECT_TRUE((*board)->live());
  EXPECT_EQ((*board)->info().compute, "cpu");
  EXPECT_EQ((*board)->info().device.name, "host");
  EXPECT_EQ((*board)->info().provenance, Provenance::measured);
  const auto knobs = (*board)->knobs();
  ASSERT_TRUE(knobs.ok());
  EXPECT_TRUE(find_axis((*knobs)->axes(), axis::cpu_cores));
  const auto power = (*board)->power();
  EXPECT_NE(power->total().empty(), power->gap().empty());  // one of the two is said
}

TEST(Board, NumbersOfAGpuAreNotThoseOfTheCpu) {
  const NvidiaTree tree;
  const auto cpu = open_board("host", tree.root()), gpu = open_board("cuda:1", tree.root());
  ASSERT_TRUE(gpu.ok());
  EXPECT_EQ((*gpu)->info().compute, "cuda:1");
  EXPECT_NE((*gpu)->info().device.name, (*cpu)->info().device.name);
  EXPECT_NE((*gpu)->info().device.fingerprint, (*cpu)->info().device.fingerprint);
  EXPECT_FALSE(open_board("cuda:first").ok());
}

TEST(Board, AGpuThatIsNotHereIsNeverThisMachineInstead) {
  const NvidiaTree two;
  EXPECT_EQ(open_board("cuda:2", two.root()).error().message, "there is no cuda:2 here");
  const TempFolder root;
  const auto none = open_board("cuda", root.path());
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("there is no cuda here: no NVIDIA management"));
  EXPECT_THAT(none.error().hint, HasSubstr("leave --device out"));
  // A driver whose library is not to be seen, as in some containers.
  std::filesystem::create_directories(root / "proc/driver/nvidia");
  EXPECT_TRUE(open_board("cuda", root.path()).ok());
}

TEST(Board, ATableIsReadAndNeverSet) {
  const TempFolder folder;
  const auto file = folder / "t.csv";
  std::ofstream(file) << "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w\n"
                         "orin_agx,net,train,16,300,80,8\norin_agx,net,train,16,600,50,12\n";
  const auto board = open_board("table:" + file.string());
  ASSERT_TRUE(board.ok());
  EXPECT_FALSE((*board)->live());
  EXPECT_EQ((*board)->info().device.name, "orin_agx");
  EXPECT_EQ((*board)->info().compute, "");
  EXPECT_EQ((*board)->info().provenance, Provenance::table);
  EXPECT_EQ((*board)->table()->workloads.at(0).size(), 2u);
  EXPECT_THAT((*board)->knobs().error().message, HasSubstr("no knobs"));
  EXPECT_FALSE(open_board("table:" + (folder / "none.csv").string()).ok());
}

TEST(Board, TrialsOfABoardThatIsOpenedAreNotAskedOfTheStore) {
  EXPECT_EQ(*stored_board("orin_nano"), "orin_nano");
  EXPECT_EQ(*stored_board("cpu"), "host");
  EXPECT_EQ(*stored_board("twin:orin_nano"), std::nullopt);
  EXPECT_EQ(*stored_board("table:t.csv"), std::nullopt);
  EXPECT_THAT(stored_board("cuda:0").error().message, HasSubstr("cuda:0 is a board to measure"));
}

TEST(Board, AProgramRunsOnThisMachineAlone) {
  EXPECT_TRUE((*open_board("host"))->check_runs_programs().ok());
  const Status twin = (*open_board("twin:orin_nano"))->check_runs_programs();
  ASSERT_FALSE(twin.ok());
  EXPECT_EQ(twin.error().message, "a program cannot run on twin:orin_nano");
}

TEST(Board, OfAGpuThatNoLibraryKnowsTheEnvironmentSaysNothing) {
  const TempFolder root;
  EXPECT_TRUE(gpu_environment({BoardName::Kind::host, ""}, root.path())->empty());
  EXPECT_TRUE(gpu_environment({BoardName::Kind::cuda, "0"}, root.path())->empty());
  EXPECT_FALSE(gpu_environment({BoardName::Kind::cuda, "x"}, root.path()).ok());
}

TEST(Board, AProgramIsGivenItsGpuByTheIdentifier) {
  const NvidiaTree tree;
  const auto second = gpu_environment({BoardName::Kind::cuda, "1"}, tree.root());
  ASSERT_TRUE(second.ok()) << second.error().message;
  ASSERT_EQ(second->size(), 1u);
  EXPECT_EQ(second->front(), "CUDA_VISIBLE_DEVICES=" + find_cuda_gpu(tree.root(), 1)->uuid);
  EXPECT_EQ(gpu_environment({BoardName::Kind::cuda, "7"}, tree.root()).error().code,
            Code::not_found);
}

}  // namespace
}  // namespace flyball
