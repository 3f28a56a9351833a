#include "space/axis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "space/measurement.h"

namespace flyball {
namespace {

TEST(Axis, IsKnownByItsName) {
  EXPECT_EQ(named_axis("gpu_mhz").unit, "MHz");
  EXPECT_EQ(named_axis("gpu_mhz").scope, Scope::board);
  EXPECT_EQ(named_axis("batch_size", {1, 16}).scope, Scope::run);
  EXPECT_EQ(named_axis("batch_size", {1, 16}).values, (std::vector<double>{1, 16}));
  EXPECT_EQ(named_axis("power_limit_w").unit, "W");
  EXPECT_TRUE(is_known_axis("loader_workers"));
  EXPECT_FALSE(is_known_axis("dla_mhz"));
}

TEST(Axis, AnUnknownOneTakesItsUnitFromItsName) {
  EXPECT_EQ(named_axis("dla_mhz").unit, "MHz");
  EXPECT_EQ(named_axis("fan_w").unit, "W");
  EXPECT_EQ(named_axis("banks").unit, "");
  EXPECT_EQ(named_axis("banks").scope, Scope::board);
}

TEST(Axis, PhasesHaveNames) {
  EXPECT_EQ(parse_phase(phase_name(Phase::train)).value(), Phase::train);
  EXPECT_EQ(parse_phase(phase_name(Phase::infer)).value(), Phase::infer);
  EXPECT_EQ(parse_phase("inference").value(), Phase::infer);
  EXPECT_EQ(parse_phase("Train").error().code, Code::invalid_argument);
}

TEST(Trial, IsDescribedByAllItsSettings) {
  const Trial trial{{{{"cpu_mhz", 1190.4}, {"cpu_cores", 2}}},
                    {"lenet5", Phase::train, {{"batch_size", 16}}}};
  EXPECT_EQ(describe(all_settings(trial)), "batch_size 16, cpu_cores 2, cpu_mhz 1190.4");
  EXPECT_EQ(describe({}), "");
}

TEST(Measurement, KnowsItsEnergyWhereThereIsPower) {
  Measurement m;
  m.minibatch_ms = 200;
  EXPECT_FALSE(m.power_w() || m.minibatch_j());
  m.power.emplace().mean_w = 30;
  EXPECT_EQ(m.power_w(), 30);
  EXPECT_DOUBLE_EQ(m.minibatch_j().value(), 6);
  EXPECT_FALSE(m.failed());
  m.failure = "out of memory";
  EXPECT_TRUE(m.failed());
}

TEST(Measurement, ProvenancesHaveNames) {
  for (const auto provenance :
       {Provenance::measured, Provenance::table, Provenance::simulated, Provenance::predicted})
    EXPECT_EQ(parse_provenance(provenance_name(provenance)).value(), provenance);
  EXPECT_FALSE(parse_provenance("guessed").ok());
}

TEST(Axis, TheUsualBatchIsNearestByRatio) {
  EXPECT_EQ(from_usual_batch(16), 0);
  EXPECT_DOUBLE_EQ(from_usual_batch(8), from_usual_batch(32));
  EXPECT_LT(from_usual_batch(63), from_usual_batch(4) + 0.02);
  EXPECT_LT(from_usual_batch(63), from_usual_batch(3));
}

TEST(Axis, ValuesThatCannotBeAreNamed) {
  for (const char* name : {"batch_size", "cpu_cores"})
    for (double value : {0.0, -4.0, 1.5, std::nan(""), HUGE_VAL})
      EXPECT_NE(axis_value_fault(name, value), "") << name << " " << value;
  EXPECT_NE(axis_value_fault("loader_workers", -1), "");
  EXPECT_NE(axis_value_fault("loader_workers", 0.5), "");
  EXPECT_NE(axis_value_fault("cpu_mhz", 0), "");
  EXPECT_NE(axis_value_fault("cpu_mhz", 1e308), "");
  EXPECT_EQ(axis_value_fault("depth", -3), "");
  EXPECT_NE(axis_value_fault("learning_rate", std::nan("")), "");
  EXPECT_EQ(axis_value_fault("batch_size", 16), "");
  EXPECT_EQ(axis_value_fault("loader_workers", 0), "");
  EXPECT_EQ(axis_value_fault("cpu_mhz", 268.8), "");
  EXPECT_EQ(axis_value_fault("learning_rate", 0.001), "");
}

}  // namespace
}  // namespace flyball
