#include "report/board_spread.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "base/os/temp_folder.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

StoredMeasurement measured(double gpu_mhz, double ms, double watts,
                           const std::string& torch = "LibTorch 1.13.1") {
  StoredMeasurement stored;
  Measurement& m = stored.measurement;
  m.trial.mode.values = {{"gpu_mhz", gpu_mhz}};
  m.trial.job = {"lenet5", Phase::train, {{"batch_size", 16}}};
  m.device = "xavier_agx";
  m.fingerprint = "AGX Xavier; Linux 4.9";
  m.conditions = Conditions{{"LibTorch", torch}};
  m.minibatch_ms = ms;
  if (watts > 0) m.power = PowerReading{watts, 0.01, "module", 10, 10, 10, 1, 1};
  return stored;
}

TEST(BoardSpread, BetweenBoardsOfOneKind) {
  // 100 and 500 MHz on three boards: 10, 11, 12 ms at 10 W, and 5 ms everywhere at 20, 21, 22 W.
  const std::vector<BoardRecord> boards = {
      {"a.db", {measured(100, 10, 10), measured(500, 5, 20)}},
      {"b.db", {measured(100, 11, 10), measured(500, 5, 21)}},
      {"c.db", {measured(100, 12, 10), measured(500, 5, 22), measured(900, 3, 30)}}};
  const BoardSpread spread = spread_of_boards(boards);
  ASSERT_EQ(spread.between_boards.size(), 1u);
  const SpreadGroup& group = spread.between_boards[0];
  EXPECT_THAT(group.members, testing::ElementsAre("a.db", "b.db", "c.db"));
  EXPECT_EQ(group.time.trials, 2u);  // 900 MHz is known of one alone
  EXPECT_NEAR(group.time.max, 1.0 / 11, 1e-12);
  EXPECT_NEAR(group.time.median, 0.5 / 11, 1e-12);
  ASSERT_TRUE(group.energy);
  EXPECT_NEAR(group.energy->max, 1.0 / 11, 1e-12);
  EXPECT_NEAR(group.energy->median, (1.0 / 11 + 1.0 / 21) / 2, 1e-12);
  EXPECT_TRUE(spread.between_software.empty());
  EXPECT_TRUE(spread.over_time.empty());
}

TEST(BoardSpread, WhatIsNotMeasuredLiveIsCounted) {
  const TempFolder folder = TempFolder::make().value();
  Store store = Store::open(folder / "store.db").value();
  Measurement one = sample_measurement(0);
  ASSERT_TRUE(store.add_measurement(one).ok());
  one.provenance = Provenance::simulated;
  ASSERT_TRUE(store.add_measurement(one).ok());
  one.provenance = Provenance::table;
  ASSERT_TRUE(store.add_measurement(one).ok());
  const BoardRecord record = board_record(store, folder / "store.db").value();
  EXPECT_EQ(record.measurements.size(), 1u);
  EXPECT_EQ(record.not_measured, 2u);
}

// One store that others were collected into.
TEST(BoardSpread, CollectedBoardsAreToldApart) {
  StoredMeasurement one = measured(100, 10, 10), two = measured(100, 12, 10);
  one.board = "nano-1";
  two.board = "nano-2";
  const BoardSpread spread = spread_of_boards(std::vector<BoardRecord>{{"fleet.db", {one, two}}});
  ASSERT_EQ(spread.between_boards.size(), 1u);
  EXPECT_THAT(spread.between_boards[0].members, testing::ElementsAre("nano-1", "nano-2"));
  EXPECT_TRUE(spread.over_time.empty());
}

TEST(BoardSpread, BoardsAreToldByTheirNamesAndThoseOfOneNameApart) {
  StoredMeasurement one = measured(100, 10, 10), two = measured(100, 12, 10),
                    three = measured(100, 14, 10);
  one.board = "0123456789abcdef0123456789abcdef";
  two.board = "fedcba9876543210fedcba9876543210";
  three.board = three.board_name = "nano-3";
  one.board_name = two.board_name = "store.db";
  const BoardSpread spread = spread_of_boards({{"fleet.db", {one, two, three}}});
  ASSERT_EQ(spread.between_boards.size(), 1u);
  EXPECT_THAT(spread.between_boards[0].members,
              testing::ElementsAre("nano-3", "store.db (01234567)", "store.db (fedcba98)"));
}

// A store and one that it was collected into hold the same rows of the same board.
TEST(BoardSpread, ARowOfTwoStoresCountsOnce) {
  const TempFolder folder;
  Measurement of_nano = measured(100, 10, 10).measurement, of_other = of_nano;
  of_other.minibatch_ms = 12;
  std::string nano;
  {
    Store store = Store::open(folder / "nano.db").value();
    ASSERT_TRUE(store.add_measurements(std::array{of_nano, of_other}).ok());
    nano = store.identity().value();
    Store fleet = Store::open(folder / "fleet.db").value();
    ASSERT_TRUE(fleet.add_measurement(of_nano).ok());
  }
  ASSERT_TRUE(make_collected(folder / "fleet.db", nano).ok());
  {
    Database fleet = open_store_database(folder / "fleet.db", {}).value();
    ASSERT_TRUE(fleet.run("UPDATE stores SET board = 'nano-1' WHERE store = ?", {nano}).ok());
  }
  std::vector<BoardRecord> records;
  for (const char* name : {"fleet.db", "nano.db", "nano.db"}) {
    Store store = Store::open(folder / name).value();
    records.push_back(board_record(store, folder / name).value());
  }
  const BoardSpread spread = spread_of_boards(records);
  EXPECT_TRUE(spread.between_boards.empty()) << "it is one board";
  ASSERT_EQ(spread.over_time.size(), 1u);
  EXPECT_EQ(spread.over_time[0].board, "nano-1");
  EXPECT_NEAR(spread.over_time[0].time.max, std::sqrt(2.0) / 11, 1e-12) << "of two readings";
}

TEST(BoardSpread, SoftwareIsNotTakenForABoard) {
  const std::vector<BoardRecord> boards = {
      {"a.db", {measured(100, 10, 0), measured(100, 14, 0, "LibTorch 2.1")}},
      {"b.db", {measured(100, 12, 0, "LibTorch 2.5")}}};
  const BoardSpread spread = spread_of_boards(boards);
  EXPECT_TRUE(spread.between_boards.empty());  // no version that both have
  ASSERT_EQ(spread.between_software.size(), 1u);
  EXPECT_EQ(spread.between_software[0].board, "a.db");
  EXPECT_EQ(spread.between_software[0].members.size(), 2u);
  EXPECT_NEAR(spread.between_software[0].time.median, std::sqrt(8.0) / 12, 1e-12);
  EXPECT_FALSE(spread.between_software[0].energy);
}

// Ten times the data, or another governor, is no spread of equal trials.
TEST(BoardSpread, OfOtherConditionsAreOtherTrials) {
  auto few = measured(100, 10, 10), many = measured(100, 100, 10);
  (*few.measurement.conditions)["dataset samples"] = "600";
  (*many.measurement.conditions)["dataset samples"] = "60000";
  EXPECT_TRUE(spread_of_boards({{"a.db", {few, many}}}).over_time.empty());
  EXPECT_TRUE(spread_of_boards({{"a.db", {few}}, {"b.db", {many}}}).between_boards.empty());
  // Libraries lie elsewhere with another version: they are the software that is compared.
  auto newer = measured(100, 12, 10, "LibTorch 2.1");
  newer.measurement.conditions->merge(
      Conditions{{"dataset samples", "600"}, {"library libtorch_cpu.so", "/opt/torch, 9 bytes"}});
  EXPECT_EQ(spread_of_boards({{"a.db", {few, newer}}}).between_software.size(), 1u);
}

TEST(BoardSpread, OverTimeOnOneBoard) {
  auto failed = measured(100, 99, 10), reused = measured(100, 50, 10),
       throttled = measured(100, 40, 10), beside = measured(100, 30, 10);
  throttled.measurement.interference.throttled = true;
  beside.measurement.interference.by = "process 7";
  failed.measurement.failure = "out of memory";
  reused.reused = true;
  const BoardSpread spread = spread_of_boards(
      {{"a.db",
        {measured(100, 10, 10), measured(100, 12, 10), failed, reused, throttled, beside}}});
  ASSERT_EQ(spread.over_time.size(), 1u);
  EXPECT_NEAR(spread.over_time[0].time.max, std::sqrt(2.0) / 11, 1e-12);
  EXPECT_TRUE(spread.between_boards.empty());
}

}  // namespace
}  // namespace flyball
