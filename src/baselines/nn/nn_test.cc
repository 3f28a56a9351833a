#include "baselines/nn/nn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "base/statistics.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::HasSubstr;

Space empty_space() {
  return Space({named_axis("cpu_cores"), named_axis("cpu_mhz"), named_axis("gpu_mhz")});
}

// A board of three axes: time falls as 1/f, power rises with f. `load` tells workloads apart.
WorkloadTable board(double load, const std::string& workload = "toy") {
  const Space grid = Space::grid({named_axis("cpu_cores", {2, 4, 8}),
                                  named_axis("cpu_mhz", {500, 1000, 1500, 2000}),
                                  named_axis("gpu_mhz", {300, 500, 700, 900, 1100, 1300})});
  WorkloadTable table;
  table.device = "toy_board";
  table.workload = workload;
  table.space = empty_space();
  for (size_t i = 0; i < grid.size(); ++i) {
    const auto row = grid.row(i);
    const double time = 20 + load * 30000 / row[2] + 20000 / row[1] / std::sqrt(row[0]);
    const double power = 8 + row[2] / 100 * load + row[0] * row[1] / 1500;
    table.add(row, time, power);
  }
  return table;
}

WorkloadTable some_of(const WorkloadTable& table, size_t modes, uint64_t seed) {
  WorkloadTable chosen = table;
  chosen.space = empty_space();
  chosen.minibatch_ms.clear();
  chosen.power_w.clear();
  for (size_t i : Random(seed).sample(table.size(), modes))
    chosen.add(table.space.row(i), table.minibatch_ms[i], table.power_w[i]);
  return chosen;
}

// A smaller network than the paper's, so that the tests are quick.
NnOptions quick() {
  NnOptions options;
  options.network.hidden = {64, 32};
  options.network.dropout = {0.1, 0};
  options.network.learning_rate = 3e-3;
  options.repeats = 20;
  options.reference_repeats = 10;
  return options;
}

struct Errors {
  double time = 0, power = 0;
};

Errors errors_of(Predictor& predictor, const WorkloadTable& truth, size_t modes,
                 std::span<const WorkloadTable> references) {
  EXPECT_TRUE(predictor.fit(some_of(truth, modes, 4), references, {}).ok());
  const auto prediction = predictor.predict(truth.space);
  EXPECT_TRUE(prediction.ok());
  for (const Estimates* estimates : {&prediction->minibatch_ms, &prediction->power_w})
    for (size_t i = 0; i < truth.size(); ++i) {
      EXPECT_GT(estimates->lo90[i], 0);
      EXPECT_LT(estimates->lo90[i], estimates->mean[i]);
      EXPECT_GT(estimates->hi90[i], estimates->mean[i]);
    }
  return {mape(prediction->minibatch_ms.mean, truth.minibatch_ms),
          mape(prediction->power_w.mean, truth.power_w)};
}

TEST(Nn, LearnsAKnownSurface) {
  const auto nn = make_nn(quick());
  const Errors errors = errors_of(*nn, board(1), 50, {});
  EXPECT_LT(errors.time, 12);
  EXPECT_LT(errors.power, 12);
}

TEST(Nn, ReferenceHelpsWhereFewAreKnown) {
  const std::vector<WorkloadTable> references = {board(1.3, "other")};
  const auto nn = make_nn(quick()), transfer = make_transfer_nn(quick());
  const Errors alone = errors_of(*nn, board(1), 10, references);
  const Errors helped = errors_of(*transfer, board(1), 10, references);
  EXPECT_LT(helped.time, 0.8 * alone.time);
  EXPECT_LT(helped.power, alone.power);
}

TEST(Nn, LogTargetAndMapeLearnToo) {
  NnOptions options = quick();
  options.log_target = true;
  EXPECT_LT(errors_of(*make_nn(options), board(1), 40, {}).time, 15);
  options.log_target = false;
  options.network.loss = Loss::mape;
  EXPECT_LT(errors_of(*make_nn(options), board(1), 40, {}).time, 25);
}

TEST(Nn, SameSeedSamePredictions) {
  const WorkloadTable truth = board(1);
  const auto predicted = [&](uint64_t seed) {
    const auto nn = make_nn(quick());
    EXPECT_TRUE(nn->fit(some_of(truth, 10, 1), {}, {seed}).ok());
    return nn->predict(truth.space)->minibatch_ms.mean;
  };
  EXPECT_EQ(predicted(1), predicted(1));
  EXPECT_NE(predicted(1), predicted(2));
}

TEST(Nn, SaysWhereItStartsFrom) {
  const WorkloadTable truth = board(1);
  std::vector<WorkloadTable> references = {board(0.5, "narrow"), board(2, "wide")};
  NnOptions options = quick();
  options.network.epochs = 2;
  const auto transfer = make_transfer_nn(options);
  ASSERT_TRUE(transfer->fit(some_of(truth, 10, 1), references, {}).ok());
  EXPECT_THAT(transfer->predict(truth.space)->notes,
              Contains("transfer-nn: starts from wide train on toy_board"));
  ASSERT_TRUE(transfer->fit(some_of(truth, 10, 1), {}, {}).ok());
  EXPECT_THAT(transfer->predict(truth.space)->notes, Contains(HasSubstr("from scratch")));
}

TEST(Nn, FewRowsRepeatsAndMissingPower) {
  const WorkloadTable truth = board(1);
  NnOptions options = quick();
  options.network.epochs = 3;
  const auto nn = make_nn(options);
  EXPECT_FALSE(nn->predict(truth.space).ok());
  EXPECT_THAT(nn->fit(some_of(truth, 2, 1), {}, {}).error().message, HasSubstr("too few"));
  // Three rows of two configurations are too few as well.
  WorkloadTable twice = some_of(truth, 2, 1);
  const std::vector<double> row(twice.space.row(0).begin(), twice.space.row(0).end());
  twice.add(row, 100, 10);
  EXPECT_THAT(nn->fit(twice, {}, {}).error().message, HasSubstr("2 distinct"));
  WorkloadTable measured = some_of(truth, 6, 1);
  for (size_t i = 2; i < 6; ++i) measured.power_w[i] = NAN;
  ASSERT_TRUE(nn->fit(measured, {}, {}).ok());
  const auto prediction = nn->predict(truth.space);
  EXPECT_TRUE(prediction->power_w.mean.empty());
  EXPECT_THAT(prediction->notes, Contains(HasSubstr("power was measured in fewer than 3")));
  measured.minibatch_ms[3] = 0;
  EXPECT_FALSE(nn->fit(measured, {}, {}).ok());
}

TEST(Nn, FlagsWhatLiesOutside) {
  const WorkloadTable truth = board(1);
  WorkloadTable inner = truth;
  inner.space = empty_space();
  inner.minibatch_ms.clear();
  inner.power_w.clear();
  for (size_t i = 0; i < truth.size(); ++i)
    if (truth.space.row(i)[2] <= 900)
      inner.add(truth.space.row(i), truth.minibatch_ms[i], truth.power_w[i]);
  NnOptions options = quick();
  options.network.epochs = 2;
  const auto nn = make_nn(options);
  ASSERT_TRUE(nn->fit(inner, {}, {}).ok());
  const auto prediction = nn->predict(truth.space);
  for (size_t i = 0; i < truth.size(); ++i)
    EXPECT_EQ(prediction->extrapolated[i], truth.space.row(i)[2] > 900);
}

TEST(NnOptions, StandBehindTheNameOfTheNetwork) {
  const std::vector<std::string> words = {"mape",          "log",      "norefit",
                                          "reference=546", "epochs=7", "repeats=3"};
  const auto options = parse_nn_options(words);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->network.loss, Loss::mape);
  EXPECT_TRUE(options->log_target);
  EXPECT_FALSE(options->refit);
  EXPECT_EQ(options->reference_modes, 546u);
  EXPECT_EQ(options->network.epochs, 7);
  EXPECT_EQ(options->repeats, 3);
}

}  // namespace
}  // namespace flyball
