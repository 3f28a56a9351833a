#include "twin/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

/// What the twin itself would put into a table of ResNet-18, over a few modes.
WorkloadTable drawn_table(const TwinBoard& board, const TwinWorkload& workload) {
  WorkloadTable table;
  table.device = board.id;
  table.workload = workload.name;
  table.space = Space(std::vector<Axis>{named_axis(axis::cpu_cores), named_axis(axis::cpu_mhz),
                                        named_axis(axis::gpu_mhz), named_axis(axis::mem_mhz)});
  const TwinNetwork network = *make_twin_network(workload.layers);
  for (const double cores : {4.0, 12.0})
    for (const double cpu : {422.4, 1344.0, 2201.6})
      for (const double gpu : {318.75, 1300.5})
        for (const double mem : {665.6, 3199.0}) {
          const double row[] = {cores, cpu, gpu, mem};
          table.add(row, 1, 1);
          const TwinConfiguration at = twin_configuration(table, table.size() - 1);
          const auto reading = twin_reading(board, network, workload, at, 40, table.power_total);
          table.minibatch_ms.back() = reading->minibatch_ms;
          table.power_w.back() = reading->power_w;
        }
  return table;
}

TEST(TwinCalibration, FindsBackTheBoardThatATableWasDrawnFrom) {
  const TwinWorkload workload = *known_twin_workload("resnet18", Phase::train);
  TwinBoard truth = *find_twin_board("orin_agx");
  truth.constants.bytes_per_cycle *= 0.6;
  truth.constants.op_kcycles *= 1.7;
  truth.constants.dram_traffic_w *= 0.6;
  const WorkloadTable table = drawn_table(truth, workload);
  const TwinCase cases[] = {{workload, &table}};
  const auto fit = calibrate_twin(*find_twin_board("orin_agx"), cases, TwinFitOptions{});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_LT(fit->loss, 0.1 * fit->loss_before);
  TwinBoard found = truth;
  found.constants = fit->constants;
  const TwinNetwork network = *make_twin_network(workload.layers);
  for (size_t row = 0; row < table.size(); ++row) {
    const auto reading =
        twin_reading(found, network, workload, twin_configuration(table, row), 40, "");
    EXPECT_NEAR(reading->minibatch_ms / table.minibatch_ms[row], 1, 0.1) << row;
    EXPECT_NEAR(reading->power_w / table.power_w[row], 1, 0.05) << row;
  }
}

// On AGX Orin the monitor counts the memory twice: a table of the module's power is none of it.
TEST(TwinCalibration, PowerIsOfTheTotalThatTheTableNames) {
  const TwinWorkload workload = *known_twin_workload("resnet18", Phase::train);
  const TwinBoard board = *find_twin_board("orin_agx");
  const TwinNetwork network = *make_twin_network(workload.layers);
  const auto watts = [&](const std::string& total) {
    const auto reading = twin_reading(board, network, workload, TwinConfiguration{}, 10, total);
    return reading ? reading->power_w : 0;
  };
  EXPECT_GT(watts("monitor"), 1.03 * watts("module"));
  EXPECT_EQ(watts(""), watts("monitor"));
  EXPECT_NEAR(watts("module") + watts("VDDQ_VDD2_1V8AO"), watts("monitor"), 1e-9);
  WorkloadTable table = drawn_table(board, workload);
  table.power_total = "module";
  for (size_t row = 0; row < table.size(); ++row)
    table.power_w[row] = twin_reading(board, network, workload, twin_configuration(table, row), 40,
                                      table.power_total)
                             ->power_w;
  const TwinCase cases[] = {{workload, &table}};
  TwinFitOptions options;
  options.rounds = 1;
  const auto fit = calibrate_twin(board, cases, options);
  ASSERT_TRUE(fit.ok());
  EXPECT_LT(fit->loss_before, 1e-6) << "the board that it was drawn from";
  table.power_total = "package";
  const auto other = calibrate_twin(board, cases, options);
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, testing::HasSubstr("tells no power total 'package'"));
}

TEST(TwinCalibration, FactsAndFixedConstantsStay) {
  const TwinWorkload workload = *known_twin_workload("resnet18", Phase::train);
  const TwinBoard board = *find_twin_board("orin_agx");
  WorkloadTable table = drawn_table(board, workload);
  for (double& time : table.minibatch_ms) time *= 2;
  const TwinCase cases[] = {{workload, &table}};
  TwinFitOptions options;
  options.rounds = 5;
  options.fixed = {"copy_cycles"};
  const auto fit = calibrate_twin(board, cases, options);
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->constants.cuda_cores, 2048);
  EXPECT_EQ(fit->constants.bus_bits, 256);
  EXPECT_NEAR(fit->constants.copy_cycles, board.constants.copy_cycles, 1e-12);
  EXPECT_LT(fit->loss, fit->loss_before);
  // No attention in it: nothing is learned of that kind.
  const size_t attention = static_cast<size_t>(LayerKind::attention);
  EXPECT_EQ(fit->constants.efficiency[attention], board.constants.efficiency[attention]);
}

TEST(TwinCalibration, NoRowsAreRefused) {
  EXPECT_FALSE(calibrate_twin(*find_twin_board("orin_agx"), {}, TwinFitOptions{}).ok());
}

}  // namespace
}  // namespace flyball
