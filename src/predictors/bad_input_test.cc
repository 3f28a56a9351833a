// What every predictor owes to rows that are wrong, few, odd or far away: a clear error or a stated
// fallback, never a NaN, never silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "base/statistics.h"
#include "module/module.h"
#include "predict/known_board_testing.h"
#include "predict/rows.h"
#include "predictors/registry.h"

namespace flyball {
namespace {

using namespace testing_board;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

// Its work is known, so that predictors which need that can be asked, too.
WorkloadTable counted(WorkloadTable all) {
  all.cost = Cost{0, 4e9, 5e7, 2e7};
  return all;
}

const WorkloadTable& truth() {
  static const WorkloadTable all = counted(table({}, 0.01, 1));
  return all;
}

void expect_sound(const Estimates& estimates, size_t size) {
  ASSERT_EQ(estimates.mean.size(), size);
  for (size_t i = 0; i < size; ++i) {
    EXPECT_TRUE(std::isfinite(estimates.mean[i]) && estimates.mean[i] > 0) << i;
    EXPECT_TRUE(std::isfinite(estimates.lo90[i]) && std::isfinite(estimates.hi90[i])) << i;
    EXPECT_LE(estimates.lo90[i], estimates.mean[i]) << i;
    EXPECT_LE(estimates.mean[i], estimates.hi90[i]) << i;
  }
}

class BadInput : public testing::TestWithParam<std::string> {
 protected:
  // Two epochs do for a network: it is not its accuracy that is asked about.
  std::unique_ptr<Predictor> make() const {
    return *make_predictor(GetParam() + (facts().neural ? "+epochs=2+repeats=2" : ""));
  }
  const PredictorEntry& facts() const { return **find_predictor(GetParam()); }
  Prediction predict(const WorkloadTable& measured, const Space& space,
                     std::vector<WorkloadTable> references = {}) const {
    const auto predictor = make();
    const Status fitted = predictor->fit(measured, references, {});
    EXPECT_TRUE(fitted.ok()) << fitted.error().message;
    auto prediction = predictor->predict(space);
    EXPECT_TRUE(prediction.ok());
    return *std::move(prediction);
  }
  void expect_refused(const WorkloadTable& measured, const std::string& why) const {
    const Status fitted = make()->fit(measured, {}, {});
    ASSERT_FALSE(fitted.ok());
    EXPECT_THAT(fitted.error().message, HasSubstr(why));
    EXPECT_FALSE(fitted.error().hint.empty());
  }
};

TEST_P(BadInput, TooFewRowsAreRefused) {
  expect_refused(random_rows(truth(), 1, 1), "too few");
}

TEST_P(BadInput, RowsThatNobodyMeasuredAreRefusedUnlessAccepted) {
  WorkloadTable rows = random_rows(truth(), 12, 1);
  rows.provenance.assign(rows.size(), Provenance::table);
  rows.provenance[5] = Provenance::predicted;
  expect_refused(rows, "was predicted, not measured");
  rows.provenance[5] = Provenance::simulated;
  expect_refused(rows, "was simulated, not measured");
  rows.accepted.predicted = true;
  expect_refused(rows, "was simulated, not measured");
  rows.accepted.simulated = true;
  EXPECT_TRUE(make()->fit(rows, {}, {}).ok());
}

TEST_P(BadInput, ATimeThatIsNoTimeIsRefused) {
  for (double bad : {0.0, -3.0, no_reading, std::numeric_limits<double>::infinity()}) {
    WorkloadTable rows = random_rows(truth(), 12, 1);
    rows.minibatch_ms[5] = bad;
    expect_refused(rows, "not above zero");
  }
}

TEST_P(BadInput, APowerThatIsNoPowerIsRefused) {
  for (double bad : {0.0, -3.0, std::numeric_limits<double>::infinity()}) {
    WorkloadTable rows = random_rows(truth(), 12, 1);
    rows.power_w[5] = bad;
    expect_refused(rows, "not above zero");
  }
}

TEST_P(BadInput, OneValueOnAnAxisMakesOthersExtrapolated) {
  std::vector<size_t> one;  // the lowest memory clock only
  for (size_t i = 0; i < truth().size(); i += 3 * 7) one.push_back(i);
  const Prediction p = predict(rows_of(truth(), one), truth().space);
  expect_sound(p.minibatch_ms, truth().size());
  ASSERT_EQ(p.extrapolated.size(), truth().size());
  for (size_t i = 0; i < truth().size(); ++i) {
    const auto x = truth().space.row(i);
    EXPECT_EQ(p.extrapolated[i], x[2] != 115 || x[3] != 665) << i;
  }
}

TEST_P(BadInput, RepeatsThatDisagreeAreTakenTogether) {
  WorkloadTable rows = random_rows(truth(), 15, 2);
  const std::vector<double> twice(rows.space.row(4).begin(), rows.space.row(4).end());
  rows.add(twice, rows.minibatch_ms[4] * 1.3, rows.power_w[4] * 0.8);
  const Prediction p = predict(rows, truth().space);
  expect_sound(p.minibatch_ms, truth().size());
  expect_sound(p.power_w, truth().size());
}

TEST_P(BadInput, AModeFarOutsideIsFiniteAndSaysSo) {
  Space far(truth().space.axes());
  far.add(std::array{64.0, 9000.0, 9000.0, 9000.0});
  far.add(std::array{1.0, 10.0, 1.0, 1.0});
  far.add(std::array{6.0, 1200.0, 700.0, 2133.0});
  const Prediction p = predict(random_rows(truth(), 40, 3), far);
  expect_sound(p.minibatch_ms, 3);
  EXPECT_EQ(p.extrapolated, (std::vector{true, true, false}));
}

TEST_P(BadInput, AMissingAxisIsNamed) {
  const auto predictor = make();
  ASSERT_TRUE(predictor->fit(random_rows(truth(), 12, 1), {}, {}).ok());
  const auto prediction = predictor->predict(Space::grid({named_axis("cpu_mhz", {300, 600})}));
  ASSERT_FALSE(prediction.ok());
  EXPECT_THAT(prediction.error().message, HasSubstr("no axis"));
}

TEST_P(BadInput, AReferenceWithoutOverlapChangesNothing) {
  WorkloadTable apart;
  apart.workload = "apart";
  apart.device = "elsewhere";
  apart.space =
      Space::grid({named_axis("threads", {1, 2, 4, 8}), named_axis("prefetch", {0, 1, 2})});
  for (size_t i = 0; i < apart.space.size(); ++i) {
    apart.minibatch_ms.push_back(1e3 / static_cast<double>(i + 1));
    apart.power_w.push_back(1 + static_cast<double>(i));
  }
  const WorkloadTable rows = random_rows(truth(), 15, 4);
  const Prediction with = predict(rows, truth().space, {apart});
  const Prediction without = predict(rows, truth().space);
  EXPECT_EQ(with.minibatch_ms.mean, without.minibatch_ms.mean);
  EXPECT_EQ(with.power_w.mean, without.power_w.mean);
}

// A reference whose power is a total three times as large.
TEST_P(BadInput, TotalsAreNotMixed) {
  WorkloadTable rows = random_rows(truth(), 30, 5), reference = counted(table({"other"}, 0.01, 6));
  rows.power_total = "module";
  reference.power_total = "plug";
  for (double& power : reference.power_w) power *= 3;
  const Prediction with = predict(rows, truth().space, {reference});
  const Prediction without = predict(rows, truth().space);
  if (!facts().references) {
    EXPECT_EQ(with.power_w.mean, without.power_w.mean);
    EXPECT_EQ(with.notes, without.notes);
    return;
  }
  EXPECT_THAT(with.notes, Contains(AllOf(HasSubstr("other train on board"), HasSubstr("total"))));
  // Networks of two epochs know no level at all, so these learn for longer.
  const auto thorough =
      *make_predictor(GetParam() + (facts().neural ? "+reference=100+repeats=2" : ""));
  ASSERT_TRUE(thorough->fit(rows, std::array{reference}, {}).ok());
  const auto power = thorough->predict(truth().space)->power_w;
  if (facts().needs_cost)
    EXPECT_TRUE(power.mean.empty());  // its constants come from references alone
  else
    EXPECT_NEAR(median(power.mean) / median(truth().power_w), 1, facts().neural ? 0.3 : 0.15);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const PredictorEntry& entry : predictors())
    if (!entry.neural || built_with_torch()) all.push_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(OfEveryPredictor, BadInput, testing::ValuesIn(names()),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace flyball
