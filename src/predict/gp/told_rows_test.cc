#include "predict/gp/told_rows.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <set>

namespace flyball {
namespace {

using ::testing::ElementsAre;

Axis gpu(std::vector<double> values) {
  return named_axis(axis::gpu_mhz, std::move(values));
}
Axis batch(std::vector<double> values) {
  return named_axis(axis::batch_size, std::move(values));
}

/// Time 1000 / gpu_mhz, power gpu_mhz / 100.
WorkloadTable told_table() {
  WorkloadTable table;
  table.space = Space({gpu({})});
  for (double mhz = 100; mhz <= 5000; mhz += 100)
    table.add(std::vector<double>{mhz}, 1000 / mhz, mhz / 100);
  return table;
}

PriorKnowledge prior_for(std::vector<Axis> axes) {
  return PriorKnowledge::of(told_table(), Space(std::move(axes)), {0.3, 0.1}, {0.2, 0.05});
}

std::vector<std::string> names(const Space& space) {
  std::vector<std::string> all;
  for (const Axis& axis : space.axes()) all.push_back(axis.name);
  return all;
}

TEST(ToldRows, AreFewOfATableAsItHasThem) {
  const PriorKnowledge prior = prior_for({gpu({})});
  ASSERT_EQ(prior.space.size(), 24u);
  ASSERT_EQ(prior.log_ms.size(), 24);
  for (size_t i = 0; i < 24; ++i) {
    const double mhz = prior.space.row(i)[0];
    EXPECT_DOUBLE_EQ(prior.log_ms[static_cast<Index>(i)], std::log(1000 / mhz));
    EXPECT_DOUBLE_EQ(prior.log_w[static_cast<Index>(i)], std::log(mhz / 100));
  }
}

TEST(ToldRows, StandOnTheAxesOfTheReadings) {
  const PriorKnowledge read = prior_for({batch({4, 16}), gpu({500})});
  EXPECT_THAT(names(read.space), ElementsAre(axis::batch_size, axis::gpu_mhz));
  for (size_t i = 0; i < read.space.size(); ++i) EXPECT_EQ(read.space.row(i)[0], 16);
  EXPECT_THAT(names(prior_for({batch({}), gpu({})}).space), ElementsAre(axis::gpu_mhz))
      << "nothing was read yet";
}

TEST(ToldRows, WithoutPowerTellOfTimeAlone) {
  WorkloadTable table = told_table();
  for (double& watts : table.power_w) watts = NAN;
  const PriorKnowledge prior = PriorKnowledge::of(table, Space({gpu({})}), {0.3, 0.1}, {0.2, 0.05});
  const Coordinates coordinates(prior.space, "", Phase::train);
  EXPECT_EQ(told_times({prior}, coordinates).size(), 1u);
  EXPECT_TRUE(told_powers({prior}, coordinates).empty());
}

TEST(ToldRows, AreThoseWithLogarithms) {
  WorkloadTable table = told_table();
  table.minibatch_ms[3] = 0, table.minibatch_ms[4] = INFINITY, table.power_w[5] = NAN;
  for (size_t i = 10; i < table.size(); ++i) table.minibatch_ms[i] = NAN;
  const PriorKnowledge prior = PriorKnowledge::of(table, Space({gpu({})}), {0.3, 0.1}, {0.2, 0.05});
  EXPECT_EQ(prior.space.size(), 7u);
  EXPECT_TRUE(prior.log_ms.allFinite());
  EXPECT_TRUE(prior.log_w.allFinite());
}

// Workers are no axis of the forms: coordinates leave them out where one number of them was read.
TEST(ToldRows, StayAtTheOneValueOfAnAxisWithoutAMeaning) {
  WorkloadTable table;
  table.space = Space({gpu({}), named_axis(axis::loader_workers)});
  for (double mhz = 100; mhz <= 5000; mhz += 100)
    for (double workers : {0.0, 4.0}) table.add(std::array{mhz, workers}, 1000 / mhz + workers, 5);
  const auto target = [&](std::vector<double> workers) {
    return Space({gpu({500}), named_axis(axis::loader_workers, std::move(workers))});
  };
  const auto read = [&](std::vector<double> workers) {
    std::set<double> told;
    const PriorKnowledge prior = PriorKnowledge::of(table, target(std::move(workers)), {}, {});
    for (size_t i = 0; i < prior.space.size(); ++i) told.insert(prior.space.row(i)[1]);
    return told;
  };
  EXPECT_THAT(read({3}), ElementsAre(4));
  EXPECT_THAT(read({0, 4}), ElementsAre(0, 4));
  EXPECT_THAT(read({}), ElementsAre(0, 4));
}

TEST(ToldRows, OfWhichThereAreFewCountNoMoreThanReadings) {
  WorkloadTable table;
  table.space = Space({gpu({})});
  for (double mhz : {100.0, 200.0}) table.add(std::array{mhz}, 1000 / mhz, 5);
  const PriorKnowledge prior = PriorKnowledge::of(table, Space({gpu({})}), {0, 0.1}, {0, 0.1});
  const Coordinates coordinates(prior.space, "", Phase::train);
  EXPECT_DOUBLE_EQ(told_errors(0, told_times({prior}, coordinates))(0, 0), 0.01);
}

// Twenty-four rows, which count as four readings: each has six times the variance.
TEST(ToldRows, ErrTogetherAndEach) {
  const PriorKnowledge prior = prior_for({gpu({})});
  const Coordinates coordinates(prior.space, "", Phase::train);
  EXPECT_EQ(told_errors(3, {}).rows(), 0);
  const Matrix errors = told_errors(3, told_times({prior, prior}, coordinates));
  ASSERT_EQ(errors.rows(), 3 + 2 * 24);
  EXPECT_EQ(errors.topRows(3).cwiseAbs().maxCoeff(), 0);
  EXPECT_DOUBLE_EQ(errors(3, 4), 0.09);
  EXPECT_DOUBLE_EQ(errors(3, 3), 0.09 + 6 * 0.01);
  EXPECT_EQ(errors(3, 3 + 24), 0) << "other knowledge errs by other causes";
}

}  // namespace
}  // namespace flyball
