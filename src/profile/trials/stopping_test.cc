#include "profile/trials/stopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/statistics.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<double> normal_times(size_t count, double mean, double sigma) {
  std::mt19937 random(7);
  std::normal_distribution<double> draw(mean, sigma);
  std::vector<double> times(count);
  for (double& time : times) time = draw(random);
  return times;
}

StoppingRule run(const StoppingOptions& options, const std::vector<double>& times) {
  StoppingRule rule(options);
  for (double time : times) {
    rule.add(time);
    if (rule.done()) break;
  }
  return rule;
}

TEST(Summary, NoiseIsTheStandardErrorOfAMedian) {
  const auto summary = summarise_times(normal_times(4000, 50, 5));
  EXPECT_EQ(summary.blocks, 4000u);
  EXPECT_NEAR(summary.value_ms, 50, 0.3);
  EXPECT_NEAR(summary.noise, 1.2533 * 0.1 / std::sqrt(4000.0), 0.0001);
}

TEST(Summary, BurstsOfAPipelineAverageOut) {
  // Four minibatches waiting in the queue, then one that was waited for: 5 ms each on average.
  std::vector<double> times;
  for (int i = 0; i < 500; ++i) times.push_back(i % 5 == 4 ? 21 : 1);
  const auto summary = summarise_times(times);
  EXPECT_NEAR(summary.value_ms, 5, 1e-9);
  EXPECT_NEAR(summary.noise, 0, 1e-9);
}

TEST(Summary, AMomentOfOtherWorkDoesNotCount) {
  std::vector<double> times(200, 30.0);
  for (int i = 90; i < 100; ++i) times[i] = 900;
  EXPECT_DOUBLE_EQ(summarise_times(times).value_ms, 30);
}

// `round` again and again, each with a jitter of `jitter` ms, and one disturbed minibatch.
std::vector<double> bursts(const std::vector<double>& round, size_t count, double jitter,
                           size_t begin = 0) {
  std::mt19937 random(11);
  std::normal_distribution<double> draw(0, jitter);
  std::vector<double> times;
  for (size_t i = 0; i < count; ++i) times.push_back(round[(i + begin) % round.size()]);
  for (double& time : times) time += draw(random);
  times[count / 2] += 400;
  return times;
}

struct BurstCase {
  std::vector<double> round;
  size_t workers;  ///< as the rule is told; 0: not
};

class Bursts : public ::testing::TestWithParam<BurstCase> {};

// Workers that are behind: the median of single minibatches would be that of the short ones.
TEST_P(Bursts, AreToldByWhatAMinibatchTakesInTheLongRun) {
  const auto& [round, workers] = GetParam();
  const double mean_ms = mean(round);
  for (size_t begin = 0; begin < round.size(); ++begin) {
    const StoppingRule rule = run({.round = workers}, bursts(round, 400, 0.5, begin));
    EXPECT_THAT(rule.reason(), StartsWith("relative noise")) << begin;
    EXPECT_NEAR(rule.summary().value_ms, mean_ms, 0.03 * mean_ms) << begin;
    EXPECT_LE(rule.summary().noise, 0.02) << begin;
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfWorkers, Bursts,
    ::testing::Values(BurstCase{{110, 30, 30, 30}, 4}, BurstCase{{110, 30, 30, 30}, 0},
                      BurstCase{{500, 120, 120, 120}, 4}, BurstCase{{500, 120, 120, 120}, 0},
                      BurstCase{{245, 18, 18, 18}, 4}, BurstCase{{245, 18, 18, 18}, 0},
                      BurstCase{{400, 30, 30, 30, 30, 30, 30, 30}, 8}, BurstCase{{90, 30}, 2},
                      BurstCase{{90, 30, 30}, 0}));

TEST(Summary, BurstsThatNoRoundExplainsAreNoise) {
  // Ten minibatches until the time cap: too few for rounds, so nobody may rely on this time.
  EXPECT_GT(summarise_times(bursts({500, 120, 120, 120}, 10, 0.5)).noise, 0.3);
  EXPECT_TRUE(std::isinf(summarise_times(bursts({500, 120, 120, 120}, 10, 0.5), 4).noise));
}

TEST(Summary, EvenTimesOfWorkersAreReadOneByOne) {
  const auto times = normal_times(10, 943, 5);
  EXPECT_EQ(summarise_times(times, 4).blocks, 10u);
  EXPECT_EQ(summarise_times(times, 4).noise, summarise_times(times).noise);
}

TEST(Summary, TooFewBlocksHaveUnknownNoise) {
  EXPECT_TRUE(std::isinf(summarise_times(std::vector<double>{30, 31}).noise));
}

TEST(Stopping, QuietTimesStopByNoiseAndSayIt) {
  const StoppingRule rule = run({.min_seconds = 0.3}, normal_times(2000, 30, 0.3));
  EXPECT_THAT(rule.reason(), StartsWith("relative noise"));
  EXPECT_THAT(rule.reason(), HasSubstr("<= 2 %"));
  EXPECT_LE(rule.summary().noise, 0.02);
  EXPECT_LT(rule.times().size(), 40u);
}

TEST(Stopping, AMomentOfOtherWorkMakesNoTrialLonger) {
  std::vector<double> times = normal_times(400, 30, 0.6);
  const size_t undisturbed = run({}, times).times().size();
  for (size_t i = 12; i < 16; ++i) times[i] *= 2;
  const StoppingRule rule = run({}, times);
  EXPECT_LE(rule.times().size(), undisturbed + 2);
  EXPECT_NEAR(rule.summary().value_ms, 30, 0.5);
}

TEST(Stopping, NoisyTimesStopByTheTimeCap) {
  const StoppingRule rule =
      run({.relative_noise = 1e-6, .max_seconds = 2}, normal_times(2000, 30, 10));
  EXPECT_EQ(rule.reason(), "time cap 2 s");
  EXPECT_NEAR(static_cast<double>(rule.times().size()), 2000 / 30.0, 8);
}

TEST(Stopping, TheMinibatchCapComesFirst) {
  const StoppingRule rule = run({.max_minibatches = 5}, normal_times(100, 30, 0.1));
  EXPECT_EQ(rule.reason(), "minibatch cap 5");
  EXPECT_EQ(rule.times().size(), 5u);
}

TEST(Stopping, EachWorkerIsSeenTwiceBeforeItIsEnough) {
  const std::vector<double> even(100, 200.0);
  EXPECT_EQ(run({}, even).times().size(), 10u);
  EXPECT_EQ(run({.round = 4}, even).times().size(), 10u);
  EXPECT_EQ(run({.round = 16}, even).times().size(), 33u);
  EXPECT_EQ(run({.max_seconds = 2, .round = 16}, even).reason(), "time cap 2 s");
}

TEST(Stopping, NeverBeforeTheLeastNumberOfMinibatches) {
  const StoppingRule rule =
      run({.min_minibatches = 60, .min_seconds = 0.01}, std::vector<double>(100, 30.0));
  EXPECT_GE(rule.times().size(), 60u);
}

}  // namespace
}  // namespace flyball
