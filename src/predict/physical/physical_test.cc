#include "predict/physical/physical.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "base/random.h"
#include "base/statistics.h"
#include "predict/known_board_testing.h"

namespace flyball {
namespace {

using testing_board::rows_of;

// A pipeline without overlap, exactly of the form: a part on the CPU, one spread over the cores,
// one on the GPU; power of a base, the cores' f³ and the GPU's f and f³.
double time_ms(std::span<const double> x) {
  return 2 + 8e3 / x[1] + 9e4 / (x[0] * x[1]) + 3e4 / x[2];
}
double watts(std::span<const double> x) {
  return 6 + 3e-10 * x[0] * std::pow(x[1], 3) + 4e-3 * x[2] + 5e-9 * std::pow(x[2], 3);
}

WorkloadTable physical_board() {
  WorkloadTable table;
  table.workload = "sum";
  table.space = Space::grid({named_axis("cpu_cores", {2, 4, 8, 12}),
                             named_axis("cpu_mhz", {300, 700, 1100, 1500, 2200}),
                             named_axis("gpu_mhz", {115, 400, 700, 1000, 1300})});
  for (size_t i = 0; i < table.space.size(); ++i) {
    table.minibatch_ms.push_back(time_ms(table.space.row(i)));
    table.power_w.push_back(watts(table.space.row(i)));
  }
  return table;
}

Prediction physical_prediction(const WorkloadTable& measured, const Space& space) {
  const auto predictor = make_physical();
  EXPECT_TRUE(predictor->fit(measured, {}, {}).ok());
  auto prediction = predictor->predict(space);
  EXPECT_TRUE(prediction.ok());
  return *std::move(prediction);
}

TEST(Physical, RecoversASumOfItsTerms) {
  const WorkloadTable truth = physical_board();
  const Prediction p = physical_prediction(testing_board::random_rows(truth, 25, 1), truth.space);
  EXPECT_LT(mape(p.minibatch_ms.mean, truth.minibatch_ms), 1e-3);
  EXPECT_LT(mape(p.power_w.mean, truth.power_w), 1e-3);
}

TEST(Physical, FindsTheWeightsOfItsTerms) {
  const WorkloadTable truth = physical_board();
  const std::vector<double> x(truth.space.values().begin(), truth.space.values().end());
  const PhysicalFit fit = fit_physical(truth.space.axes(), physical_time_terms(truth.space.axes()),
                                       x, truth.minibatch_ms);
  std::map<std::string, double> weights;
  int found = 0;
  for (size_t j = 0; j < fit.terms.size(); ++j) {
    EXPECT_GE(fit.weights[j], 0);
    weights[fit.terms[j].name] = fit.weights[j];
    found += fit.weights[j] > 1e-6;
  }
  EXPECT_NEAR(weights["1/(gpu_mhz)"] * 1300, 3e4, 3);
  EXPECT_NEAR(weights["1/(cpu_cores cpu_mhz)"] * 12 * 2200, 9e4, 9);
  EXPECT_EQ(found, 4);
}

TEST(Physical, AFaultyReadingDoesNotBendTheRest) {
  const WorkloadTable truth = physical_board();
  WorkloadTable rows = testing_board::random_rows(truth, 30, 2);
  rows.power_w[7] *= 0.6;
  rows.minibatch_ms[3] *= 1.7;
  const Prediction p = physical_prediction(rows, truth.space);
  EXPECT_LT(mape(p.minibatch_ms.mean, truth.minibatch_ms), 0.5);
  EXPECT_LT(mape(p.power_w.mean, truth.power_w), 0.5);
}

TEST(Physical, IntervalsCoverWhatTheNoiseDoes) {
  WorkloadTable truth = physical_board();
  Random random(3);
  for (size_t i = 0; i < truth.size(); ++i) {
    truth.minibatch_ms[i] *= std::exp(0.04 * random.normal());
    truth.power_w[i] *= std::exp(0.02 * random.normal());
  }
  const Prediction p = physical_prediction(testing_board::random_rows(truth, 40, 4), truth.space);
  double time_inside = 0, power_inside = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    time_inside += truth.minibatch_ms[i] >= p.minibatch_ms.lo90[i] &&
                   truth.minibatch_ms[i] <= p.minibatch_ms.hi90[i];
    power_inside += truth.power_w[i] >= p.power_w.lo90[i] && truth.power_w[i] <= p.power_w.hi90[i];
  }
  EXPECT_NEAR(time_inside / static_cast<double>(truth.size()), 0.9, 0.09);
  EXPECT_NEAR(power_inside / static_cast<double>(truth.size()), 0.9, 0.09);
}

TEST(Physical, RaisesTimeWithTheBatchAndLeavesItOutWithoutOne) {
  WorkloadTable table;
  table.workload = "batches";
  table.space = Space::grid(
      {named_axis("gpu_mhz", {100, 300, 900}), named_axis("batch_size", {1, 4, 16, 64})});
  for (size_t i = 0; i < table.space.size(); ++i) {
    const auto x = table.space.row(i);
    table.minibatch_ms.push_back((300 + 900 * x[1]) / x[0]);
    table.power_w.push_back(5 + 0.01 * x[0]);
  }
  const Prediction p = physical_prediction(table, table.space);
  EXPECT_LT(mape(p.minibatch_ms.mean, table.minibatch_ms), 1e-3);
}

// Zero workers, and an axis of which nothing is known.
TEST(Physical, ZeroOnAnAxisIsNoInfinity) {
  WorkloadTable table;
  table.workload = "workers";
  table.space =
      Space::grid({named_axis("loader_workers", {0, 1, 2, 4}), named_axis("oddity", {-3, 0, 5})});
  for (size_t i = 0; i < table.space.size(); ++i) {
    table.minibatch_ms.push_back(5 + 20 / (1 + table.space.row(i)[0]));
    table.power_w.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  const Prediction p = physical_prediction(table, table.space);
  EXPECT_LT(mape(p.minibatch_ms.mean, table.minibatch_ms), 1e-3);
  EXPECT_TRUE(p.power_w.mean.empty());
}

TEST(Physical, TwoRowsGiveAFiniteAnswerAndOutsideIsSaid) {
  const WorkloadTable truth = physical_board();
  const Prediction p =
      physical_prediction(rows_of(truth, std::array{size_t{30}, size_t{60}}), truth.space);
  for (size_t i = 0; i < truth.size(); ++i) {
    EXPECT_TRUE(std::isfinite(p.minibatch_ms.mean[i]) && p.minibatch_ms.mean[i] > 0);
    EXPECT_TRUE(std::isfinite(p.power_w.mean[i]) && p.power_w.mean[i] > 0);
  }
  EXPECT_TRUE(p.extrapolated[0]);
  EXPECT_FALSE(p.extrapolated[30]);
}

TEST(Physical, NamesWhatIsWrong) {
  const auto predictor = make_physical();
  WorkloadTable truth = physical_board();
  EXPECT_FALSE(predictor->predict(truth.space).ok());
  EXPECT_NE(
      predictor->fit(rows_of(truth, std::array{size_t{3}}), {}, {}).error().message.find("too few"),
      std::string::npos);
  truth.minibatch_ms[5] = -1;
  EXPECT_NE(predictor->fit(truth, {}, {}).error().message.find("not above zero"),
            std::string::npos);
}

}  // namespace
}  // namespace flyball
