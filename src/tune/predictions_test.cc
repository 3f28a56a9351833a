#include "tune/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <set>

#include "base/os/interrupt.h"
#include "profile/trials/table_profiler.h"

namespace flyball {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<double> up_to(int count) {
  std::vector<double> values;
  for (int i = 1; i <= count; ++i) values.push_back(i);
  return values;
}

// Time falls and power rises with both axes.
std::unique_ptr<Profiler> board(int cores, int clocks) {
  WorkloadTable table;
  table.device = "board";
  table.workload = "net";
  table.power_total = "module";
  table.space = Space(std::vector{named_axis("cpu_cores", {}), named_axis("gpu_mhz", {})});
  for (double core : up_to(cores))
    for (double clock : up_to(clocks))
      table.add(std::array{core, 100 * clock}, 5 + 100 / core + 200 / clock, 5 + core + 2 * clock);
  return make_table_profiler(table);
}

// All but the first `missing` configurations profiled.
TuneResult profiled(Profiler& profiler, size_t missing, const std::string& predictor = "linear") {
  TuneResult result;
  result.request.predictor = predictor;
  result.workloads = {profiler.info()};
  result.space = profiler.space();
  for (size_t config = missing; config < profiler.space().size(); ++config) {
    Observation trial;
    trial.config = config;
    trial.measurement = profiler.measure(config).value();
    result.profiled.push_back(trial);
  }
  return result;
}

TEST(Predictions, NothingIsFittedWhereEverythingIsMeasured) {
  const auto profiler = board(4, 5);
  TuneResult result = profiled(*profiler, 0, "no such predictor");
  ASSERT_TRUE(predict_rest(*profiler, result).ok());
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_THAT(result.held_out, IsEmpty());
  for (const Configuration& c : result.configurations) EXPECT_EQ(c.provenance, Provenance::table);
  EXPECT_FALSE(result.front.empty());
  result = profiled(*profiler, 1, "no such predictor");
  ASSERT_TRUE(predict_rest(*profiler, result).ok());
  ASSERT_THAT(result.notes, SizeIs(1));
  EXPECT_THAT(result.notes[0], HasSubstr("nothing was predicted"));
}

TEST(Predictions, EachOfAFewIsHeldOut) {
  const auto profiler = board(4, 5);
  TuneResult result = profiled(*profiler, 4);
  ASSERT_TRUE(predict_rest(*profiler, result).ok());
  EXPECT_THAT(result.held_out, SizeIs(16));
  EXPECT_EQ(result.configurations[0].provenance, Provenance::predicted);
}

TEST(Predictions, NothingIsPredictedOfWhatFails) {
  const auto profiler = board(4, 5);
  TuneResult result = profiled(*profiler, 4);
  const size_t failed = result.profiled[7].config;
  result.profiled[7].measurement.failure = "out of memory";
  const std::vector<size_t> likely = {0, 3};
  ASSERT_TRUE(predict_rest(*profiler, result, likely).ok());
  for (const size_t config : {likely[0], likely[1], failed}) {
    EXPECT_TRUE(std::isnan(result.configurations[config].minibatch_ms)) << config;
    EXPECT_THAT(result.front, Not(Contains(config)));
  }
  EXPECT_GT(result.configurations[1].minibatch_ms, 0);
  EXPECT_THAT(result.notes, Contains("nothing is predicted of 2 configurations that are likely "
                                     "to fail as trials did"));
}

TEST(Predictions, OfManyThirtyAreHeldOutAllOverTheSpace) {
  const auto profiler = board(9, 100);
  TuneResult result = profiled(*profiler, 1);
  ASSERT_TRUE(predict_rest(*profiler, result).ok());
  std::set<size_t> tenths, configs;
  for (const HeldOut& held : result.held_out) {
    configs.insert(held.config);
    tenths.insert(held.config / 90);
    EXPECT_GT(held.predicted.minibatch_ms, 0);
  }
  EXPECT_THAT(configs, SizeIs(30));
  EXPECT_THAT(tenths, SizeIs(10));
  EXPECT_EQ(result.notes.back(), "predictions are fitted on 400 of 899 profiled configurations");
}

TEST(PredictionsDeathTest, AnInterruptEndsThem) {
  const auto profiler = board(4, 5);
  TuneResult result = profiled(*profiler, 4);
  EXPECT_EXIT(
      {
        ::signal(SIGINT, SIG_DFL);  // where the shell has it ignored, it would stay so
        catch_interrupts();
        ::raise(SIGINT);
        result.request.cancelled = &interrupt_flag();
        const Status status = predict_rest(*profiler, result);
        ::_exit(!status.ok() && status.error().code == Code::interrupted ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace flyball
