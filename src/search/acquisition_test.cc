// The closed forms against Monte Carlo on the problem's own equations.
#include "search/acquisition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

constexpr int draws = 200000;

struct Figure {
  double mean, sd;  // of the logarithm
};

struct Sampled {
  double chance = 0, gain = 0, gain_error = 0;  // the latter: one standard error
};

template <class Draw>
Sampled sampled(double best, Draw draw) {
  Random random(7);
  double feasible = 0, sum = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    const auto [holds, loss] = draw(random);
    const double gain = holds ? std::max(0.0, best - loss) : 0;
    feasible += holds;
    sum += gain;
    squares += gain * gain;
  }
  const double mean = sum / draws;
  return {feasible / draws, mean, std::sqrt((squares / draws - mean * mean) / draws)};
}

TEST(ExpectedImprovement, IsWhatMonteCarloSays) {
  const double mean = std::log(20);
  for (const double sd : {0.02, 0.2, 0.6})
    for (const double best : {15.0, 20.0, 26.0})
      for (const double cap : {12.0, 19.0, 40.0, unlimited}) {
        const Sampled truth = sampled(best, [&](Random& random) {
          const double x = std::exp(mean + sd * random.normal());
          return std::pair(x <= cap, x);
        });
        EXPECT_NEAR(expected_improvement(best, cap, mean, sd), truth.gain,
                    5 * truth.gain_error + 1e-6)
            << sd << " " << best << " " << cap;
        EXPECT_NEAR(probability_below(cap, mean, sd), truth.chance, 5 * 0.5 / std::sqrt(draws));
      }
}

TEST(ExpectedImprovement, OfAReadingIsAStep) {
  EXPECT_DOUBLE_EQ(expected_improvement(20, 30, std::log(15), 0), 5);
  EXPECT_EQ(expected_improvement(20, 14, std::log(15), 0), 0);
  EXPECT_EQ(expected_improvement(15, 30, std::log(20), 0), 0);
  EXPECT_EQ(expected_improvement(0, 30, std::log(20), 0.1), 0);
  EXPECT_EQ(probability_below(15.1, std::log(15), 0), 1);
  EXPECT_EQ(probability_below(14.9, std::log(15), 0), 0);
  EXPECT_EQ(probability_below(0, std::log(15), 1), 0);
}

// One configuration for each role, in batches of this size, with posteriors about it.
struct Case {
  Problem problem;
  std::vector<Posterior> posteriors;
  double best = 0;
};

Case make(std::vector<Role> roles, const std::vector<double>& batches, Objective objective,
          const Budgets& budgets, const std::vector<std::array<Figure, 2>>& figures) {
  Case one;
  std::vector<Space> spaces;
  for (double batch : batches)
    spaces.push_back(
        Space::grid({named_axis("gpu_mhz", {500}), named_axis("batch_size", {batch})}));
  one.problem.candidates = std::make_shared<Candidates>(*Candidates::link(std::move(spaces)));
  one.problem.roles = std::move(roles);
  one.problem.objective = objective;
  one.problem.published_wait = true;
  one.problem.budgets = budgets;
  for (const auto& [time, power] : figures)
    one.posteriors.push_back({{time.mean}, {time.sd}, {power.mean}, {power.sd}});
  return one;
}

// The loss of the medians, and a gain over something a little worse.
void expect_agreement(Case one, double chance_tolerance, double gain_tolerance) {
  const std::vector<size_t> choice(one.posteriors.size(), 0);
  std::vector<Reading> medians;
  for (const Posterior& posterior : one.posteriors)
    medians.push_back({std::exp(posterior.log_ms[0]), std::exp(posterior.log_w[0])});
  const double median = outcome(one.problem, medians, choice).loss;
  one.best = median + 0.05 * std::abs(median);
  const AcquisitionValue acquisition =
      acquisition_value(one.problem, one.posteriors, choice, one.best);
  const Sampled truth = sampled(one.best, [&](Random& random) {
    std::vector<Reading> readings;
    for (const Posterior& posterior : one.posteriors)
      readings.push_back({std::exp(posterior.log_ms[0] + posterior.sd_ms[0] * random.normal()),
                          std::exp(posterior.log_w[0] + posterior.sd_w[0] * random.normal())});
    const Outcome found = outcome(one.problem, readings, choice);
    return std::pair(found.feasible, found.loss);
  });
  EXPECT_NEAR(acquisition.loss, median, 1e-9 * std::abs(median));
  ASSERT_GT(truth.chance, 0.05);  // both ends of a case can be told apart
  ASSERT_LT(truth.chance, 0.98);
  ASSERT_GT(truth.gain, 10 * truth.gain_error);
  EXPECT_NEAR(acquisition.feasible, truth.chance, chance_tolerance + 5 * 0.5 / std::sqrt(draws));
  EXPECT_NEAR(acquisition.gain, truth.gain, gain_tolerance * truth.gain + 5 * truth.gain_error);
  // Without anything to improve on there is no gain, and the rest stays.
  const AcquisitionValue first = acquisition_value(one.problem, one.posteriors, choice, unlimited);
  EXPECT_EQ(first.gain, 0);
  EXPECT_EQ(first.feasible, acquisition.feasible);
}

const Figure ms_20{std::log(20), 0.1}, ms_40{std::log(40), 0.08}, ms_48{std::log(48), 0.05};
const Figure w_15{std::log(15), 0.06}, w_18{std::log(18), 0.05};

TEST(Weigh, TrainingWithinPowerAndTime) {
  const Role trains{"net", Phase::train};
  expect_agreement(make({trains}, {16}, Objective::time, {15.5, 22, unlimited}, {{ms_20, w_15}}), 0,
                   0);
  expect_agreement(make({trains}, {16}, Objective::power, {15.5, 21, unlimited}, {{ms_20, w_15}}),
                   0, 0);
  expect_agreement(
      make({trains}, {16}, Objective::energy, {unlimited, unlimited, 0.32}, {{ms_20, w_15}}), 0, 0);
}

// An energy budget hangs on time and power, which count as independent of it: near enough.
TEST(Weigh, TrainingWithinEnergy) {
  const Role trains{"net", Phase::train};
  expect_agreement(make({trains}, {16}, Objective::time, {16, unlimited, 0.33}, {{ms_20, w_15}}),
                   0.05, 0.25);
  expect_agreement(make({trains}, {16}, Objective::energy, {16, 22, unlimited}, {{ms_20, w_15}}),
                   0.05, 0.25);
}

TEST(Weigh, TrainingBySample) {
  Case one = make({{"net", Phase::train}}, {16}, Objective::time, {15.5, unlimited, unlimited},
                  {{ms_20, w_15}});
  one.problem.per_sample = true;
  one.problem.samples = 100;  // 7 minibatches: the last of four samples
  expect_agreement(one, 0, 0);
}

// 8 requests at 200/s gather in 40 ms.
TEST(Weigh, InferenceWithinLatencyRateAndPower) {
  const Role tight{"net", Phase::infer, 200, 62};   // 22 ms are left
  const Role busy{"net", Phase::infer, 380, 1000};  // a window of 21.05 ms
  for (const Role& role : {tight, busy})
    for (const Objective objective : {Objective::time, Objective::latency, Objective::power})
      expect_agreement(make({role}, {8}, objective, {15.5, unlimited, unlimited}, {{ms_20, w_15}}),
                       0, 0);
  // Energy hangs on the time that the latency limits; they count as independent.
  expect_agreement(
      make({tight}, {8}, Objective::energy, {unlimited, unlimited, unlimited}, {{ms_20, w_15}}), 0,
      0.25);
}

// With idle power counted the energy is an offset and a part that power above idle makes.
TEST(Weigh, EnergyOfARequestWithIdlePower) {
  Case one = make({{"net", Phase::infer, 200, 62}}, {8}, Objective::energy,
                  {unlimited, unlimited, unlimited}, {{ms_20, w_15}});
  one.problem.idle_w = {6};
  expect_agreement(one, 0, 0.3);
}

TEST(Weigh, AWindowBeyondTheLatencyIsHopeless) {
  const Case one = make({{"net", Phase::infer, 200, 39}}, {8}, Objective::latency,
                        {15.5, unlimited, unlimited}, {{ms_20, w_15}});
  const AcquisitionValue acquisition =
      acquisition_value(one.problem, one.posteriors, std::array<size_t, 1>{}, 100);
  EXPECT_EQ(acquisition.feasible, 0);
  EXPECT_EQ(acquisition.gain, 0);
}

// 16 requests at 40/s gather in 400 ms: nine minibatches of 40 ms beside an inference of 20 ms, and
// one more or less by chance.
TEST(Weigh, TrainingBesideServing) {
  const Role trains{"net", Phase::train}, serves{"det", Phase::infer, 40, 424};
  expect_agreement(make({trains, serves}, {16, 16}, Objective::throughput,
                        {18.5, unlimited, unlimited}, {{ms_40, w_18}, {ms_20, w_15}}),
                   0.005, 0.05);
  expect_agreement(make({trains, serves}, {16, 16}, Objective::minibatches,
                        {18.5, unlimited, unlimited}, {{ms_40, w_18}, {ms_20, w_15}}),
                   0.005, 0.05);
  // The larger power is that of the training but for chance.
  expect_agreement(make({trains, serves}, {16, 16}, Objective::power, {18.5, unlimited, unlimited},
                        {{ms_40, w_18}, {ms_20, w_15}}),
                   0.01, 0.1);
}

// 8 requests at 50/s and 20/s gather in 160 and 400 ms; the sum of two log-normals counts as one.
TEST(Weigh, TwoServices) {
  const Role first{"a", Phase::infer, 50, 225}, second{"b", Phase::infer, 20, 700};
  for (const Objective objective : {Objective::time, Objective::latency})
    expect_agreement(make({first, second}, {8, 8}, objective, {18.5, unlimited, unlimited},
                          {{ms_40, w_18}, {ms_20, w_15}}),
                     0.01, 0.05);
  expect_agreement(make({first, second}, {8, 8}, Objective::power, {18.5, unlimited, unlimited},
                        {{ms_40, w_18}, {ms_20, w_15}}),
                   0.01, 0.1);
  // One that is not limited has no share of a latency budget; where none is, the longest counts.
  const Role free{"b", Phase::infer, 20, unlimited}, fast{"a", Phase::infer, 50, unlimited};
  for (const bool swapped : {false, true})
    expect_agreement(
        make(swapped ? std::vector{free, first} : std::vector{first, free}, {8, 8},
             Objective::latency, {18.5, unlimited, unlimited}, {{ms_40, w_18}, {ms_20, w_15}}),
        0.01, 0.05);
  expect_agreement(make({fast, free}, {8, 8}, Objective::latency, {18.5, unlimited, unlimited},
                        {{ms_40, w_18}, {ms_20, w_15}}),
                   0.01, 0.05);
  // 48 ms in each 51.6 beside 20 in 400: how busy the board is hangs on the sum, and counts as
  // independent of it.
  const Role busy{"a", Phase::infer, 155, 1000};
  expect_agreement(make({busy, second}, {8, 8}, Objective::time, {unlimited, unlimited, unlimited},
                        {{ms_48, w_18}, {ms_20, w_15}}),
                   0.02, 0.3);
}

}  // namespace
}  // namespace flyball
