#include "search/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/registry.h"
#include "search/run.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class BaselinesTest : public testing::Test {
 protected:
  size_t at(double cores, double mhz) const {
    return *problem_->candidates->space(0).find(std::array{cores, mhz});
  }
  SearchOptions options(size_t profiles, size_t for_baselines) const {
    SearchOptions options;
    options.profile_budget = options.profile_limit = profiles;
    options.default_choice = {at(8, 1000)};
    options.make_predictor = [] { return std::make_unique<testing_surface::NearestPredictor>(); };
    options.baselines = {{"preset MAXN", {at(8, 1000)}, false},
                         {"preset low", {at(4, 200)}, true},
                         {"preset middle", {at(6, 500)}, false},
                         {"preset elsewhere", {}, false}};
    options.baseline_profiles = for_baselines;
    return options;
  }
  /// Reasons of all trials, which `made` gets.
  std::vector<std::string> reasons(const SearchOptions& options,
                                   std::vector<Known>* made = nullptr) const {
    const auto strategy = *make_strategy("flyball", problem_, options);
    const Readings all = testing_surface::readings(*problem_);
    std::vector<std::string> reasons;
    while (const auto ask = strategy->ask()) {
      reasons.push_back(ask->reason);
      if (made) made->push_back({0, ask->candidate, all[0][ask->candidate], "", true});
      strategy->tell(*ask, all[0][ask->candidate]);
    }
    return reasons;
  }
  static size_t count(const std::vector<std::string>& reasons, const char* text) {
    return static_cast<size_t>(std::ranges::count_if(reasons, [&](const std::string& reason) {
      return reason.find(text) != std::string::npos;
    }));
  }

  std::shared_ptr<const Problem> problem_ = testing_surface::problem({.power_w = 16});
};

TEST_F(BaselinesTest, TheOneInForceIsMeasuredOnceAndWithinTheProfiles) {
  const auto made = reasons(options(10, 2));
  EXPECT_LE(made.size(), 10u);
  EXPECT_EQ(count(made, "preset low is in force"), 1u);
  EXPECT_LE(count(made, "preset middle is predicted"), 1u);
  EXPECT_EQ(count(made, "MAXN"), 0u) << "it is the default";
  EXPECT_EQ(count(reasons(options(10, 0)), "preset"), 0u);
}

TEST_F(BaselinesTest, WhatIsAskedAgainMeasuresNoMoreOfThem) {
  SearchOptions given = options(10, 1);
  std::vector<Known> made;
  ASSERT_EQ(count(reasons(given, &made), "preset"), 1u);
  given.known = made;
  given.profile_budget = given.profile_limit = 20;
  EXPECT_EQ(count(reasons(given), "preset"), 0u);
}

TEST_F(BaselinesTest, ThoseInTheSamePlaceAreOne) {
  const std::vector<size_t> usual = {at(8, 1000)};
  EXPECT_EQ(profiles_needed(options(10, 2).baselines, usual), 2u);
  const std::vector<Baseline> same = {{"a", usual, true}, {"b", usual, false}, {"c", {7}, false}};
  EXPECT_EQ(profiles_needed(same, usual), 1u);
  EXPECT_EQ(profiles_needed({}, usual), 0u);
}

TEST_F(BaselinesTest, TheBestIsWhatIsLikelyToMeetTheLimits) {
  const SearchOptions given = options(10, 2);
  History history(problem_);
  const Readings all = testing_surface::readings(*problem_);
  for (const size_t candidate : {at(8, 1000), at(4, 200), at(6, 600)})
    history.record(0, candidate, all[0][candidate], "");
  const Baseline* best = best_unmeasured(history, given);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->name, "preset middle");
  history.record(0, at(6, 500), all[0][at(6, 500)], "");
  EXPECT_EQ(best_unmeasured(history, given), nullptr);
}

}  // namespace
}  // namespace flyball
