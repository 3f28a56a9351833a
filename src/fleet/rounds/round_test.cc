#include "fleet/rounds/round.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/random.h"
#include "fleet/rounds/rounds_testing.h"

namespace flyball {
namespace {

/// All progress that clients of a small population can be expected to make, by trying everything.
double most_progress(const RoundSetting& setting, const std::vector<double>& gains) {
  const auto& clients = setting.population().clients;
  double best = 0;
  const std::function<void(size_t, double, double, size_t)> walk =
      [&](size_t at, double progress, double joules, size_t asked) {
        if (joules > setting.rules().energy_j.value_or(1e300)) return;
        if (asked > setting.rules().count.value_or(clients.size())) return;
        if (at == clients.size()) {
          best = std::max(best, progress);
          return;
        }
        walk(at + 1, progress, joules, asked);
        for (const FleetMode& mode : setting.population().kinds[clients[at].kind].front) {
          const RoundMode one{mode, mode.minibatch_ms / 1e3, mode.minibatch_ms / 1e3 * mode.power_w,
                              std::log(mode.minibatch_ms / 1e3)};
          walk(at + 1,
               progress + gains[at] * (1 - clients[at].dropout) * setting.on_time(clients[at], one),
               joules + setting.energy_j(clients[at], one), asked + 1);
        }
      };
  walk(0, 0, 0, 0);
  return best;
}

RoundRules drawn_rules(Random& random) {
  RoundRules rules;
  rules.deadline_s = random.uniform(2, 40);
  if (random.uniform() < 0.8) rules.energy_j = random.uniform(10, 400);
  if (random.uniform() < 0.5) rules.count = 1 + random.below(4);
  rules.straggling = random.uniform() < 0.3 ? 0 : random.uniform(0.02, 0.4);
  return rules;
}

std::vector<double> all_gains(const Population& population) {
  std::vector<double> gains;
  for (const RoundClient& client : population.clients) gains.push_back(client.samples);
  return gains;
}

TEST(ChooseRound, HasTheProgressOfBruteForceOverAllModes) {
  Random random(3);
  int asked = 0;
  for (int i = 0; i < 400; ++i) {
    const Population population = small_population(1 + random.below(5), random());
    const RoundSetting setting(population, drawn_rules(random), 16);
    const auto gains = all_gains(population);
    const RoundChoice choice = choose_round(setting, gains);
    ASSERT_TRUE(choice.exact) << i;
    const double best = most_progress(setting, gains);
    ASSERT_NEAR(choice.progress, best, 1e-9 * best) << i;
    asked += static_cast<int>(choice.invited.size());
  }
  EXPECT_GT(asked, 400);
}

TEST(ChooseRound, IsNeverWorseWithALaterDeadline) {
  Random random(4);
  for (int i = 0; i < 60; ++i) {
    const Population population = small_population(12, random());
    RoundRules rules = drawn_rules(random);
    double before = 0;
    for (const double deadline_s : {2.0, 3.0, 5.0, 8.0, 13.0, 30.0, 90.0}) {
      rules.deadline_s = deadline_s;
      const RoundChoice choice =
          choose_round(RoundSetting(population, rules, 16), all_gains(population));
      ASSERT_TRUE(choice.exact);
      EXPECT_GE(choice.progress, before * (1 - 1e-9));
      before = choice.progress;
    }
    EXPECT_GT(before, 0);
  }
}

TEST(ChooseRound, IsNeverWorseWithMoreEnergy) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const Population population = small_population(12, random());
    RoundRules rules = drawn_rules(random);
    double before = 0;
    for (const double joules : {5.0, 20.0, 60.0, 150.0, 500.0, 5000.0}) {
      rules.energy_j = joules;
      const RoundSetting setting(population, rules, 16);
      const RoundChoice choice = choose_round(setting, all_gains(population));
      EXPECT_LE(choice.energy_j, joules * (1 + 1e-9));
      EXPECT_GE(choice.progress, before * (1 - 1e-9));
      before = choice.progress;
    }
  }
}

TEST(ChooseRound, AsksNobodyWhoIsNotAvailableAlwaysDropsOutOrCannotBeDone) {
  Population population = small_population(30, 1);
  auto gains = all_gains(population);
  gains[3] = 0;
  population.clients[4].dropout = 1;
  population.clients[5].samples = 1e7;
  population.clients[6].transfer_s = 50;
  RoundRules rules;
  rules.deadline_s = 40;
  const RoundChoice choice = choose_round(RoundSetting(population, rules, 16), gains);
  EXPECT_GT(choice.invited.size(), 20u);
  for (const Invitation& one : choice.invited) {
    EXPECT_TRUE(one.client < 3 || one.client > 6) << one.client;
    EXPECT_GT(one.on_time, 0);
  }
}

TEST(ChooseRound, TakesAFasterModeWhereBoardsStraggle) {
  Population population = small_population(1, 2);
  population.clients[0].transfer_s = 0;
  RoundRules rules;
  rules.straggling = 0;
  const RoundSetting steady(population, rules, 16);
  const RoundModes& modes = steady.modes_of(population.clients[0]);
  ASSERT_GE(modes.modes.size(), 3u);
  rules.deadline_s = steady.time_s(population.clients[0], modes.modes[0]) * 1.001;
  const std::vector<double> gains = {100};
  const RoundSetting sharp(population, rules, 16);
  EXPECT_EQ(choose_round(sharp, gains).invited[0].mode->step_s, modes.modes[0].step_s);
  rules.straggling = 0.05;
  const RoundSetting loose(population, rules, 16);
  const RoundChoice safe = choose_round(loose, gains);
  EXPECT_LT(safe.invited[0].mode->step_s, modes.modes[0].step_s);
  EXPECT_GT(safe.invited[0].on_time, 0.95);
}

TEST(ChooseRound, OfManyClientsHasABoundNearIt) {
  const Population population = small_population(20000, 3);
  RoundRules rules;
  rules.deadline_s = 12;
  rules.energy_j = 100e3;
  for (const std::optional<size_t> count : {std::optional<size_t>{}, std::optional<size_t>{900}}) {
    rules.count = count;
    const RoundChoice choice =
        choose_round(RoundSetting(population, rules, 16), all_gains(population));
    EXPECT_LE(choice.energy_j, 100e3 * (1 + 1e-9));
    EXPECT_LE(choice.invited.size(), count.value_or(20000));
    EXPECT_LT(choice.gap_pct(), 0.05);
  }
}

}  // namespace
}  // namespace flyball
