#include "compare/compared_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "cost/networks.h"
#include "space/board_fingerprint.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

BoardsQuestion question(const std::vector<std::string>& networks) {
  BoardsQuestion asked;
  for (const std::string& name : networks) asked.networks.push_back(compared_network(name, 0));
  return asked;
}

ComparedBoard simulated(const std::string& device, const BoardsQuestion& asked) {
  const auto board = open_board("twin:" + device);
  auto compared = simulated_board_figures(**board, asked);
  EXPECT_TRUE(compared.ok()) << compared.error().message;
  return *std::move(compared);
}

TEST(ComparedBoard, ASimulatedOneTellsAnEpochInItsHighestMode) {
  const ComparedBoard board = simulated("orin_agx", question({"resnet18"}));
  EXPECT_EQ(board.name, "orin_agx");
  EXPECT_EQ(board.power_words(), "module");
  const BoardFigures& one = board.figures[0];
  ASSERT_TRUE(one.has_time());
  EXPECT_EQ(one.minibatches, 3125);  // 50,000 pictures
  EXPECT_EQ(one.config.at(axis::gpu_mhz), 1300.5);
  EXPECT_EQ(one.config.at(axis::loader_workers), 4);
  EXPECT_EQ(one.known.provenance, Provenance::simulated);
  EXPECT_LT(one.known.time_lo, one.known.minibatch_ms);
  EXPECT_DOUBLE_EQ(one.epoch_s(), one.known.minibatch_ms * 3.125);
  EXPECT_DOUBLE_EQ(one.epoch_j(), one.epoch_s() * one.known.power_w);
}

TEST(ComparedBoard, WhatItsPowerLeavesOutIsSaid) {
  const ComparedBoard card = simulated("rtx3090", question({"lenet5"}));
  EXPECT_EQ(card.power_words(), "module: GPU, memory only");
  EXPECT_THAT(card.notes, testing::Contains(HasSubstr("its power is an assumption")));
  EXPECT_EQ(simulated("rpi5", question({"lenet5"})).power_words(), "module");
}

// By the model of describe, beside interpreter and loader: as was logged, BERT has no room on a Pi.
TEST(ComparedBoard, WhatDoesNotFitHasNoFigures) {
  const ComparedBoard board = simulated("rpi5", question({"bert_base", "lstm"}));
  const BoardFigures& bert = board.figures[0];
  EXPECT_FALSE(bert.fits());
  EXPECT_FALSE(bert.has_time());
  EXPECT_TRUE(std::isnan(bert.epoch_s()));
  EXPECT_THAT(bert.missing, HasSubstr("does not fit: needs"));
  EXPECT_GT(bert.memory->needed_bytes,
            network_memory("bert_base", Phase::train, "384")->model.kept(16));
  EXPECT_TRUE(board.figures[1].has_time());
  BoardsQuestion fewer = question({"bert_base"});
  fewer.batch_size = 4;
  EXPECT_TRUE(simulated("rpi5", fewer).figures[0].has_time());
}

TEST(ComparedBoard, ANetworkThatTheTwinDoesNotKnowIsAnError) {
  const auto board = open_board("twin:orin_agx");
  const auto compared = simulated_board_figures(**board, question({"nothing"}));
  ASSERT_FALSE(compared.ok());
  EXPECT_THAT(compared.error().message, HasSubstr("nothing"));
}

TEST(ComparedBoard, ATableGivesItsRowNearestToTheHighestMode) {
  const TempFolder folder = *TempFolder::make();
  const std::filesystem::path file = folder.path() / "t.csv";
  ASSERT_TRUE(write_file(file,
                         "device,workload,phase,batch_size,cpu_mhz,gpu_mhz,minibatch_ms,power_w\n"
                         "rig,resnet18,train,16,400,300,100,5\n"
                         "rig,resnet18,train,16,800,600,50,9\n"
                         "rig,resnet18,train,32,800,600,90,9\n"
                         "rig,lstm,train,8,800,600,90,9\n"
                         "bench,resnet18,train,16,800,600,20,\n")
                  .ok());
  const auto board = open_board("table:" + file.string());
  ASSERT_TRUE(board.ok());
  const auto boards = tabled_board_figures(**board, question({"resnet18", "lstm", "bert_base"}));
  ASSERT_TRUE(boards.ok()) << boards.error().message;
  ASSERT_EQ(boards->size(), 2u);
  const ComparedBoard& bench = (*boards)[0];
  const ComparedBoard& rig = (*boards)[1];
  EXPECT_EQ(rig.title, "rig (table)");
  EXPECT_EQ(rig.figures[0].known.minibatch_ms, 50);
  EXPECT_EQ(rig.figures[0].known.provenance, Provenance::table);
  EXPECT_DOUBLE_EQ(rig.figures[0].epoch_s(), 156.25);
  EXPECT_THAT(rig.figures[1].missing, HasSubstr("batch_size"));
  EXPECT_THAT(rig.figures[2].missing, HasSubstr("no training"));
  EXPECT_EQ(bench.figures[0].known.minibatch_ms, 20);
  EXPECT_TRUE(std::isnan(bench.figures[0].epoch_j()));
}

TEST(ComparedBoard, TablesOfOneBoardMakeOne) {
  ComparedBoard first{.name = "rig", .title = "rig (table)"}, second = first;
  first.figures = {BoardFigures(), {.missing = "the table holds no training of it"}};
  first.figures[0].known.minibatch_ms = 5;
  second.figures = {BoardFigures(), BoardFigures()};
  second.figures[1].known.minibatch_ms = 7;
  add_figures(first, second);
  EXPECT_EQ(first.figures[0].known.minibatch_ms, 5);
  EXPECT_EQ(first.figures[1].known.minibatch_ms, 7);
  EXPECT_TRUE(first.notes.empty());
  ComparedBoard other{.name = "rig", .title = "rig (table)"};
  other.figures = {BoardFigures(), BoardFigures()};
  first.power_total = "module";
  other.power_total = "VDD_GPU";
  other.figures[0].known.minibatch_ms = 3;
  add_figures(first, other);
  EXPECT_TRUE(first.notes.empty()) << "no figure of it was taken";
  ComparedBoard without{.name = "rig", .title = "rig (table)"};
  without.figures = {BoardFigures(), {.missing = "the table holds no training of it"}};
  without.power_total = "module";
  add_figures(without, other);
  EXPECT_THAT(without.notes,
              testing::Contains(HasSubstr("different power totals: module, VDD_GPU")));
}

class StoredBoard : public testing::Test {
 protected:
  StoredBoard() : folder_(*TempFolder::make()), store_(*Store::open(folder_.path() / "store.db")) {}

  void keep(double gpu_mhz, double ms, std::optional<double> workers = 4, double prefetch = 2) {
    Measurement one = sample_measurement(0);
    one.trial.mode.values[axis::gpu_mhz] = gpu_mhz;
    one.trial.job.settings[axis::prefetch] = prefetch;
    one.trial.job.settings.erase(axis::loader_workers);
    if (workers) one.trial.job.settings[axis::loader_workers] = *workers;
    one.minibatch_ms = ms;
    ASSERT_TRUE(store_.add_measurement(one).ok());
  }

  TempFolder folder_;
  Store store_;
};

TEST_F(StoredBoard, GivesAllReadingsOfTheHighestModeThatItHolds) {
  keep(600, 80);
  keep(900, 60);
  keep(900, 62);
  keep(900, 64);
  keep(1300, 40, 0);  // loaded otherwise
  const auto board = stored_board_figures(store_, "orin_agx", question({"resnet18", "lstm"}));
  ASSERT_TRUE(board.ok()) << board.error().message;
  EXPECT_EQ(board->title, "Jetson AGX Orin (store)");
  EXPECT_EQ(board->power_total, "module");
  EXPECT_EQ(board->figures[0].known.minibatch_ms, 62);
  EXPECT_EQ(board->figures[0].known.provenance, Provenance::measured);
  EXPECT_THAT(board->figures[1].missing, HasSubstr("no training"));
}

TEST_F(StoredBoard, PrefetchIsHeededWhereItIsThere) {
  keep(900, 60, 4, 2);
  keep(1300, 40, 4, 8);
  const auto taken_ms = [&](double prefetch) {
    BoardsQuestion one = question({"resnet18"});
    one.prefetch = prefetch;
    return stored_board_figures(store_, "orin_agx", one)->figures[0].known.minibatch_ms;
  };
  EXPECT_EQ(taken_ms(2), 60);
  EXPECT_EQ(taken_ms(8), 40);
  EXPECT_EQ(taken_ms(5), 40) << "no trial has it: the highest mode";
}

// They count only where nothing else does, and that is said.
TEST_F(StoredBoard, TrialsThatDoNotSayHowTheyWereLoadedAreNoOthers) {
  keep(1300, 40, {});
  const auto untold = stored_board_figures(store_, "orin_agx", question({"resnet18"}));
  ASSERT_TRUE(untold.ok());
  EXPECT_EQ(untold->figures[0].known.minibatch_ms, 40);
  EXPECT_THAT(untold->notes, testing::Contains(HasSubstr("do not say how many loader workers")));
  keep(900, 60, 4);
  const auto told = stored_board_figures(store_, "orin_agx", question({"resnet18"}));
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told->figures[0].known.minibatch_ms, 60);
  EXPECT_THAT(told->notes, testing::IsEmpty());
}

TEST_F(StoredBoard, WithoutATrialAtTheseSettingsThereIsNoFigure) {
  keep(600, 80);
  BoardsQuestion other = question({"resnet18"});
  other.batch_size = 32;
  const auto board = stored_board_figures(store_, "orin_agx", other);
  ASSERT_TRUE(board.ok());
  EXPECT_THAT(board->figures[0].missing, HasSubstr("batch size 32"));
}

TEST_F(StoredBoard, WhatIsLeftOutForItsConditionsIsSaid) {
  keep(900, 60);
  Measurement other = sample_measurement(0);
  other.trial.mode.values[axis::gpu_mhz] = 900;
  other.trial.job.settings[axis::loader_workers] = 4;
  other.trial.job.settings[axis::prefetch] = 2;
  other.conditions = Conditions{{"LibTorch", "another"}};
  other.started_utc = "2020-01-01T00:00:00Z";
  ASSERT_TRUE(store_.add_measurement(other).ok());
  const auto board = stored_board_figures(store_, "orin_agx", question({"resnet18"}));
  ASSERT_TRUE(board.ok());
  EXPECT_EQ(board->figures[0].known.minibatch_ms, 60);
  EXPECT_THAT(board->notes,
              testing::Contains(HasSubstr("1 under other conditions than the latest")));
}

// One that was tried more often would decide for all of them.
TEST_F(StoredBoard, OfSeveralBoardsEachCountsOnce) {
  for (const double ms : {60, 60, 60, 90}) keep(900, ms);
  ASSERT_TRUE(make_collected(folder_.path() / "store.db", "fourth", 4).ok());
  const auto board = stored_board_figures(store_, "orin_agx", question({"resnet18"}));
  ASSERT_TRUE(board.ok()) << board.error().message;
  const Configuration& known = board->figures[0].known;
  EXPECT_NEAR(known.minibatch_ms, 75, 2) << "of 60 and 90; all readings' median is 60";
  EXPECT_LT(known.time_lo, 60);
  EXPECT_GT(known.time_hi, 90);
  EXPECT_THAT(board->notes, testing::Contains(HasSubstr("of 2 boards, each of which counts once")));
}

// Times are of those whose watts they are told with: as `fleet choose` has it.
TEST_F(StoredBoard, OfSeveralTotalsThatOfMostBoardsCounts) {
  const auto keep_with = [&](double ms, const std::string& total) {
    Measurement one = sample_measurement(0);
    one.trial.mode.values[axis::gpu_mhz] = 900;
    one.trial.job.settings[axis::loader_workers] = 4;
    one.trial.job.settings[axis::prefetch] = 2;
    one.minibatch_ms = ms;
    one.power->total = total;
    one.power->mean_w = ms / 10;
    if (total.empty()) one.power.reset();
    ASSERT_TRUE(store_.add_measurement(one).ok());
  };
  keep_with(60, "module");
  keep_with(70, "module");
  keep_with(110, "module");
  keep_with(500, "input");
  keep_with(900, "");
  int64_t first = 1;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    // The last call for a row tells whose it is.
    ASSERT_TRUE(make_collected(folder_.path() / "store.db", name, first++).ok());
  }
  const auto board = stored_board_figures(store_, "orin_agx", question({"resnet18"}));
  ASSERT_TRUE(board.ok()) << board.error().message;
  const Configuration& known = board->figures[0].known;
  EXPECT_EQ(known.minibatch_ms, 80) << "the mean of three, whose median is 70";
  EXPECT_EQ(known.power_w, 8);
  EXPECT_EQ(board->power_total, "module");
  EXPECT_THAT(board->notes,
              testing::Contains(HasSubstr("power of 1 board is another total (input)")));
  EXPECT_THAT(board->notes, testing::Contains(HasSubstr("1 trial without power is left out")));
}

// As `fleet show` counts them, whether each has a store or all share one.
TEST_F(StoredBoard, SimulatedBoardsWithANumberEachCountOnce) {
  for (const double ms : {60, 60, 60, 90}) {
    Measurement one = sample_measurement(0);
    one.trial.job.settings[axis::loader_workers] = 4;
    one.minibatch_ms = ms;
    one.fingerprint = individual_fingerprint("twin of orin_agx, constants 0a", ms == 60 ? 1 : 2, 7);
    ASSERT_TRUE(store_.add_measurement(one).ok());
  }
  const auto board = stored_board_figures(store_, "orin_agx", question({"resnet18"}));
  ASSERT_TRUE(board.ok()) << board.error().message;
  EXPECT_NEAR(board->figures[0].known.minibatch_ms, 75, 2);
  EXPECT_THAT(board->notes, testing::Contains(HasSubstr("of 2 boards, each of which counts once")));
}

TEST_F(StoredBoard, WholeRunsOfProgramsAreLeftOutAndSaid) {
  keep(900, 60);
  Measurement whole = sample_measurement(0);
  whole.trial.mode.values[axis::gpu_mhz] = 1300;
  whole.span = MeasuredSpan::whole_run;
  ASSERT_TRUE(store_.add_measurement(whole).ok());
  const auto board = stored_board_figures(store_, "orin_agx", question({"resnet18"}));
  ASSERT_TRUE(board.ok());
  EXPECT_EQ(board->figures[0].known.minibatch_ms, 60);
  EXPECT_THAT(board->notes, testing::Contains(HasSubstr("1 whole-run trials are left out")));
}

TEST_F(StoredBoard, WhatWouldBeTakenIsToldOfTheNetworkThatIsAskedFor) {
  Measurement one = sample_measurement(0);
  one.trial.job.settings[axis::loader_workers] = 4;
  one.provenance = Provenance::simulated;
  ASSERT_TRUE(store_.add_measurement(one).ok());
  const auto hint_of = [&](const char* network) {
    return stored_board_figures(store_, "orin_agx", question({network})).error().hint;
  };
  EXPECT_EQ(hint_of("resnet18"), "1 simulated trials are left out: --accept simulated takes them");
  EXPECT_THAT(hint_of("lstm"), HasSubstr("`flyball runs list` shows what it holds"));
  keep(900, 60);
  const auto board = stored_board_figures(store_, "orin_agx", question({"lstm", "resnet18"}));
  ASSERT_TRUE(board.ok()) << board.error().message;
  EXPECT_EQ(board->figures[0].missing, "the store holds no training of it there");
  EXPECT_THAT(board->notes, testing::Contains(HasSubstr("1 simulated trials are left out")));
}

TEST_F(StoredBoard, ABoardThatItDoesNotHoldIsAnError) {
  const auto board = stored_board_figures(store_, "orin_nano", question({"resnet18"}));
  ASSERT_FALSE(board.ok());
  EXPECT_THAT(board.error().message, HasSubstr("orin_nano"));
}

}  // namespace
}  // namespace flyball
