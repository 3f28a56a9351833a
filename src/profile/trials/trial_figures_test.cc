#include "profile/trials/trial_figures.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

Measurement of_workers(std::optional<double> workers) {
  Measurement m;
  if (workers) m.trial.job.settings[axis::loader_workers] = *workers;
  return m;
}

TEST(TrialFigures, ARoundIsAMinibatchOfEachWorker) {
  const auto round = [](std::optional<double> workers) {
    return stopping_of({.max_seconds = 3}, of_workers(workers).trial).round;
  };
  EXPECT_EQ(round(4), 4u);
  EXPECT_EQ(round(0), 0u);
  EXPECT_EQ(round({}), 0u);
  EXPECT_EQ(round(-1), 0u);
  EXPECT_EQ(stopping_of({.max_seconds = 3}, of_workers(4).trial).max_seconds, 3);
}

TEST(TrialFigures, TimeOfWorkersThatAreBehindIsTheMeanOfTheirRounds) {
  for (const auto& workers : {std::optional<double>(4), std::optional<double>()}) {
    Measurement m = of_workers(workers);
    StoppingRule rule(stopping_of({}, m.trial));
    for (int i = 0; !rule.done(); ++i) {
      const double ms = i % 4 == 0 ? 110 : 30;
      rule.add(ms);
      m.minibatches.push_back({ms - 30, 30, ms, 0});
    }
    take_times(rule, m);
    EXPECT_NEAR(m.minibatch_ms, 50, 0.5);
    EXPECT_LT(m.noise, 0.02);
    EXPECT_LE(m.minibatches.size(), 36u);
  }
}

}  // namespace
}  // namespace flyball
