#include "predict/gp/gp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/statistics.h"
#include "predict/known_board_testing.h"

namespace flyball {
namespace {

using namespace testing_board;
using testing::Contains;
using testing::HasSubstr;

const WorkloadTable& truth() {
  static const WorkloadTable table = testing_board::table({}, 0, 1);
  return table;
}

Prediction fit_and_predict(const WorkloadTable& measured, const Space& space,
                           std::vector<WorkloadTable> references = {}) {
  const auto predictor = references.empty() ? make_gp() : make_transfer_gp();
  const Status fitted = predictor->fit(measured, references, {});
  EXPECT_TRUE(fitted.ok()) << fitted.error().message;
  auto prediction = predictor->predict(space);
  EXPECT_TRUE(prediction.ok());
  return *std::move(prediction);
}

void expect_sound(const Estimates& estimates, size_t size) {
  ASSERT_EQ(estimates.mean.size(), size);
  for (size_t i = 0; i < size; ++i) {
    EXPECT_TRUE(std::isfinite(estimates.mean[i]));
    EXPECT_GT(estimates.lo90[i], 0);
    EXPECT_LT(estimates.lo90[i], estimates.mean[i]);
    EXPECT_LT(estimates.mean[i], estimates.hi90[i]);
    EXPECT_TRUE(std::isfinite(estimates.hi90[i]));
  }
}

double covered(const Estimates& estimates, const std::vector<double>& truth) {
  double inside = 0;
  for (size_t i = 0; i < truth.size(); ++i)
    inside += truth[i] >= estimates.lo90[i] && truth[i] <= estimates.hi90[i];
  return inside / static_cast<double>(truth.size());
}

TEST(Gp, LearnsAKnownBoardFromThirtyModes) {
  const WorkloadTable noisy = table({}, 0.01, 2);
  const Prediction p = fit_and_predict(random_rows(noisy, 30, 1), noisy.space);
  EXPECT_LT(mape(p.minibatch_ms.mean, noisy.minibatch_ms), 4);
  EXPECT_LT(mape(p.power_w.mean, noisy.power_w), 3);
  EXPECT_GT(covered(p.minibatch_ms, noisy.minibatch_ms), 0.8);
  EXPECT_GT(covered(p.power_w, noisy.power_w), 0.8);
}

TEST(Gp, MoreModesLeaveLessError) {
  double last = 1e9;
  for (size_t n : {5, 20, 80}) {
    std::vector<double> errors;
    for (uint64_t seed = 1; seed < 6; ++seed)
      errors.push_back(
          mape(fit_and_predict(random_rows(truth(), n, seed), truth().space).minibatch_ms.mean,
               truth().minibatch_ms));
    EXPECT_LT(median(errors), last);
    last = median(errors);
  }
  EXPECT_LT(last, 2);
}

TEST(Gp, TwoRowsAreEnoughForTheShape) {
  const size_t top = truth().size() - 1;
  const Prediction p = fit_and_predict(rows_of(truth(), std::array{size_t{0}, top}), truth().space);
  expect_sound(p.minibatch_ms, truth().size());
  expect_sound(p.power_w, truth().size());
  EXPECT_LT(mape(p.minibatch_ms.mean, truth().minibatch_ms), 40);
  EXPECT_NEAR(p.minibatch_ms.mean[top] / truth().minibatch_ms[top], 1, 0.1);
}

TEST(Gp, OneDistinctConfigurationPredictsItselfAndFlagsTheRest) {
  WorkloadTable same = rows_of(truth(), std::array{size_t{500}, size_t{500}, size_t{500}});
  same.minibatch_ms[1] *= 1.04;  // repeats that disagree
  const Prediction p = fit_and_predict(same, truth().space);
  expect_sound(p.minibatch_ms, truth().size());
  EXPECT_NEAR(p.minibatch_ms.mean[500] / same.minibatch_ms[0], 1.01, 0.02);
  EXPECT_FALSE(p.extrapolated[500]);
  EXPECT_TRUE(p.extrapolated[0]);
  EXPECT_TRUE(p.extrapolated[truth().size() - 1]);
}

TEST(Gp, MissingPowersAreLeftOutAndNoneMeansNone) {
  WorkloadTable some = random_rows(truth(), 20, 3);
  some.power_w[4] = some.power_w[11] = no_reading;
  expect_sound(fit_and_predict(some, truth().space).power_w, truth().size());
  for (double& power : some.power_w) power = no_reading;
  EXPECT_TRUE(fit_and_predict(some, truth().space).power_w.mean.empty());
}

TEST(Gp, AFaultyReadingDoesNotBendTheRest) {
  WorkloadTable rows = random_rows(truth(), 40, 4);
  const double before = mape(fit_and_predict(rows, truth().space).power_w.mean, truth().power_w);
  rows.power_w[5] *= 0.6;
  const Prediction p = fit_and_predict(rows, truth().space);
  EXPECT_LT(mape(p.power_w.mean, truth().power_w), before + 0.5);
  EXPECT_THAT(p.notes, testing::Contains(HasSubstr("distrusted")));
}

// A host: no clocks, axes of no physical meaning, zero among their values.
WorkloadTable host() {
  WorkloadTable table;
  table.device = "host";
  table.workload = "net";
  table.space = Space::grid({named_axis("cpu_cores", {1, 2, 4, 8}),
                             named_axis("loader_workers", {0, 1, 2, 4, 8}),
                             named_axis("prefetch", {0, 1, 2, 4})});
  for (size_t i = 0; i < table.space.size(); ++i) {
    const auto x = table.space.row(i);
    const double loading = 60 / std::max(1.0, std::min(x[0], x[1]));
    const double compute = 100 / x[0];
    table.minibatch_ms.push_back(x[1] == 0 ? loading + compute
                                           : std::max(loading, compute) + 5 / (1 + x[2]));
    table.power_w.push_back(no_reading);
  }
  return table;
}

TEST(Gp, LearnsAxesItKnowsNothingOf) {
  const WorkloadTable all = host();
  std::vector<double> errors;
  for (uint64_t seed = 1; seed < 6; ++seed) {
    const Prediction p = fit_and_predict(random_rows(all, 25, seed), all.space);
    expect_sound(p.minibatch_ms, all.size());
    errors.push_back(mape(p.minibatch_ms.mean, all.minibatch_ms));
  }
  EXPECT_LT(median(errors), 12);
}

// The known board with its clocks under names that say nothing.
TEST(Gp, AxesOfUnknownMeaningMayBeClocks) {
  WorkloadTable known = truth(), unknown = truth();
  std::vector<Axis> axes;
  for (const char* name : {"knob_a", "knob_b", "knob_c", "knob_d"})
    axes.push_back(named_axis(name));
  unknown.space = Space(axes);
  for (size_t i = 0; i < known.size(); ++i) unknown.space.add(known.space.row(i));
  std::vector<double> errors;
  for (uint64_t seed = 1; seed < 6; ++seed) {
    const Prediction p = fit_and_predict(random_rows(unknown, 50, seed), unknown.space);
    expect_sound(p.power_w, unknown.size());
    errors.push_back(mape(p.minibatch_ms.mean, unknown.minibatch_ms));
  }
  EXPECT_LT(median(errors), 6);
}

TEST(Gp, NamesWhatIsWrong) {
  const auto predictor = make_gp();
  EXPECT_THAT(predictor->fit(random_rows(truth(), 1, 1), {}, {}).error().message,
              HasSubstr("too few"));
  WorkloadTable bad = random_rows(truth(), 10, 1);
  bad.minibatch_ms[2] = 0;
  EXPECT_THAT(predictor->fit(bad, {}, {}).error().message, HasSubstr("not above zero"));
  ASSERT_TRUE(predictor->fit(random_rows(truth(), 10, 1), {}, {}).ok());
  EXPECT_THAT(predictor->predict(Space({named_axis("cpu_mhz")})).error().message,
              HasSubstr("cpu_cores"));
}

TEST(Gp, FarAwayItIsUnsureAndFinite) {
  Space far(truth().space.axes());
  far.add(std::array{64.0, 9000.0, 9000.0, 9000.0});
  far.add(std::array{1.0, 10.0, 1.0, 1.0});
  const Prediction p = fit_and_predict(random_rows(truth(), 10, 1), far);
  expect_sound(p.minibatch_ms, 2);
  expect_sound(p.power_w, 2);
  EXPECT_TRUE(p.extrapolated[0] && p.extrapolated[1]);
}

TEST(TransferGp, ReferenceOfTheBoardHelps) {
  const WorkloadTable reference = table({"other", 50, 10, 4, 20}, 0.01, 5);
  std::vector<double> alone, transferred;
  for (uint64_t seed = 1; seed < 6; ++seed) {
    const WorkloadTable rows = random_rows(truth(), 20, seed);
    alone.push_back(
        mape(fit_and_predict(rows, truth().space).minibatch_ms.mean, truth().minibatch_ms));
    transferred.push_back(mape(fit_and_predict(rows, truth().space, {reference}).minibatch_ms.mean,
                               truth().minibatch_ms));
  }
  EXPECT_LT(median(transferred), 0.8 * median(alone));
}

TEST(TransferGp, AReferenceThatMisleadsIsPutAside) {
  WorkloadTable nonsense = table({"nonsense"}, 0.01, 6);
  Random random(7);
  for (double& time : nonsense.minibatch_ms) time = 100 * std::exp(random.normal());
  const WorkloadTable rows = random_rows(truth(), 30, 2);
  const double alone =
      mape(fit_and_predict(rows, truth().space).minibatch_ms.mean, truth().minibatch_ms);
  const Prediction p = fit_and_predict(rows, truth().space, {nonsense});
  EXPECT_LT(mape(p.minibatch_ms.mean, truth().minibatch_ms), 1.2 * alone);
  EXPECT_THAT(p.notes, testing::Contains(HasSubstr("no reference helps")));
}

TEST(TransferGp, OneReadingIsEnoughBesideAReference) {
  const WorkloadTable reference = table({"like", 36, 15, 8, 10}, 0.01, 5);
  const WorkloadTable one = random_rows(truth(), 1, 3);
  const Prediction p = fit_and_predict(one, truth().space, {reference});
  EXPECT_LT(mape(p.minibatch_ms.mean, truth().minibatch_ms), 30);
  EXPECT_LT(mape(p.power_w.mean, truth().power_w), 20);
  EXPECT_GT(covered(p.minibatch_ms, truth().minibatch_ms), 0.8);
  EXPECT_FALSE(make_transfer_gp()->fit(one, {}, {}).ok());
}

// Two references that contradict each other: until the readings tell, the answer is as unsure.
TEST(TransferGp, ReferencesThatDisagreeWidenTheIntervals) {
  const WorkloadTable measured = random_rows(truth(), 2, 4);
  const auto width = [&](const std::vector<WorkloadTable>& references) {
    const Estimates e = fit_and_predict(measured, truth().space, references).minibatch_ms;
    std::vector<double> widths;
    for (size_t i = 0; i < e.mean.size(); ++i) widths.push_back(e.hi90[i] / e.lo90[i]);
    return median(widths);
  };
  const WorkloadTable like = table({"like", 36, 15, 8, 10}, 0.01, 5),
                      unlike = table({"unlike", 3, 1, 40, 60}, 0.01, 6);
  EXPECT_GT(width({like, unlike}), width({like, like}));
}

TEST(TransferGp, ReportsReferencesItCannotUseAndTotalsThatDiffer) {
  WorkloadTable reference = table({"other", 50, 10, 4, 20}, 0.01, 5);
  reference.power_total = "monitor";
  WorkloadTable rows = random_rows(truth(), 20, 1);
  rows.power_total = "module";
  for (double& power : reference.power_w) power *= 1.3;
  const Prediction p = fit_and_predict(rows, truth().space, {reference, host()});
  EXPECT_THAT(p.notes, testing::Contains(HasSubstr("'monitor'")));
  EXPECT_THAT(p.notes, testing::Contains(HasSubstr("% against the reference's, over 20 modes")));
  WorkloadTable apart = host();
  apart.space =
      Space::grid({named_axis("threads", {1, 2, 4, 8}), named_axis("precision", {8, 16, 32, 64}),
                   named_axis("prefetch", {0, 1, 2, 3, 4})});
  const Prediction q = fit_and_predict(rows, truth().space, {apart});
  EXPECT_THAT(q.notes, testing::Contains(HasSubstr("left out")));
  EXPECT_LT(mape(p.power_w.mean, truth().power_w), 5);
}

TEST(TransferGp, ReferenceMayBeAHandfulOfRows) {
  const WorkloadTable reference = table({"other", 50, 10, 4, 20}, 0.01, 5);
  const WorkloadTable rows = random_rows(truth(), 10, 1);
  for (size_t n : {3, 60}) {
    const Prediction p = fit_and_predict(rows, truth().space, {random_rows(reference, n, 9)});
    expect_sound(p.minibatch_ms, truth().size());
    expect_sound(p.power_w, truth().size());
  }
}

TEST(TransferGp, SameRowsGiveTheSameAnswer) {
  const WorkloadTable reference = table({"other"}, 0.01, 5), rows = random_rows(truth(), 20, 1);
  const Prediction a = fit_and_predict(rows, truth().space, {reference});
  fit_and_predict(random_rows(truth(), 33, 2), truth().space, {reference});
  const Prediction b = fit_and_predict(rows, truth().space, {reference});
  EXPECT_EQ(a.minibatch_ms.mean, b.minibatch_ms.mean);
  EXPECT_EQ(a.power_w.hi90, b.power_w.hi90);
}

// Surfaces, not single points: the quickest mode is one question about all of them at once.
TEST(Gp, DrawsCoverTheTruthAndTheQuickestMode) {
  const WorkloadTable noisy = table({}, 0.01, 2);
  size_t covers = 0;
  double covered_rows = 0;
  const size_t runs = 10, count = 200;
  for (uint64_t run = 0; run < runs; ++run) {
    const auto predictor = make_gp();
    ASSERT_TRUE(predictor->fit(random_rows(noisy, 10, run), {}, {}).ok());
    const auto draws = predictor->draw(truth().space, count, 1);
    ASSERT_TRUE(draws.ok());
    ASSERT_EQ(draws->log_ms.size(), truth().size() * count);
    ASSERT_EQ(draws->log_w.size(), truth().size() * count);
    std::vector<double> quickest(count, 1e300);
    for (size_t i = 0; i < truth().size(); ++i) {
      std::vector<double> here(count);
      for (size_t s = 0; s < count; ++s) {
        here[s] = draws->log_ms[i * count + s];
        quickest[s] = std::min(quickest[s], here[s]);
      }
      const double true_log = std::log(truth().minibatch_ms[i]);
      covered_rows += true_log > quantile(here, 0.05) && true_log < quantile(here, 0.95);
    }
    const double least = std::log(*std::ranges::min_element(truth().minibatch_ms));
    covers += least > quantile(quickest, 0.05) && least < quantile(quickest, 0.95);
  }
  EXPECT_GT(covered_rows / static_cast<double>(runs * truth().size()), 0.8);
  EXPECT_GE(covers, 7u);
}

TEST(Gp, TimeAndPowerOfADrawBelongTogether) {
  const auto predictor = make_gp();
  ASSERT_TRUE(predictor->fit(random_rows(truth(), 5, 4), {}, {}).ok());
  const auto prediction = predictor->predict(truth().space);
  const auto draws = predictor->draw(truth().space, 400, 1);
  ASSERT_TRUE(prediction.ok() && draws.ok());
  // Work done in less time draws more: energy is surer than time and power are by themselves.
  double together = 0;
  for (size_t i = 0; i < truth().size(); ++i) {
    double product = 0;
    for (size_t s = 0; s < 400; ++s)
      product += (draws->log_ms[i * 400 + s] - std::log(prediction->minibatch_ms.mean[i])) *
                 (draws->log_w[i * 400 + s] - std::log(prediction->power_w.mean[i]));
    together += product;
  }
  EXPECT_LT(together, 0);
}

TEST(Gp, ByDrawsItIsAsPredictedUnlessReadingsAreFew) {
  const auto ratio_with = [](size_t modes) {
    const auto predictor = make_gp();
    EXPECT_TRUE(predictor->fit(random_rows(truth(), modes, 4), {}, {}).ok());
    const auto prediction = predictor->predict(truth().space);
    const auto drawn = predictor->posterior(truth().space, 1);
    EXPECT_TRUE(prediction.ok() && drawn.ok());
    EXPECT_EQ(drawn->log_ms.size(), truth().size());
    EXPECT_EQ(drawn->sd_w.size(), truth().size());
    const Posterior told = posterior_from(*prediction);
    double off = 0, wider = 0, wider_w = 0;
    for (size_t i = 0; i < truth().size(); ++i) {
      off += std::abs(drawn->log_ms[i] - told.log_ms[i]);
      wider += drawn->sd_ms[i] / told.sd_ms[i];
      wider_w += drawn->sd_w[i] / told.sd_w[i];
    }
    const auto n = static_cast<double>(truth().size());
    return std::array{off / n, wider / n, wider_w / n};
  };
  const auto [off, wider, wider_w] = ratio_with(100);
  EXPECT_LT(off, 0.01);
  EXPECT_NEAR(wider, 1, 0.1);
  EXPECT_NEAR(wider_w, 1, 0.1);
  EXPECT_GT(ratio_with(3)[0], 3 * off);
}

TEST(Gp, ByDrawsAConfigurationIsTheSameWhateverElseIsAskedFor) {
  const auto predictor = make_transfer_gp();
  const WorkloadTable reference = table({"other"}, 0.01, 5);
  ASSERT_TRUE(predictor->fit(random_rows(truth(), 6, 4), {&reference, 1}, {}).ok());
  // Of more than a thousand fewer draws would be taken.
  std::vector<size_t> whole(900), some;
  std::iota(whole.begin(), whole.end(), size_t{0});
  for (size_t i = 5; i < whole.size(); i += 31) some.push_back(i);
  const auto all = predictor->posterior(truth().space.subset(whole), 1),
             part = predictor->posterior(truth().space.subset(some), 1);
  ASSERT_TRUE(all.ok() && part.ok());
  for (size_t k = 0; k < some.size(); ++k) {
    EXPECT_NEAR(part->log_ms[k], all->log_ms[some[k]], 1e-9);
    EXPECT_NEAR(part->sd_w[k], all->sd_w[some[k]], 1e-9);
  }
}

// What a simulation says of the board: it errs by a fifth in time, by a few percent in power, and
// its stages weigh otherwise.
WorkloadTable with_prior(WorkloadTable measured) {
  WorkloadTable told = table({"net", 26, 18, 11, 8, 0}, 0, 1);
  for (double& ms : told.minibatch_ms) ms *= 1.2;
  for (double& power : told.power_w) power *= 0.95;
  measured.prior = std::make_shared<const WorkloadTable>(std::move(told));
  return measured;
}

Prediction predict_with_prior(const WorkloadTable& measured) {
  const auto predictor = make_transfer_gp();
  const Status fitted = predictor->fit(measured, {}, {});
  EXPECT_TRUE(fitted.ok()) << fitted.error().message;
  auto prediction = predictor->predict(truth().space);
  EXPECT_TRUE(prediction.ok());
  return *std::move(prediction);
}

TEST(TransferGp, ASimulationAnswersBeforeTheFirstReading) {
  const Prediction p = predict_with_prior(with_prior(take_rows(truth(), {})));
  expect_sound(p.minibatch_ms, truth().size());
  expect_sound(p.power_w, truth().size());
  EXPECT_NEAR(mape(p.minibatch_ms.mean, truth().minibatch_ms), 20, 8);
  EXPECT_LT(mape(p.power_w.mean, truth().power_w), 8);
  EXPECT_GT(covered(p.minibatch_ms, truth().minibatch_ms), 0.9);
  EXPECT_TRUE(p.extrapolated[0]);
  EXPECT_TRUE(p.simulated_outside);
}

TEST(TransferGp, ASimulationGivesTheShapeAndOneReadingTheLevel) {
  const Prediction p = predict_with_prior(with_prior(rows_of(truth(), std::array{size_t{500}})));
  EXPECT_LT(mape(p.minibatch_ms.mean, truth().minibatch_ms), 12);
  EXPECT_LT(mape(p.power_w.mean, truth().power_w), 5);
  EXPECT_GT(covered(p.minibatch_ms, truth().minibatch_ms), 0.9);
  EXPECT_THAT(p.notes, Contains(HasSubstr("net train on board is simulated to do")));
}

TEST(TransferGp, ASimulationOfAnotherTotalSaysNothingOfTheLevelOfPower) {
  WorkloadTable measured = with_prior(rows_of(truth(), std::array{size_t{500}, size_t{900}}));
  measured.power_total = "wall";
  for (double& power : measured.power_w) power *= 3;
  const Prediction p = predict_with_prior(measured);
  EXPECT_NEAR(p.power_w.mean[700] / truth().power_w[700], 3, 0.3);
  EXPECT_THAT(p.notes, Contains(HasSubstr("only its shape is used")));
}

TEST(TransferGp, ReadingsOverruleASimulationThatMisleads) {
  WorkloadTable measured = random_rows(truth(), 30, 1);
  WorkloadTable wrong = table({"net", 2, 1, 60, 1, 0}, 0, 1);
  measured.prior = std::make_shared<const WorkloadTable>(std::move(wrong));
  const Prediction p = predict_with_prior(measured);
  EXPECT_LT(mape(p.minibatch_ms.mean, truth().minibatch_ms), 6);
}

}  // namespace
}  // namespace flyball
