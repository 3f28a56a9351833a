#include "predictors/auto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/statistics.h"
#include "predict/gp/gp.h"
#include "predict/known_board_testing.h"
#include "predictors/registry.h"

namespace flyball {
namespace {

using namespace testing_board;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Prediction predict(const WorkloadTable& measured, const Space& space,
                   std::vector<WorkloadTable> references = {}) {
  const auto predictor = make_auto();
  const Status fitted = predictor->fit(measured, references, {});
  EXPECT_TRUE(fitted.ok()) << fitted.error().message;
  auto prediction = predictor->predict(space);
  EXPECT_TRUE(prediction.ok());
  return *std::move(prediction);
}

// Modes, and a batch size, on which time and power are what `time` and `watts` say.
template <class Time, class Watts>
WorkloadTable surface(Time time, Watts watts) {
  WorkloadTable table;
  table.workload = "known";
  table.space = Space::grid({named_axis("cpu_mhz", {300, 700, 1100, 1500, 1900, 2200}),
                             named_axis("gpu_mhz", {115, 400, 700, 1000, 1300}),
                             named_axis("mem_mhz", {665, 2133, 3200})});
  for (size_t i = 0; i < table.space.size(); ++i) {
    table.minibatch_ms.push_back(time(table.space.row(i)));
    table.power_w.push_back(watts(table.space.row(i)));
  }
  return table;
}

TEST(Auto, IsTheDefaultAndStandsInTheList) {
  EXPECT_EQ(default_predictor(), "auto");
  EXPECT_TRUE(make_predictor("auto").ok());
}

TEST(Auto, TakesTheProcessWhereTheBoardIsAsItKnowsThem) {
  const WorkloadTable truth = table({}, 0.01, 1);
  const Prediction p = predict(random_rows(truth, 40, 1), truth.space);
  EXPECT_THAT(p.notes, Contains(HasSubstr("time by gp")));
  EXPECT_THAT(p.notes, Contains(HasSubstr("power by gp")));
  EXPECT_LT(mape(p.minibatch_ms.mean, truth.minibatch_ms), 4);
}

TEST(Auto, TakesTheReferenceWhereItHelps) {
  const WorkloadTable truth = table({}, 0.01, 1);
  const WorkloadTable reference = table({"other", 22, 20, 12, 6, 0.03}, 0.01, 2);
  const Prediction p = predict(random_rows(truth, 20, 1), truth.space, {reference});
  EXPECT_THAT(p.notes, Contains(HasSubstr("time by transfer-gp")));
}

// Sums of 1/f and of f³ are what `physical` says, to the last digit.
TEST(Auto, TakesThePhysicalSumWhereItIsExact) {
  const WorkloadTable truth =
      surface([](auto x) { return 3 + 9e3 / x[0] + 3e4 / x[1] + 2e4 / x[2]; },
              [](auto x) { return 4 + 3e-9 * std::pow(x[1], 3) + 1e-3 * x[2]; });
  const Prediction p = predict(random_rows(truth, 40, 3), truth.space);
  EXPECT_THAT(p.notes, Contains(HasSubstr("time by physical")));
  EXPECT_THAT(p.notes, Contains(HasSubstr("power by physical")));
  EXPECT_LT(mape(p.minibatch_ms.mean, truth.minibatch_ms), 0.1);
}

// A line in the clocks: what `linear` says.
TEST(Auto, TakesTheLineWhereItIsExact) {
  const WorkloadTable truth =
      surface([](auto x) { return 900 - 0.2 * x[0] - 0.2 * x[1] - 0.03 * x[2]; },
              [](auto x) { return 4 + 0.01 * x[1]; });
  const Prediction p = predict(random_rows(truth, 40, 4), truth.space);
  EXPECT_THAT(p.notes, Contains(HasSubstr("time by linear")));
  EXPECT_LT(mape(p.minibatch_ms.mean, truth.minibatch_ms), 0.1);
}

// A power law with exponents of its own for each memory clock: what `analytical` says.
TEST(Auto, TakesThePowerLawWhereItIsExact) {
  const WorkloadTable truth = surface(
      [](auto x) {
        const double steep = x[2] < 1000 ? 1.4 : 0.6;
        return 4e5 * std::pow(x[0], -0.9 * steep) * std::pow(x[1], -0.4 * steep);
      },
      [](auto x) { return 4 + 0.01 * x[1]; });
  const Prediction p = predict(random_rows(truth, 60, 5), truth.space);
  EXPECT_THAT(p.notes, Contains(HasSubstr("time by analytical")));
  EXPECT_LT(mape(p.minibatch_ms.mean, truth.minibatch_ms), 0.1);
}

TEST(Auto, SaysWhenThereIsNothingToCompareOn) {
  const WorkloadTable truth = table({}, 0.01, 1);
  const Prediction p = predict(random_rows(truth, 4, 1), truth.space);
  EXPECT_THAT(p.notes, Contains(HasSubstr("too few to compare")));
  for (double time : p.minibatch_ms.mean) EXPECT_TRUE(std::isfinite(time) && time > 0);
}

TEST(Auto, RepeatsOfAConfigurationAreLeftOutTogether) {
  // Five configurations, however often: a model that knows them by heart would win otherwise.
  const WorkloadTable truth = table({}, 0.01, 1);
  std::vector<size_t> rows;
  for (size_t i = 0; i < 20; ++i) rows.push_back(100 * (i % 5));
  const Prediction p = predict(rows_of(truth, rows), truth.space);
  EXPECT_THAT(p.notes, Contains(HasSubstr("5 distinct configurations are too few")));
}

TEST(Auto, NeverTrainsANetworkAndNeedsNoPower) {
  WorkloadTable rows = random_rows(table({}, 0.01, 1), 15, 1);
  for (double& power : rows.power_w) power = no_reading;
  const Prediction p = predict(rows, rows.space);
  EXPECT_TRUE(p.power_w.mean.empty());
  EXPECT_THAT(p.notes, Not(Contains(HasSubstr("nn "))));
}

TEST(Auto, NamesWhatIsWrong) {
  const auto predictor = make_auto();
  WorkloadTable truth = table({}, 0, 1);
  EXPECT_FALSE(predictor->predict(truth.space).ok());
  EXPECT_THAT(predictor->fit(rows_of(truth, std::array{size_t{1}}), {}, {}).error().message,
              HasSubstr("too few"));
  truth.minibatch_ms[1] = 0;
  EXPECT_THAT(predictor->fit(truth, {}, {}).error().message, HasSubstr("not above zero"));
}

TEST(Auto, ASimulationLetsItAnswerWithoutAReading) {
  const WorkloadTable truth = table({}, 0, 1);
  for (const size_t rows : {0, 1}) {
    WorkloadTable measured = random_rows(truth, rows, 1);
    measured.prior = std::make_shared<const WorkloadTable>(truth);
    const Prediction p = predict(measured, truth.space);
    EXPECT_LT(mape(p.minibatch_ms.mean, truth.minibatch_ms), 10) << rows;
  }
}

TEST(Auto, SaysThatItNeedsReadingsWhereNothingElseIsKnown) {
  const WorkloadTable truth = table({}, 0, 1);
  const WorkloadTable references[] = {table({"other"}, 0, 1)};
  for (const auto& known :
       {std::span<const WorkloadTable>(), std::span<const WorkloadTable>(references)}) {
    const Status fitted = make_auto()->fit(take_rows(truth, {}), known, {});
    ASSERT_FALSE(fitted.ok());
    EXPECT_THAT(fitted.error().message, HasSubstr("0 measurements of net are too few"));
  }
}

}  // namespace
}  // namespace flyball
