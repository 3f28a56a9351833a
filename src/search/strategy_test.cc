// Every strategy on surfaces whose optimum is known, and the properties all of them must have.
#include "search/strategy.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "module/module_testing.h"
#include "search/acquisition.h"
#include "search/registry.h"
#include "search/run.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;
namespace surface = testing_surface;
using surface::with_predictor;

// All that this build can run.
std::vector<StrategyEntry> runnable() {
  std::vector<StrategyEntry> entries = strategies();
  std::erase_if(entries, [](const StrategyEntry& entry) {
    return entry.all_known || (entry.needs_torch && !built_with_torch());
  });
  return entries;
}

// Without board axes each role has settings of its own, and not as many as the other.
TEST(Strategies, DrawEachRolesOwnSettingsWhereThereAreNoModes) {
  auto problem = std::make_shared<Problem>();
  const auto batches = [](std::vector<double> sizes) {
    return Space::grid({named_axis("batch_size", std::move(sizes))});
  };
  std::vector<double> many;
  for (int i = 1; i <= 12; ++i) many.push_back(i);
  problem->candidates =
      std::make_shared<Candidates>(*Candidates::link({batches(many), batches({1, 4, 16})}));
  problem->roles = {{"net", Phase::train, 0, unlimited}, {"det", Phase::infer, 20, 2000}};
  problem->objective = Objective::throughput;
  Readings all(2);
  for (size_t i = 0; i < many.size(); ++i)
    all[0].push_back({10 + 1.0 * static_cast<double>(i), 10});
  all[1] = {{20, 8}, {40, 9}, {100, 12}};
  for (const StrategyEntry& entry : runnable()) {
    if (entry.name == "gmd" || entry.name == "binary-search") continue;  // they walk along modes
    auto strategy = *make_strategy(entry.name, problem, with_predictor());
    std::set<size_t> served;
    while (const auto ask = strategy->ask()) {
      ASSERT_LT(ask->candidate, all[ask->role].size()) << entry.name;
      if (ask->role == 1) served.insert(ask->candidate);
      strategy->tell(*ask, all[ask->role][ask->candidate]);
    }
    EXPECT_TRUE(strategy->answer().ok()) << entry.name;
    EXPECT_GE(served.size(), 1u) << entry.name;
  }
}

// Out of reach before a reboot, for instance: thousands of them may be known at once.
TEST(HistoryTest, TrialsThatNeedNotBeMadeAreNone) {
  const auto problem = surface::problem({});
  const Readings all = surface::readings(*problem);
  History history(problem);
  for (size_t i = 1; i < 5; ++i)
    history.record(0, i, {not_measured, 0, 0}, "out of reach", Made::never);
  EXPECT_EQ(history.readings_made(), 0u);
  EXPECT_FALSE(history.is_measured(std::array<size_t, 1>{1}));
  history.record(0, 0, all[0][0], "", Made::earlier);
  history.record(0, 5, {not_measured, 0, 0}, "out of memory");
  history.record(0, 6, {not_measured, 0, 0}, "out of memory", Made::earlier);
  EXPECT_EQ(history.readings_made(), 3u);
  EXPECT_EQ(history.profiles(), 1u);
  EXPECT_TRUE(history.is_measured(std::array<size_t, 1>{0}));
  EXPECT_FALSE(history.is_measured(std::array<size_t, 1>{5}));
}

TEST(BruteForce, FindsTheOptimum) {
  const auto problem = surface::problem({.power_w = 14});
  const Readings all = surface::readings(*problem);
  auto strategy = *make_strategy("brute-force", problem, {});
  const auto answer = run_search(*strategy, all);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->choice, solve(*problem, all).candidates);
  EXPECT_EQ(answer->profiles, 40u);
}

TEST(RandomSearch, AnswersTheBestOfItsDraw) {
  const auto problem = surface::problem({.power_w = 30});
  const Readings all = surface::readings(*problem);
  SearchOptions options;
  options.profile_budget = 40;  // everything: the draw is then the whole space
  auto strategy = *make_strategy("random", problem, options);
  const auto answer = run_search(*strategy, all);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->choice, solve(*problem, all).candidates);
}

TEST(Maxn, IsTheOptimumWithoutAPowerBudget) {
  const auto problem = surface::problem({});
  const Readings all = surface::readings(*problem);
  auto strategy = *make_strategy("maxn", problem, {});
  const auto answer = run_search(*strategy, all);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->choice, solve(*problem, all).candidates);
  EXPECT_EQ(answer->profiles, 1u);
}

TEST(BinarySearch, HalvesEachAxisTwice) {
  const auto problem = surface::problem({.power_w = 100});  // always upwards
  const Readings all = surface::readings(*problem);
  auto strategy = *make_strategy("binary-search", problem, {});
  const auto answer = run_search(*strategy, all);
  ASSERT_TRUE(answer.ok());
  // From 600 MHz and 6 cores: 800 MHz, 8 cores, 900 MHz; then the cores are used up.
  EXPECT_EQ(problem->candidates->space(0).settings(answer->choice[0]),
            (Settings{{"cpu_cores", 8}, {"gpu_mhz", 900}}));
  EXPECT_EQ(answer->profiles, 4u);
}

TEST(Gmd, ClimbsToTheOptimumWithoutAPowerBudget) {
  const auto problem = surface::problem({.power_w = 100});
  const Readings all = surface::readings(*problem);
  auto strategy = *make_strategy("gmd", problem, {});
  const auto answer = run_search(*strategy, all);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->choice, solve(*problem, all).candidates);
  // The median, one step along each axis, then 800, 900 and 1000 MHz at 8 cores.
  EXPECT_EQ(answer->profiles, 6u);
}

TEST(Nn250, LearnsTheSurfaceAndMeasuresItsChoice) {
  FLYBALL_NEEDS_TORCH();
  const auto problem = surface::problem({.power_w = 16}, Objective::time, 8);  // 292 modes
  const Readings all = surface::readings(*problem);
  auto strategy = *make_strategy("nn250", problem, {});
  const auto answer = run_search(*strategy, all);
  ASSERT_TRUE(answer.ok());
  const auto predicted = strategy->predicted_choice();
  ASSERT_TRUE(predicted);
  EXPECT_TRUE(strategy->history().find(0, predicted->front()));
  EXPECT_GE(answer->profiles, 250u);
  EXPECT_LE(answer->profiles, 251u);
  EXPECT_LE(answer->outcome.loss, 1.05 * solve(*problem, all).outcome.loss);
  EXPECT_LE(all[0][predicted->front()].power_w, 1.2 * 16);
  EXPECT_LE(all[0][predicted->front()].minibatch_ms, 1.5 * solve(*problem, all).outcome.loss);
}

TEST(Als, AnswersEveryBudgetFromOneSetOfProfiles) {
  std::set<size_t> profiled;
  for (const double budget : {9.0, 12.0, 16.0, 25.0}) {
    const auto problem = surface::problem({.power_w = budget}, Objective::time, 4);
    const Readings all = surface::readings(*problem);
    auto strategy = *make_strategy("als", problem, with_predictor());
    const auto answer = run_search(*strategy, all);
    ASSERT_TRUE(answer.ok()) << budget;
    EXPECT_EQ(answer->profiles, 50u);
    EXPECT_LE(answer->outcome.loss, 1.02 * solve(*problem, all).outcome.loss) << budget;
    std::set<size_t> own;
    for (const auto& [candidate, record] : strategy->history().of_role(0)) own.insert(candidate);
    if (profiled.empty()) profiled = own;
    EXPECT_EQ(own, profiled);
  }
}

// A round that failed as a whole told no reading, and must not be planned once more.
TEST(Als, EndsWhereEveryLaterTrialFails) {
  const auto problem = surface::problem({.power_w = 12}, Objective::time, 4);
  const Readings all = surface::readings(*problem);
  auto strategy = *make_strategy("als", problem, with_predictor());
  std::set<size_t> asked_for;
  while (const auto asked = strategy->ask()) {
    ASSERT_TRUE(asked_for.insert(asked->candidate).second);
    const bool works = asked_for.size() <= 15;
    strategy->tell(*asked, all[0][asked->candidate], works ? "" : "out of memory");
  }
  EXPECT_GT(asked_for.size(), 15u);
}

TEST(Strategies, PowerBudgetWithoutPowerIsUnavailable) {
  const auto problem = surface::problem({.power_w = 16});
  Readings all = surface::readings(*problem);
  for (Reading& reading : all[0]) reading.power_w = not_measured;
  for (const StrategyEntry& entry : runnable()) {
    auto strategy = *make_strategy(entry.name, problem, with_predictor());
    const auto answer = run_search(*strategy, all);
    ASSERT_FALSE(answer.ok()) << entry.name;
    EXPECT_EQ(answer.error().code, Code::unavailable) << entry.name;
    EXPECT_LE(strategy->history().trials(), 3u) << entry.name;
  }
}

/// One trial whose power was not read is no board without a sensor.
TEST(Strategies, GoOnWithoutThePowerOfOneTrial) {
  const auto problem = surface::problem({.power_w = 16});
  const Readings all = surface::readings(*problem);
  for (const StrategyEntry& entry : runnable()) {
    if (entry.name == "maxn") continue;  // tries nothing else
    auto strategy = *make_strategy(entry.name, problem, with_predictor(12));
    size_t trials = 0;
    const auto answer = run_search(*strategy, [&](const Ask& ask) -> Result<TrialOutcome> {
      Reading reading = all[0][ask.candidate];
      if (trials++ == 0) reading.power_w = not_measured;
      return TrialOutcome{reading, ""};
    });
    EXPECT_GT(trials, 1u) << entry.name;
    EXPECT_TRUE(answer.ok()) << entry.name << ": " << answer.error().message;
  }
}

/// Whether an unread power is within the budget is not known: published searches go down from
/// there.
TEST(Strategies, AnUnreadPowerIsNotTakenAsWithinTheBudget) {
  for (const char* name : {"gmd", "binary-search"}) {
    const auto second = [&](double budget_w) {
      const auto problem = surface::problem({.power_w = budget_w});
      auto strategy = *make_strategy(name, problem, with_predictor(12));
      const Ask first = *strategy->ask();
      strategy->tell(first, {20, not_measured});
      const Space& space = problem->candidates->space(0);
      const auto before = space.row(first.candidate), after = space.row(strategy->ask()->candidate);
      return std::pair(after[0] + after[1] / 1000, before[0] + before[1] / 1000);
    };
    const auto [below, median] = second(16);
    EXPECT_LT(below, median) << name;
    const auto [above, from] = second(unlimited);
    EXPECT_GT(above, from) << name;
  }
}

TEST(Strategies, GoOnWhenTheFirstTrialFails) {
  const auto problem = surface::problem({.power_w = 16});
  const Readings all = surface::readings(*problem);
  auto strategy = *make_strategy("flyball", problem, with_predictor(12));
  bool first = true;
  const auto answer = run_search(*strategy, [&](const Ask& ask) -> Result<TrialOutcome> {
    if (std::exchange(first, false)) return TrialOutcome{{}, "out of memory"};
    return TrialOutcome{all[0][ask.candidate], ""};
  });
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_LE(answer->outcome.loss, 1.3 * solve(*problem, all).outcome.loss);
}

/// What a user allows holds for strategies that have a number of their own, too.
TEST(Strategies, NoneProfilesMoreThanTheMost) {
  const auto problem = surface::problem({.power_w = 16}, Objective::time, 4);
  const Readings all = surface::readings(*problem);
  for (const StrategyEntry& entry : runnable()) {
    SearchOptions options = with_predictor(10);
    options.profile_limit = 4;
    auto strategy = *make_strategy(entry.name, problem, options);
    (void)run_search(*strategy, all);
    EXPECT_LE(strategy->history().profiles(), 4u) << entry.name;
  }
}

TEST(Strategies, InfeasibleNamesWhatBinds) {
  const auto problem = surface::problem({.power_w = 3});
  const Readings all = surface::readings(*problem);
  for (const StrategyEntry& entry : runnable()) {
    auto strategy = *make_strategy(entry.name, problem, with_predictor());
    const auto answer = run_search(*strategy, all);
    ASSERT_FALSE(answer.ok()) << entry.name;
    EXPECT_EQ(answer.error().code, Code::infeasible);
    EXPECT_THAT(answer.error().message, HasSubstr("power budget of 3 W"));
  }
}

// That limits are not kept is an answer; what fails may be mended, but for want of memory.
TEST(Strategies, WhereEveryTrialFailedTheAnswerIsNotNo) {
  const auto problem = surface::problem({});
  const auto error_of = [&](const std::vector<std::string>& failures) {
    auto strategy = *make_strategy("flyball", problem, with_predictor());
    for (size_t i = 0; i < failures.size(); ++i)
      strategy->tell({0, i, "of the test", false}, {}, failures[i]);
    const auto answer = strategy->answer();
    return answer.ok() ? Error{} : answer.error();
  };
  const Error one = error_of({"no such file", "no such file"});
  EXPECT_EQ(one.code, Code::unavailable);
  EXPECT_EQ(one.message, "all 2 trials failed: no such file");
  const Error several = error_of({"exit code 3", "exit code 4"});
  EXPECT_EQ(several.code, Code::unavailable);
  EXPECT_EQ(several.message, "all 2 trials failed, in different words, such as: exit code 3");
  EXPECT_EQ(error_of({"no answer from port 43135", "no answer from port 40001"}).message,
            "all 2 trials failed: no answer from port 40001");
  EXPECT_EQ(error_of({"CUDA out of memory"}).code, Code::infeasible);
  EXPECT_EQ(error_of({}).code, Code::infeasible) << "nothing was tried";
}

TEST(Strategies, OfTwoRolesTheOneWhoseTrialsFailedIsNamed) {
  const auto problem = surface::beside_serving(16, 20, 2000);
  auto strategy = *make_strategy("flyball", problem, with_predictor());
  strategy->tell({0, 0, "of the test", false}, {100, 10});
  strategy->tell({1, 0, "of the test", false}, {}, "no such file");
  const auto answer = strategy->answer();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::unavailable);
  EXPECT_EQ(answer.error().message, "the one trial of det failed: no such file");
}

TEST(Strategies, TheDefaultComesFirstAndIsNeverBeaten) {
  const auto problem = surface::problem({.power_w = 16});
  const Readings all = surface::readings(*problem);
  SearchOptions options = with_predictor(3);
  options.default_choice = {12};
  for (const StrategyEntry& entry : runnable()) {
    auto strategy = *make_strategy(entry.name, problem, options);
    ASSERT_EQ(strategy->ask()->candidate, 12u) << entry.name;
    const auto answer = run_search(*strategy, all);
    ASSERT_TRUE(answer.ok());
    EXPECT_LE(answer->outcome.loss, all[0][12].minibatch_ms);
  }
}

TEST(Strategies, GoOnWithoutAFailedTrial) {
  const auto problem = surface::problem({});
  const Readings all = surface::readings(*problem);
  const size_t optimum = solve(*problem, all).candidates[0];
  size_t tried = 0;
  for (const StrategyEntry& entry : runnable()) {
    auto strategy = *make_strategy(entry.name, problem, with_predictor(20));
    const auto answer = run_search(*strategy, [&](const Ask& ask) -> Result<TrialOutcome> {
      if (ask.candidate == optimum) return TrialOutcome{{}, "out of memory"};
      return TrialOutcome{all[0][ask.candidate], ""};
    });
    // "maxn" tries nothing else.
    ASSERT_EQ(answer.ok(), entry.name != "maxn") << entry.name;
    if (answer.ok()) {
      EXPECT_NE(answer->choice[0], optimum);
    }
    if (!strategy->history().find(0, optimum)) continue;
    ++tried;
    EXPECT_THAT(strategy->notes(), testing::Contains(HasSubstr("out of memory"))) << entry.name;
  }
  EXPECT_GE(tried, 3u);  // maxn, brute-force and flyball at least
}

/// A batch size that does not fit into memory: the search serves with another.
TEST(Strategies, GoOnWithoutABatchSizeThatFails) {
  const auto problem = surface::beside_serving(30, 60, 400);
  const Readings all = surface::readings_of_both(*problem);
  for (const StrategyEntry& entry : runnable()) {
    auto strategy = *make_strategy(entry.name, problem, with_predictor(30));
    const auto answer = run_search(*strategy, [&](const Ask& ask) -> Result<TrialOutcome> {
      if (ask.role == 1 && problem->candidates->batch(1, ask.candidate) == 16)
        return TrialOutcome{{}, "out of memory"};
      return TrialOutcome{all[ask.role][ask.candidate], ""};
    });
    if (answer.ok()) {
      EXPECT_NE(problem->candidates->batch(1, answer->choice[1]), 16) << entry.name;
    } else {
      EXPECT_TRUE(entry.published) << entry.name;  // the baselines may have tried nothing else
    }
    for (const auto& [candidate, record] : strategy->history().of_role(1))
      EXPECT_EQ(record.failed(), problem->candidates->batch(1, candidate) == 16);
  }
}

/// What holds for one role holds for two.
TEST(Strategies, PropertiesBesideServing) {
  for (const StrategyEntry& entry : runnable()) {
    size_t solved = 0;
    for (const double budget : {7.0, 10.0, 18.0})
      for (const double latency : {60.0, 150.0, 500.0}) {
        if (entry.name == "nn250" && latency != 150) continue;  // each fit takes its time
        const auto problem = surface::beside_serving(budget, 40, latency);
        const Readings all = surface::readings_of_both(*problem);
        auto strategy = *make_strategy(entry.name, problem, with_predictor(10));
        std::set<std::pair<size_t, size_t>> told;
        const auto answer = run_search(*strategy, [&](const Ask& ask) -> Result<TrialOutcome> {
          EXPECT_EQ(!told.insert({ask.role, ask.candidate}).second, ask.repeat) << entry.name;
          EXPECT_FALSE(ask.reason.empty());
          return TrialOutcome{all[ask.role][ask.candidate], ""};
        });
        if (!answer.ok()) continue;
        ++solved;
        EXPECT_TRUE(outcome_of(*problem, all, answer->choice).feasible) << entry.name;
        for (size_t role = 0; role < 2; ++role)
          EXPECT_TRUE(told.contains({role, answer->choice[role]})) << entry.name;
      }
    // With everything at its maximum 18 W are exceeded.
    EXPECT_EQ(solved > 0, entry.name != "maxn") << entry.name;
  }
}

/// Never an infeasible or unmeasured answer; never a trial twice without a named reason; never more
/// profiles than allowed; what was known costs nothing.
TEST(Strategies, Properties) {
  for (const StrategyEntry& entry : runnable()) {
    size_t solved = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed)
      for (const double budget : {7.0, 8.0, 10.0, 13.0, 18.0, 40.0}) {
        if (entry.name == "nn250" && (seed > 1 || budget > 10))
          continue;  // each fit takes its time
        const auto problem = surface::problem({.power_w = budget});
        Readings all = surface::readings(*problem);
        all[0][(seed * 7) % 40].power_w *= 0.7;  // a faulty reading
        SearchOptions options = with_predictor(10);
        options.seed = seed;
        options.known = {{0, 5, all[0][5]}};
        auto strategy = *make_strategy(entry.name, problem, options);
        std::set<size_t> told = {5};
        const auto answer = run_search(*strategy, [&](const Ask& ask) -> Result<TrialOutcome> {
          EXPECT_FALSE(ask.reason.empty());
          EXPECT_EQ(told.contains(ask.candidate), ask.repeat) << entry.name;
          told.insert(ask.candidate);
          return TrialOutcome{all[0][ask.candidate], ""};
        });
        EXPECT_EQ(strategy->history().profiles(), told.size() - 1);
        if (entry.name != "brute-force" && entry.name != "als" && entry.name != "nn250") {
          EXPECT_LE(told.size() - 1, 10u);
        }
        if (!answer.ok()) continue;
        ++solved;
        EXPECT_TRUE(told.contains(answer->choice[0]));
        EXPECT_LE(all[0][answer->choice[0]].power_w, budget);
      }
    EXPECT_GT(solved, 0u) << entry.name;
  }
}

TEST(Strategies, AnUnknownNameListsTheKnownOnes) {
  const auto made = make_strategy("magic", surface::problem({}), {});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().hint, HasSubstr("brute-force"));
}

}  // namespace
}  // namespace flyball
