#include "search/trial_chance.h"

#include <gmock/gmock.h>

#include "search/posterior.h"
#include "search/registry.h"
#include "search/run.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

namespace surface = testing_surface;

const Reading none{not_measured, not_measured, 0};

/// A training in batches of 8 to 256, of which larger ones are faster for each sample, and fail
/// above `most`.
class OutOfMemory {
 public:
  explicit OutOfMemory(double most, Budgets budgets = {}) : most_(most) {
    auto made = std::make_shared<Problem>();
    std::vector<Axis> axes = surface::space().axes();
    axes.push_back(named_axis("batch_size", {8, 16, 32, 64, 128, 256}));
    made->candidates = std::make_shared<Candidates>(*Candidates::link({Space::grid(axes)}));
    made->roles = {{"net", Phase::train, 0, unlimited}};
    made->per_sample = true;
    made->budgets = budgets;
    problem_ = made;
  }
  const std::shared_ptr<const Problem>& problem() const { return problem_; }
  bool fits(size_t candidate) const { return problem_->candidates->batch(0, candidate) <= most_; }
  Reading reading(size_t candidate) const {
    const auto row = problem_->candidates->space(0).row(candidate);
    const double batch = problem_->candidates->batch(0, candidate);
    return {surface::time_ms(row) * (1 + 0.1 * batch), surface::power_w(row)};
  }
  Readings readings() const {
    Readings all(1);
    for (size_t i = 0; i < problem_->candidates->size(0); ++i)
      all[0].push_back(fits(i) ? reading(i) : none);
    return all;
  }
  Result<TrialOutcome> measure(const Ask& ask) const {
    if (!fits(ask.candidate)) return TrialOutcome{none, "out of memory"};
    return TrialOutcome{reading(ask.candidate), ""};
  }

 private:
  double most_;
  std::shared_ptr<const Problem> problem_;
};

/// Chances by batch size, of the mode that candidate 0 has.
std::vector<double> by_batch(const std::vector<double>& chances) {
  return {chances.begin(), chances.begin() + 6};
}

TEST(TrialChance, NothingSpeaksAgainstAnyWhileNothingFailed) {
  const OutOfMemory jobs(32);
  History history(jobs.problem());
  history.record(0, 0, jobs.reading(0), "");
  EXPECT_TRUE(success_chances(history, 0).empty());
  EXPECT_TRUE(trial_chances(history, 0).empty());
}

TEST(TrialChance, OfAChoiceIsTheProductOfItsRoles) {
  const std::vector<std::vector<double>> by_role = {{0.5, 1}, {}, {0.2, 0.4, 0}};
  const auto of = [&](std::vector<size_t> choice) { return chance_of(choice, by_role); };
  EXPECT_DOUBLE_EQ(of({0, 7, 1}), 0.2);
  EXPECT_DOUBLE_EQ(of({1, 0, 2}), 0);
  EXPECT_DOUBLE_EQ(of({1}), 1);
}

TEST(TrialChance, WhatIsOutOfReachTellsNothingOfOthers) {
  const OutOfMemory jobs(32);
  History history(jobs.problem());
  history.record(0, 5, none, "the mode cannot be set", Made::never);
  EXPECT_TRUE(success_chances(history, 0).empty());
}

TEST(TrialChance, TheAxisThatSeparatesThemIsToBlame) {
  const OutOfMemory jobs(32);
  const size_t last = jobs.problem()->candidates->size(0) - 1;  // the highest mode, batch 256
  History history(jobs.problem());
  history.record(0, last, none, "out of memory");
  const auto first = by_batch(success_chances(history, 0));
  EXPECT_THAT(first, testing::ElementsAreArray([&] {
                auto sorted = first;
                std::ranges::sort(sorted, std::greater());
                return sorted;
              }()));
  EXPECT_LT(first[5], first[0]);
  history.record(0, last - 3, jobs.reading(last - 3), "");  // the same mode, batch 32
  history.record(0, 4, none, "out of memory");              // the lowest mode, batch 128
  history.record(0, 1, jobs.reading(1), "");
  const auto chances = success_chances(history, 0);
  EXPECT_GT(by_batch(chances)[0], 0.75);
  EXPECT_GT(by_batch(chances)[2], 0.75);
  EXPECT_LT(by_batch(chances)[4], 0.25);
  EXPECT_LT(chances[last - 1], 0.25);  // of any mode
  EXPECT_GT(chances[last - 4], 0.75);
  const auto likely = likely_failures(history, 0);
  EXPECT_THAT(likely, testing::Contains(last - 1));
  EXPECT_THAT(likely, testing::Not(testing::Contains(last)));  // that is known to
  EXPECT_THAT(likely, testing::Not(testing::Contains(last - 4)));
}

TEST(TrialChance, AFailureAmongManyIsOneOfItsOwn) {
  const OutOfMemory jobs(256);
  History history(jobs.problem());
  for (size_t i = 0; i < 240; i += 12) history.record(0, i, jobs.reading(i), "");
  for (size_t i = 5; i < 240; i += 12) history.record(0, i, jobs.reading(i), "");
  history.record(0, 122, none, "the network was gone");
  const auto chances = success_chances(history, 0);
  ASSERT_EQ(chances.size(), 240u);
  EXPECT_EQ(chances[122], 0);
  for (size_t i = 0; i < chances.size(); ++i)
    EXPECT_TRUE(i == 122 || chances[i] > 0.75) << i << ": " << chances[i];
}

// As of a table of which half is missing: no likelihood may vanish.
TEST(TrialChance, OfThousandsTheyAreStillChances) {
  auto made = std::make_shared<Problem>();
  std::vector<double> clocks;
  for (int i = 1; i <= 3000; ++i) clocks.push_back(i);
  made->candidates = std::make_shared<Candidates>(*Candidates::link(
      {Space::grid({named_axis("cpu_cores", {1, 2}), named_axis("gpu_mhz", clocks)})}));
  made->roles = {{"net", Phase::train, 0, unlimited}};
  History history(made);
  for (size_t i = 0; i < 6000; ++i)
    history.record(0, i, i % 3 == 0 ? none : Reading{10, 20}, i % 3 == 0 ? "missing" : "");
  const auto chances = success_chances(history, 0);
  ASSERT_EQ(chances.size(), 6000u);
  for (const double chance : chances) ASSERT_TRUE(chance >= 0 && chance <= 1) << chance;
}

// What would need the least easing is looked for among what runs.
TEST(TrialChance, WhereNothingMeetsTheLimitsTheNearestThatRunsIsFound) {
  const OutOfMemory jobs(32, {.power_w = 3});
  auto strategy = *make_strategy("flyball", jobs.problem(), surface::with_predictor(10));
  const auto answer = run_search(*strategy, [&](const Ask& ask) { return jobs.measure(ask); });
  ASSERT_FALSE(answer.ok());
  size_t failed = 0;
  for (const auto& [candidate, record] : strategy->history().of_role(0)) failed += record.failed();
  EXPECT_LE(failed, 4u);
  double least = unlimited;
  for (size_t i = 0; i < jobs.problem()->candidates->size(0); ++i)
    if (jobs.fits(i)) least = std::min(least, jobs.reading(i).power_w);
  EXPECT_LE(strategy->history().best()->outcome.overshoot, 1.3 * (least / 3 - 1));
  for (const size_t candidate : likely_failures(strategy->history(), 0))
    EXPECT_FALSE(
        known_or_predicted(strategy->history(), strategy->options())[0][candidate].minibatch_ms >
        0);
}

TEST(TrialChance, FewProfilesGoIntoWhatFails) {
  for (const double most : {8.0, 16.0, 32.0, 64.0, 128.0}) {
    const OutOfMemory jobs(most);
    auto strategy = *make_strategy("flyball", jobs.problem(), surface::with_predictor(10));
    const auto answer = run_search(*strategy, [&](const Ask& ask) { return jobs.measure(ask); });
    ASSERT_TRUE(answer.ok()) << most << ": " << answer.error().message;
    size_t failed = 0;
    for (const auto& [candidate, record] : strategy->history().of_role(0))
      failed += record.failed();
    const double exact = solve(*jobs.problem(), jobs.readings()).outcome.loss;
    EXPECT_LE(failed, 4u) << most;  // all but two, where each failure tells nothing of the others
    EXPECT_LE(answer->outcome.loss, 2 * exact) << most;
  }
}

// The failures of an earlier search need not be made again to be learnt from, and cost nothing.
TEST(TrialChance, WhatFailedEarlierTeachesAsMuch) {
  const OutOfMemory jobs(16);
  auto first = *make_strategy("flyball", jobs.problem(), surface::with_predictor(10));
  ASSERT_TRUE(run_search(*first, [&](const Ask& ask) { return jobs.measure(ask); }).ok());
  SearchOptions options = surface::with_predictor(6);
  for (const auto& [candidate, record] : first->history().of_role(0))
    if (record.failed()) options.known.push_back({0, candidate, none, record.failure, false});
  ASSERT_GE(options.known.size(), 1u);
  auto second = *make_strategy("flyball", jobs.problem(), options);
  size_t failed = 0;
  const auto answer = run_search(*second, [&](const Ask& ask) {
    failed += !jobs.fits(ask.candidate);
    return jobs.measure(ask);
  });
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_LE(failed, 1u);
  EXPECT_LE(second->history().profiles(), 6u);
}

}  // namespace
}  // namespace flyball
