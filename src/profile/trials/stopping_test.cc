#include "profile/trials/stopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

TEST(Stopping, NeverBeforeTheLeastNumberOfMinibatches) {
  const StoppingRule rule =
      run({.min_minibatches = 60, .min_seconds = 0.01}, std::vector<double>(100, 30.0));
  EXPECT_GE(rule.times().size(), 60u);
}

}  // namespace
}  // namespace flyball
