#include "compare/measured_minibatches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball {
namespace {

using testing::HasSubstr;

constexpr const char* header =
    "device,workload,phase,batch_size,loader_workers,prefetch,stall_ms,compute_ms,minibatch_ms\n";

Result<std::vector<MeasuredMinibatch>> read(const std::string& rows) {
  const auto csv = parse_csv(header + rows, "m.csv");
  return csv ? parse_measured_minibatches(*csv) : csv.error();
}

TEST(MeasuredMinibatches, AreFoundByBoardNetworkAndSettings) {
  const auto all = read(
      "rig,bert_squad,train,16,4,2,,,100\nrig,bert_squad,infer,16,4,2,,,1\n"
      "rig,net,train,16,4,2,1,2.5,\n");
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 2u);
  const MeasuredMinibatch* bert = find_measured(*all, "rig", "bert_base", 16, 4);
  ASSERT_NE(bert, nullptr);
  EXPECT_EQ(bert->minibatch_ms, 100);
  EXPECT_EQ(find_measured(*all, "rig", "bert_base", 8, 4), nullptr);
  EXPECT_EQ(find_measured(*all, "other", "bert_base", 16, 4), nullptr);
}

TEST(MeasuredMinibatches, WithoutATimeOfTheWholeStallAndComputingCount) {
  const auto all = read("rig,net,train,16,4,2,1,2.5,\n");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->front().minibatch_ms, 3.5);
}

TEST(MeasuredMinibatches, OfSeveralRowsOfOneSettingTheMedianCounts) {
  const auto all = read(
      "rig,net,train,16,4,2,,,5\nrig,net,train,16,4,2,,,9\nrig,net,train,8,4,2,,,1\n"
      "rig,net,train,16,4,2,,,6\n");
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(all->front().minibatch_ms, 6);
  EXPECT_EQ(all->front().rows, 3u);
  EXPECT_EQ(all->back().rows, 1u);
}

TEST(MeasuredMinibatches, WhatIsWrongIsNamedWithItsLine) {
  const std::pair<std::string, std::string> wrong[] = {
      {"rig,net,train,16,4,2,,,\n", "m.csv:2"},
      {"rig,net,train,16,4,2,1,2,-5\n", "m.csv:2"},
      {"rig,net,train,many,4,2,1,2,5\n", "batch_size"}};
  for (const auto& [rows, named] : wrong) {
    const auto all = read(rows);
    ASSERT_FALSE(all.ok()) << rows;
    EXPECT_THAT(all.error().message, HasSubstr(named));
  }
  const auto csv = parse_csv("device,workload\nrig,net\n", "m.csv");
  EXPECT_THAT(parse_measured_minibatches(*csv).error().message, HasSubstr("no column 'phase'"));
}

}  // namespace
}  // namespace flyball
