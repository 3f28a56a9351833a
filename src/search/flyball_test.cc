// Our own search on surfaces whose optimum is known: how it begins, chooses, ends and goes on.
#include <gmock/gmock.h>

#include <algorithm>

#include "search/acquisition.h"
#include "search/registry.h"
#include "search/run.h"
#include "search/strategy.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;
namespace surface = testing_surface;
using surface::with_predictor;

// What verification undoes is searched on, where each trial is chosen by all that is known.
TEST(Reopened, ASearchGoesOnWhenItsAnswerIsUndone) {
  const auto problem = surface::problem({.power_w = 14});
  const Readings all = surface::readings(*problem);
  for (const bool goes_on : {true, false}) {
    const auto strategy = *make_strategy(goes_on ? "flyball" : "gmd", problem, with_predictor(40));
    const size_t chosen = run_search(*strategy, all)->choice[0];
    const size_t ended_with = strategy->history().profiles();
    ASSERT_LT(ended_with, 40u);
    Reading again = all[0][chosen];
    again.power_w *= 2;
    strategy->tell({0, chosen, "once more", true}, again);
    EXPECT_FALSE(strategy->ask());
    strategy->reopen();
    EXPECT_EQ(strategy->ask().has_value(), goes_on) << strategy->stopped();
  }
}

TEST(Flyball, BeginsWithinTheLatencyBudget) {
  // At 20/s the first of a batch of 4 waits for 150 ms, that of one of 16 for 750 ms.
  const auto problem = surface::beside_serving(100, 20, 149);
  auto strategy = *make_strategy("flyball", problem, with_predictor());
  const Readings all = surface::readings_of_both(*problem);
  const auto answer = run_search(*strategy, all);
  ASSERT_TRUE(answer.ok());
  for (const auto& [candidate, record] : strategy->history().of_role(1))
    EXPECT_EQ(problem->candidates->batch(1, candidate), 1);
}

/// A training takes 40 % longer than the surface says in every other mode: a first reading that
/// changes what fits into a window.
Readings surprising(const Problem& problem) {
  Readings all = surface::readings_of_both(problem);
  for (size_t i = 0; i < all[0].size(); i += 2) all[0][i].minibatch_ms *= 1.4;
  return all;
}

TEST(Flyball, TheBatchIsChosenAgainOnceTheTrainingIsKnown) {
  size_t chosen_again = 0;
  for (const double budget : {12.0, 14.0, 16.0, 20.0})
    for (const double rate : {30.0, 60.0, 120.0}) {
      const auto problem = surface::beside_serving(budget, rate, 800);
      const Readings all = surprising(*problem);
      auto strategy = *make_strategy("flyball", problem, with_predictor());
      std::vector<size_t> choice(2);
      while (const auto asked = strategy->ask()) {
        choice[asked->role] = asked->candidate;
        const auto& known = strategy->history().best();
        if (asked->role == 1 && known && known->outcome.feasible &&
            asked->reason == "the other workload of the same choice") {
          const Outlook outlook(strategy->history(), strategy->options());
          const double best = known->outcome.loss;
          const double gain = outlook.expect(*problem, choice, best).gain;
          const Candidates& candidates = *problem->candidates;
          for (size_t other : candidates.of_mode(1, candidates.mode_of(1, asked->candidate))) {
            const std::vector<size_t> instead = {choice[0], other};
            if (strategy->history().find(1, other)) continue;
            EXPECT_LE(outlook.expect(*problem, instead, best).gain, gain) << budget << " " << rate;
          }
          ++chosen_again;
        }
        strategy->tell(*asked, all[asked->role][asked->candidate]);
      }
    }
  EXPECT_GT(chosen_again, 10u);
}

/// Answers without any reading, as references may let a predictor do.
class Foreknowing : public surface::NearestPredictor {
 public:
  Status fit(const WorkloadTable& measured, std::span<const WorkloadTable> references,
             const FitOptions& options) override {
    untold_ = !NearestPredictor::fit(measured, references, options).ok();
    return {};
  }
  Result<Prediction> predict(const Space& rows) const override {
    if (!untold_) return NearestPredictor::predict(rows);
    Prediction flat;
    const Estimates ten{std::vector<double>(rows.size(), 10.0),
                        std::vector<double>(rows.size(), 5.0),
                        std::vector<double>(rows.size(), 20.0)};
    flat.minibatch_ms = flat.power_w = ten;
    flat.extrapolated.assign(rows.size(), false);
    return flat;
  }

 private:
  bool untold_ = true;
};

TEST(Flyball, ReferencesPlaceTheSecondTrialOfAService) {
  const auto beside = surface::beside_serving(16, 60, 400);
  auto served = std::make_shared<Problem>(*beside);
  served->candidates =
      std::make_shared<Candidates>(*Candidates::link({beside->candidates->space(1)}));
  served->roles = {beside->roles[1]};
  served->objective = Objective::latency;
  const Reading first = surface::readings_of_both(*beside)[1].back();
  const auto second_reason = [&](SearchOptions options) {
    auto strategy = *make_strategy("flyball", served, std::move(options));
    const Ask highest = *strategy->ask();
    EXPECT_THAT(highest.reason, HasSubstr("to begin with"));
    strategy->tell(highest, first);
    return strategy->ask()->reason;
  };
  SearchOptions transferred = with_predictor();
  transferred.make_predictor = [] { return std::make_unique<Foreknowing>(); };
  EXPECT_THAT(second_reason(with_predictor()), HasSubstr("to begin with"));
  EXPECT_THAT(second_reason(transferred), testing::Not(HasSubstr("to begin with")));
}

TEST(Flyball, ReferencesDoNotReplaceTheTwoFirstTrialsOfATraining) {
  const auto trials = [](std::shared_ptr<const Problem> problem, const Readings& all,
                         SearchOptions options, size_t count) {
    auto strategy = *make_strategy("flyball", std::move(problem), std::move(options));
    std::vector<std::pair<size_t, size_t>> made;
    while (made.size() < count) {
      const auto asked = strategy->ask();
      if (!asked) break;
      made.emplace_back(asked->role, asked->candidate);
      strategy->tell(*asked, all[asked->role][asked->candidate]);
    }
    return made;
  };
  SearchOptions transferred = with_predictor();
  transferred.make_predictor = [] { return std::make_unique<Foreknowing>(); };
  const auto alone = surface::problem({.power_w = 12});
  const Readings one = surface::readings(*alone);
  EXPECT_EQ(trials(alone, one, transferred, 2), trials(alone, one, with_predictor(), 2));
  const auto beside = surface::beside_serving(16, 60, 400);
  const Readings both = surface::readings_of_both(*beside);
  EXPECT_EQ(trials(beside, both, transferred, 4), trials(beside, both, with_predictor(), 4));
}

TEST(Flyball, FindsTheBestTrainingBesideServing) {
  for (const double budget : {12.0, 16.0, 25.0}) {
    const auto problem = surface::beside_serving(budget, 60, 400);
    const Readings all = surface::readings_of_both(*problem);
    auto strategy = *make_strategy("flyball", problem, with_predictor());
    const auto answer = run_search(*strategy, all);
    ASSERT_TRUE(answer.ok()) << budget;
    EXPECT_LE(answer->profiles, 12u);
    EXPECT_LE(answer->outcome.loss, 0.85 * solve(*problem, all).outcome.loss) << budget;
  }
}

TEST(Flyball, EndsEarlyWhereNothingIsLikelyAndSaysHowNearItCame) {
  const auto problem = surface::problem({.power_w = 3});
  const Readings all = surface::readings(*problem);
  SearchOptions options = with_predictor(40);
  auto strategy = *make_strategy("flyball", problem, options);
  const auto answer = run_search(*strategy, all);
  ASSERT_FALSE(answer.ok());
  EXPECT_LT(strategy->history().profiles(), 30u);
  EXPECT_THAT(strategy->stopped(), HasSubstr("nothing is left"));
  const double least = std::ranges::min_element(all[0], {}, &Reading::power_w)->power_w;
  EXPECT_LE(strategy->history().best()->outcome.overshoot, 1.1 * (least / 3 - 1));
}

TEST(Flyball, FindsTheOptimumInAFewProfiles) {
  for (const double budget : {9.0, 12.0, 16.0, 25.0}) {
    const auto problem = surface::problem({.power_w = budget});
    const Readings all = surface::readings(*problem);
    auto strategy = *make_strategy("flyball", problem, with_predictor());
    const auto answer = run_search(*strategy, all);
    ASSERT_TRUE(answer.ok()) << budget;
    EXPECT_LE(answer->profiles, 12u);
    EXPECT_LE(answer->outcome.loss, 1.1 * solve(*problem, all).outcome.loss) << budget;
  }
}

TEST(Flyball, WorksWithoutPowerReadings) {
  const auto problem = surface::problem({});
  Readings all = surface::readings(*problem);
  for (Reading& reading : all[0]) reading.power_w = not_measured;
  auto strategy = *make_strategy("flyball", problem, with_predictor());
  const auto answer = run_search(*strategy, all);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->choice, solve(*problem, all).candidates);
}

TEST(Flyball, ModesOfTheirOwnKeepToTheProfiles) {
  auto problem = std::make_shared<Problem>(*surface::beside_serving(30, 60, 400));
  problem->separate_modes = true;
  problem->switch_ms = 1;
  const Readings all = surface::readings_of_both(*problem);
  for (size_t most = 1; most <= 6; ++most) {
    auto strategy = *make_strategy("flyball", problem, with_predictor(most));
    (void)run_search(*strategy, all);
    EXPECT_LE(strategy->history().profiles(), most);
  }
}

}  // namespace
}  // namespace flyball
