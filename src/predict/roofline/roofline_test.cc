#include "predict/roofline/roofline.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/statistics.h"
#include "cost/networks.h"

namespace flyball {
namespace {

// A board whose roofs are known: constants follow the GPU and memory clocks.
TimeRoof true_time(double gpu, double mem) {
  return {1 / (4e9 * gpu), 1 / (6e7 * mem)};
}
EnergyRoof true_energy(double gpu, double mem) {
  return {2e-12 + 2e-15 * gpu, 3e-11 + 1e-15 * mem, 5 + 0.004 * gpu + 0.001 * mem};
}

// Pagoda's totals, of no kind of operator: roofs alone can use them.
std::optional<Cost> by_pagoda(const std::string& name, Phase phase) {
  const auto one = network_layers(name, phase, 1, "", CountRules::pagoda);
  const auto two = network_layers(name, phase, 2, "", CountRules::pagoda);
  const Cost all = *cost_of(*one, *two);
  return Cost{all.fixed_flop, all.flop, all.fixed_bytes, all.bytes};
}

WorkloadTable board(const std::string& workload, Phase phase, std::vector<double> batches,
                    double attained_time = 1) {
  WorkloadTable table;
  table.device = "known";
  table.workload = workload;
  table.phase = phase;
  table.power_total = "module";
  table.space = Space({named_axis("batch_size"), named_axis("gpu_mhz"), named_axis("mem_mhz")});
  const Cost cost = *by_pagoda(workload, phase);
  table.cost = cost;
  for (double batch : batches)
    for (double gpu : {200.0, 500.0, 900.0, 1300.0})
      for (double mem : {600.0, 2100.0, 3200.0}) {
        const double flop = cost.flop_at(batch), bytes = cost.bytes_at(batch);
        const double seconds = true_time(gpu, mem).at(flop, bytes) * attained_time;
        const double joules = true_energy(gpu, mem).at(flop, bytes, seconds);
        table.add(std::array<double, 3>{batch, gpu, mem}, 1e3 * seconds, joules / seconds);
      }
  return table;
}

TEST(Roofline, FitsRecoverTheConstantsOfOneMode) {
  const TimeRoof time{2e-12, 1e-11};
  const EnergyRoof energy{4e-12, 3e-11, 9};
  std::vector<RoofSample> samples;
  for (double intensity : {0.5, 1.0, 3.0, 8.0, 20.0, 60.0}) {
    const double bytes = 1e8, flop = bytes * intensity;
    const double seconds = time.at(flop, bytes);
    samples.push_back({flop, bytes, seconds, energy.at(flop, bytes, seconds)});
  }
  const TimeRoof fitted = fit_time_roof(samples);
  EXPECT_NEAR(fitted.tau_flop / time.tau_flop, 1, 1e-9);
  EXPECT_NEAR(fitted.tau_mem / time.tau_mem, 1, 1e-9);
  EXPECT_NEAR(fitted.tau_mem / fitted.tau_flop, 5, 1e-6);
  const EnergyRoof spent = fit_energy_roof(samples);
  EXPECT_NEAR(spent.eps_flop / energy.eps_flop, 1, 1e-6);
  EXPECT_NEAR(spent.eps_mem / energy.eps_mem, 1, 1e-6);
  EXPECT_NEAR(spent.pi0, 9, 1e-6);
}

TEST(Roofline, ConstantsStayNonNegativeUnderNoise) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    std::vector<RoofSample> samples;
    for (int i = 0; i < 4; ++i)
      samples.push_back({random.uniform(1e9, 1e10), random.uniform(1e7, 1e9),
                         random.uniform(0.01, 0.1), random.uniform(0.1, 3)});
    const EnergyRoof roof = fit_energy_roof(samples);
    EXPECT_GE(roof.eps_flop, 0);
    EXPECT_GE(roof.eps_mem, 0);
    EXPECT_GE(roof.pi0, 0);
    const TimeRoof time = fit_time_roof(samples);
    EXPECT_GT(time.tau_flop, 0);
    EXPECT_GT(time.tau_mem, 0);
  }
}

TEST(Roofline, PredictsAWorkloadThatWasNeverMeasured) {
  const std::vector<WorkloadTable> references = {
      board("mobilenet_v3", Phase::infer, {1, 16, 64}),
      board("bert_large", Phase::infer, {1, 8, 32}),
      board("lstm", Phase::infer, {1, 64}),
  };
  const WorkloadTable truth = board("resnet50", Phase::infer, {1, 16, 64});
  WorkloadTable nothing = truth;
  nothing.space = Space(truth.space.axes());
  nothing.minibatch_ms.clear();
  nothing.power_w.clear();
  const auto predictor = make_roofline();
  ASSERT_TRUE(predictor->fit(nothing, references, {}).ok());
  const auto prediction = predictor->predict(truth.space);
  ASSERT_TRUE(prediction.ok()) << prediction.error().message;
  EXPECT_LT(mape(prediction->minibatch_ms.mean, truth.minibatch_ms), 0.01);
  EXPECT_LT(mape(prediction->power_w.mean, truth.power_w), 0.01);
}

TEST(Roofline, OwnRowsTellWhatTheTargetAttains) {
  const std::vector<WorkloadTable> references = {board("mobilenet_v3", Phase::infer, {1, 16, 64}),
                                                 board("lstm", Phase::infer, {1, 64}),
                                                 board("bert_large", Phase::infer, {1, 32})};
  const WorkloadTable truth = board("resnet18", Phase::train, {16}, 1.7);
  WorkloadTable few = truth;
  const std::array<size_t, 3> rows = {0, 5, 11};
  few.space = truth.space.subset(rows);
  few.minibatch_ms.clear();
  few.power_w.clear();
  for (size_t row : rows) {
    few.minibatch_ms.push_back(truth.minibatch_ms[row]);
    few.power_w.push_back(truth.power_w[row]);
  }
  const auto predictor = make_roofline();
  ASSERT_TRUE(predictor->fit(few, references, {}).ok());
  const auto prediction = predictor->predict(truth.space);
  ASSERT_TRUE(prediction.ok());
  EXPECT_LT(mape(prediction->minibatch_ms.mean, truth.minibatch_ms), 0.5);
  // Where all references lie under one roof, its energy and the constant power look alike.
  EXPECT_LT(mape(prediction->power_w.mean, truth.power_w), 6);
}

TEST(Roofline, AloneItIsASumOverTheClocks) {
  const WorkloadTable truth = board("resnet50", Phase::train, {16});
  const auto predictor = make_roofline();
  ASSERT_TRUE(predictor->fit(truth, {}, {}).ok());
  const auto prediction = predictor->predict(truth.space);
  ASSERT_TRUE(prediction.ok());
  EXPECT_LT(mape(prediction->minibatch_ms.mean, truth.minibatch_ms), 20);
  EXPECT_NE(prediction->notes[0].find("own rows alone"), std::string::npos);
}

TEST(Roofline, OtherBoardsAndTotalsAreNamedAndLeftOut) {
  WorkloadTable elsewhere = board("mobilenet_v3", Phase::infer, {1});
  elsewhere.device = "elsewhere";
  WorkloadTable total = board("lstm", Phase::infer, {1});
  total.power_total = "monitor";
  const WorkloadTable truth = board("resnet50", Phase::infer, {1});
  const auto predictor = make_roofline();
  const std::vector<WorkloadTable> references = {elsewhere, total};
  ASSERT_TRUE(predictor->fit(truth, references, {}).ok());
  const auto prediction = predictor->predict(truth.space);
  ASSERT_TRUE(prediction.ok());
  EXPECT_TRUE(prediction->power_w.mean.empty());
  EXPECT_NE(prediction->notes[0].find("another board"), std::string::npos);
  EXPECT_NE(prediction->notes[1].find("another total"), std::string::npos);
}

TEST(Roofline, NamesWhatIsWrong) {
  WorkloadTable unknown = board("resnet50", Phase::infer, {1});
  unknown.workload = "no_such_network";
  unknown.cost.reset();
  const auto predictor = make_roofline();
  const auto status = predictor->fit(unknown, {}, {});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("no_such_network"), std::string::npos);
  EXPECT_NE(status.error().hint.find("describe"), std::string::npos);
  EXPECT_FALSE(predictor->predict(unknown.space).ok());
  unknown.cost = Cost{0, 1e9, 1e7, 1e7};
  EXPECT_TRUE(predictor->fit(unknown, {}, {}).ok());
}

}  // namespace
}  // namespace flyball
