// What is used when nobody says, on boards and surfaces of other shapes than its forms'.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "base/statistics.h"
#include "predict/known_board_testing.h"
#include "predictors/registry.h"

namespace flyball {
namespace {

using namespace testing_board;
using testing::HasSubstr;

Prediction predict(const WorkloadTable& measured, const Space& space,
                   std::vector<WorkloadTable> references = {}) {
  const auto predictor = *make_predictor(default_predictor());
  const Status fitted = predictor->fit(measured, references, {});
  EXPECT_TRUE(fitted.ok()) << fitted.error().message;
  auto prediction = predictor->predict(space);
  EXPECT_TRUE(prediction.ok());
  return *std::move(prediction);
}

// Modes on which time and power are what `time` and `watts` say.
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

double error_of(const WorkloadTable& truth, size_t modes, uint64_t seed) {
  const Prediction p = predict(random_rows(truth, modes, seed), truth.space);
  return std::max(mape(p.minibatch_ms.mean, truth.minibatch_ms),
                  mape(p.power_w.mean, truth.power_w));
}

TEST(DefaultPredictor, KnowsABoardFromFortyModes) {
  EXPECT_LT(error_of(table({}, 0.01, 1), 40, 1), 4);
}

TEST(DefaultPredictor, IsBetterWithAnEarlierWorkload) {
  const WorkloadTable truth = table({}, 0.01, 1), some = random_rows(truth, 10, 1);
  const WorkloadTable reference = table({"other", 22, 20, 12, 6, 0.03}, 0.01, 2);
  const Prediction alone = predict(some, truth.space);
  const Prediction taught = predict(some, truth.space, {reference});
  EXPECT_LT(mape(taught.minibatch_ms.mean, truth.minibatch_ms),
            mape(alone.minibatch_ms.mean, truth.minibatch_ms));
}

TEST(DefaultPredictor, FollowsSurfacesOfOtherShapes) {
  const WorkloadTable sum =
      surface([](auto x) { return 3 + 9e3 / x[0] + 3e4 / x[1] + 2e4 / x[2]; },
              [](auto x) { return 4 + 3e-9 * std::pow(x[1], 3) + 1e-3 * x[2]; });
  const WorkloadTable line =
      surface([](auto x) { return 900 - 0.2 * x[0] - 0.2 * x[1] - 0.03 * x[2]; },
              [](auto x) { return 4 + 0.01 * x[1]; });
  const WorkloadTable law = surface(
      [](auto x) {
        const double steep = x[2] < 1000 ? 1.4 : 0.6;
        return 4e5 * std::pow(x[0], -0.9 * steep) * std::pow(x[1], -0.4 * steep);
      },
      [](auto x) { return 4 + 0.01 * x[1]; });
  EXPECT_LT(error_of(sum, 40, 3), 1);
  EXPECT_LT(error_of(line, 40, 4), 3);
  EXPECT_LT(error_of(law, 60, 5), 1);
}

TEST(DefaultPredictor, NeedsNoPower) {
  WorkloadTable rows = random_rows(table({}, 0.01, 1), 15, 1);
  for (double& power : rows.power_w) power = no_reading;
  EXPECT_TRUE(predict(rows, rows.space).power_w.mean.empty());
}

TEST(DefaultPredictor, NamesWhatIsWrong) {
  const auto predictor = *make_predictor(default_predictor());
  WorkloadTable truth = table({}, 0, 1);
  EXPECT_FALSE(predictor->predict(truth.space).ok());
  EXPECT_THAT(predictor->fit(rows_of(truth, std::array{size_t{1}}), {}, {}).error().message,
              HasSubstr("too few"));
  truth.minibatch_ms[1] = 0;
  EXPECT_THAT(predictor->fit(truth, {}, {}).error().message, HasSubstr("not above zero"));
}

TEST(DefaultPredictor, ASimulationLetsItAnswerWithoutAReading) {
  const WorkloadTable truth = table({}, 0, 1);
  for (const size_t rows : {0, 1}) {
    WorkloadTable measured = random_rows(truth, rows, 1);
    measured.prior = std::make_shared<const WorkloadTable>(truth);
    const Prediction p = predict(measured, truth.space);
    EXPECT_LT(mape(p.minibatch_ms.mean, truth.minibatch_ms), 10) << rows;
  }
}

TEST(DefaultPredictor, SaysThatItNeedsReadingsWhereNothingElseIsKnown) {
  const WorkloadTable truth = table({}, 0, 1);
  const WorkloadTable references[] = {table({"other"}, 0, 1)};
  for (const auto& known :
       {std::span<const WorkloadTable>(), std::span<const WorkloadTable>(references)}) {
    const Status fitted = (*make_predictor("auto"))->fit(take_rows(truth, {}), known, {});
    ASSERT_FALSE(fitted.ok());
    EXPECT_THAT(fitted.error().message, HasSubstr("0 measurements of net are too few"));
  }
}

}  // namespace
}  // namespace flyball
