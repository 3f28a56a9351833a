// A board that only lowers its clocks before it is rebooted, as old releases do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "answers/tune_json.h"
#include "base/os/temp_folder.h"
#include "device/host/board_device.h"
#include "device/host/board_trees_testing.h"
#include "device/setting_script_testing.h"
#include "profile/trials/chosen_modes.h"
#include "profile/trials/program_profiler.h"
#include "tune/tune.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SetAsideTest : public testing::Test {
 protected:
  SetAsideTest() : root_(fs::canonical(folder_.path()) / "tree") {
    trees::write_tree("xavier_agx_jp4", root_);
    script_.only_down("max_freq");  // of the CPU's clusters and of the GPU
  }
  // Clocks of the CPU times clocks of the GPU; runs take some milliseconds and mark nothing.
  std::unique_ptr<Profiler> profiler() {
    ProgramTrialOptions options;
    options.argv = {"true"};
    options.open = {named_axis(axis::cpu_cores, {8}), named_axis(axis::cpu_mhz, {1190.4, 2265.6}),
                    named_axis(axis::gpu_mhz, {318.75, 675.75, 1377}),
                    named_axis(axis::mem_mhz, {2133})};
    options.settle_s = 0.001;
    auto board = open_known_board(
        identify_board(root_),
        {.root = root_, .journal = folder_ / "state/board.journal", .files = &script_});
    auto made = make_program_profiler(std::move(board), make_no_power("none"), options);
    EXPECT_TRUE(made.ok()) << made.error().message;
    auto all = with_modes(*std::move(made), {});
    EXPECT_TRUE(all.ok());
    return *std::move(all);
  }
  static Request request(bool verify) {
    Request request;
    request.strategy = "brute-force";
    request.predictor = "linear";
    request.verify = verify;
    return request;
  }

  TempFolder folder_;
  fs::path root_;
  SettingScript script_;
};

TEST_F(SetAsideTest, ClocksFallAndWhatWouldRaiseThemIsNamed) {
  auto store = Store::open(folder_ / "store.db");
  ASSERT_TRUE(store.ok());
  const auto board = profiler();
  const auto result = tune(*board, &*store, request(false));
  ASSERT_TRUE(result.ok()) << result.error().message;
  // CPU at its highest with each clock of the GPU, then the GPU at its lowest.
  EXPECT_EQ(result->profiles, 4u);
  double cpu = 1e9, gpu = 1e9;
  for (const Observation& trial : result->profiled) {
    EXPECT_FALSE(trial.measurement.failed()) << trial.measurement.failure;
    const Settings mode = trial.measurement.trial.mode.values;
    EXPECT_LE(mode.at(axis::cpu_mhz), cpu);
    EXPECT_LE(mode.at(axis::gpu_mhz), gpu);
    cpu = mode.at(axis::cpu_mhz);
    gpu = mode.at(axis::gpu_mhz);
  }
  ASSERT_EQ(result->set_aside.size(), 1u);
  EXPECT_THAT(result->set_aside[0].reason, HasSubstr("gpu_mhz 1377 needs a reboot"));
  EXPECT_THAT(result->set_aside[0].reason, HasSubstr("reboot the board, and the same command"));
  EXPECT_THAT(result->notes, testing::Contains(HasSubstr("2 configurations are set aside")));
  const auto json = to_json(*result);
  EXPECT_EQ(json["set_aside"][0]["config"]["gpu_mhz"], 1377);
  EXPECT_EQ(json["modes"]["kept"], 6);
  // Not one trial of them is kept: after a reboot they are made.
  const auto kept = store->measurements({});
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->size(), result->profiled.size());
}

// The answer and the default may be out of reach by the time they are to be verified.
TEST_F(SetAsideTest, WhatCannotBeVerifiedStaysTheAnswer) {
  const auto board = profiler();
  const auto result = tune(*board, nullptr, request(true));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result->choice.has_value());
  EXPECT_EQ(result->set_aside.size(), 1u);
  EXPECT_THAT(result->notes, testing::Contains(HasSubstr("could not be repeated")));
}

// A board that raises clocks sets nothing aside.
TEST_F(SetAsideTest, NothingIsSetAsideWhereClocksRise) {
  script_.on_write("max_freq",
                   [](const std::string& written) -> Result<std::string> { return written; });
  const auto board = profiler();
  const auto result = tune(*board, nullptr, request(false));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->profiles, 6u);
  EXPECT_TRUE(result->set_aside.empty());
}

}  // namespace
}  // namespace flyball
