#include "fleet/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/random.h"
#include "fleet/planner.h"

namespace flyball {
namespace {

using testing::HasSubstr;

constexpr double none = std::numeric_limits<double>::infinity();

FleetKind random_kind(Random& random, const std::string& name, size_t boards) {
  FleetKind kind{name, name, boards};
  kind.idle_w = random.uniform(1, 4);
  const size_t modes = 1 + random.below(4);
  double power = 4 + random.uniform(0, 4), time = 200;
  for (size_t i = 0; i < modes; ++i) {
    kind.front.push_back({{{"gpu_mhz", static_cast<double>(i)}}, time, power});
    power *= random.uniform(1.1, 2);
    time *= random.uniform(0.4, 0.95);
  }
  kind.known_modes = modes;
  return kind;
}

std::vector<FleetKind> random_fleet(Random& random) {
  std::vector<FleetKind> kinds = {random_kind(random, "a", 1 + random.below(3)),
                                  random_kind(random, "b", 1 + random.below(3))};
  return kinds;
}

FleetQuestion random_question(Random& random) {
  FleetQuestion question;
  question.training.network = {"net", 16000};
  question.each = random.uniform() < 0.5;
  question.unused_idles = random.uniform() < 0.5;
  if (random.uniform() < 0.7) question.limits.deadline_s = random.uniform(20, 250);
  if (random.uniform() < 0.7) question.limits.power_w = random.uniform(10, 70);
  if (random.uniform() < 0.5) question.limits.count = 1;
  return question;
}

/// All of the work on one board, in s: the last minibatch of an epoch takes as long as the others.
double run_of(const FleetQuestion& question, const FleetMode& mode) {
  return question.epochs * std::ceil(question.training.network.samples / 16) * mode.minibatch_ms *
         1e-3;
}

/// What boards cost that each run in one mode, or not (-1): nothing where a limit is missed.
double energy_of(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
                 const std::vector<std::pair<size_t, int>>& boards) {
  double power = 0, idle = 0, speed = 0, time = 0;
  size_t running = 0;
  for (const auto& [kind, mode] : boards) {
    if (mode < 0) {
      idle += question.unused_idles ? *kinds[kind].idle_w : 0;
      continue;
    }
    const FleetMode& one = kinds[kind].front[static_cast<size_t>(mode)];
    ++running;
    power += one.power_w;
    speed += 16e3 / one.minibatch_ms;
    time = std::max(time, run_of(question, one));
  }
  if (running == 0) return none;
  if (!question.each) time = question.samples() / speed;
  const size_t count = question.limits.count.value_or(boards.size());
  if (question.each ? running != count : running > count) return none;
  if (time > question.limits.deadline_s.value_or(none)) return none;
  if (power + idle > question.limits.power_w.value_or(none)) return none;
  if (!question.each) return (power + idle) * time;
  double energy = idle * time;
  for (const auto& [kind, mode] : boards) {
    if (mode < 0) continue;
    const FleetMode& one = kinds[kind].front[static_cast<size_t>(mode)];
    const double run = run_of(question, one);
    energy += one.power_w * run + *kinds[kind].idle_w * (time - run);
  }
  return energy;
}

double brute_force(const FleetQuestion& question, const std::vector<FleetKind>& kinds) {
  std::vector<std::pair<size_t, int>> boards;
  for (size_t kind = 0; kind < kinds.size(); ++kind)
    for (size_t i = 0; i < kinds[kind].boards; ++i) boards.emplace_back(kind, -1);
  double best = none;
  const std::function<void(size_t)> walk = [&](size_t at) {
    if (at == boards.size()) {
      best = std::min(best, energy_of(question, kinds, boards));
      return;
    }
    for (int mode = -1; mode < static_cast<int>(kinds[boards[at].first].front.size()); ++mode) {
      boards[at].second = mode;
      walk(at + 1);
    }
  };
  walk(0);
  return best;
}

double least(const FleetQuestion& question, const std::vector<FleetKind>& kinds) {
  const auto answer = choose_fleet(question, kinds);
  EXPECT_TRUE(answer.ok());
  EXPECT_TRUE(answer->exact);
  EXPECT_EQ(answer->plan.has_value(), !answer->infeasible.has_value());
  return answer->plan ? answer->plan->energy_j : none;
}

TEST(ChooseFleet, HasTheEnergyOfBruteForce) {
  Random random(11);
  int found = 0, refused = 0;
  for (int i = 0; i < 400; ++i) {
    const std::vector<FleetKind> kinds = random_fleet(random);
    const FleetQuestion question = random_question(random);
    const double best = brute_force(question, kinds), told = least(question, kinds);
    ASSERT_EQ(std::isinf(best), std::isinf(told)) << i;
    std::isinf(best) ? ++refused : ++found;
    if (!std::isinf(best)) {
      EXPECT_NEAR(told, best, 1e-6 * best) << i;
    }
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(refused, 50);
}

TEST(ChooseFleet, CostsNoMoreWithRelaxedLimits) {
  Random random(12);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<FleetKind> kinds = random_fleet(random);
    FleetQuestion question = random_question(random);
    const double before = least(question, kinds);
    if (question.limits.deadline_s) *question.limits.deadline_s *= random.uniform(1, 2);
    if (question.limits.power_w) *question.limits.power_w *= random.uniform(1, 2);
    const double after = least(question, kinds);
    if (std::isinf(before)) continue;
    ++found;
    EXPECT_LE(after, before * (1 + 1e-6)) << i;
  }
  EXPECT_GT(found, 50);
}

TEST(ChooseFleet, CostsNoMoreWithMoreBoardsThatAreOffUnlessTheyRun) {
  Random random(13);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<FleetKind> kinds = random_fleet(random);
    FleetQuestion question = random_question(random);
    question.unused_idles = false;
    if (question.each) question.limits.count = 1;  // all of them would be more work
    const double before = least(question, kinds);
    kinds[random.below(2)].boards += 1 + random.below(2);
    kinds.push_back(random_kind(random, "c", 1));
    const double after = least(question, kinds);
    if (std::isinf(before)) continue;
    ++found;
    EXPECT_LE(after, before * (1 + 1e-6)) << i;
  }
  EXPECT_GT(found, 50);
}

TEST(ChooseFleet, DoesNotDependOnTheOrderOfBoards) {
  Random random(14);
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<FleetKind> kinds = random_fleet(random);
    kinds.push_back(random_kind(random, "c", 2));
    const FleetQuestion question = random_question(random);
    const auto first = choose_fleet(question, kinds);
    std::ranges::reverse(kinds);
    const auto second = choose_fleet(question, kinds);
    ASSERT_TRUE(first.ok() && second.ok());
    ASSERT_EQ(first->plan.has_value(), second->plan.has_value());
    if (!first->plan) continue;
    ++found;
    EXPECT_EQ(first->value, second->value);
    EXPECT_EQ(fleet_sentence(*first), fleet_sentence(*second));
    ASSERT_EQ(first->plan->groups.size(), second->plan->groups.size());
    for (const FleetGroup& group : first->plan->groups)
      EXPECT_TRUE(std::ranges::any_of(second->plan->groups, [&](const FleetGroup& other) {
        return first->kinds[group.kind].name == second->kinds[other.kind].name &&
               group.mode == other.mode && group.boards == other.boards;
      }));
  }
  EXPECT_GT(found, 30);
}

TEST(ChooseFleet, SaysTheNearestLimitsThatWouldDo) {
  Random random(15);
  int refused = 0, weaker = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<FleetKind> kinds = random_fleet(random);
    FleetQuestion question = random_question(random);
    if (i % 4 == 0) question.limits = {.power_w = random.uniform(1, 8)};
    const auto answer = choose_fleet(question, kinds);
    ASSERT_TRUE(answer.ok());
    if (answer->plan) continue;
    ++refused;
    if (answer->nearest_deadline_s) {
      FleetQuestion relaxed = question;
      relaxed.limits.deadline_s = answer->nearest_deadline_s;
      EXPECT_FALSE(std::isinf(least(relaxed, kinds)));
      relaxed.limits.deadline_s = *answer->nearest_deadline_s * 0.999;
      EXPECT_TRUE(std::isinf(least(relaxed, kinds)));
    }
    if (answer->nearest_power_w) {
      ++weaker;
      FleetQuestion relaxed = question;
      relaxed.limits.power_w = answer->nearest_power_w;
      EXPECT_FALSE(std::isinf(least(relaxed, kinds)));
      relaxed.limits.power_w = *answer->nearest_power_w * 0.999;
      EXPECT_TRUE(std::isinf(least(relaxed, kinds)));
    }
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(weaker, 20);
}

TEST(ChooseFleet, NamesTheLimitThatBinds) {
  FleetQuestion question;
  question.training.network = {"net", 16000};
  question.limits.deadline_s = 100;
  question.limits.power_w = 1000;
  FleetKind kind{"a", "A", 2};
  kind.front = {{{}, 200, 5}, {{}, 90, 20}};
  const auto answer = choose_fleet(question, {kind});
  ASSERT_TRUE(answer.ok() && answer->plan);
  EXPECT_EQ(answer->plan->boards, 2u);  // 2 × 5 W take 100 s
  EXPECT_NEAR(answer->plan->energy_j, 1000, 1e-6);
  EXPECT_THAT(fleet_sentence(*answer), HasSubstr("none of the limits binds"));
  question.limits.deadline_s = 99;
  const auto sooner = choose_fleet(question, {kind});
  ASSERT_TRUE(sooner.ok() && sooner->plan);
  EXPECT_THAT(fleet_sentence(*sooner), HasSubstr("the deadline binds (without it: 1000 J)"));
}

// The least power of boards that each do all of the work is that of their weakest modes.
TEST(ChooseFleet, LeastPowerOfEachNeedsNoDeadline) {
  FleetQuestion question;
  question.training.network = {"net", 16000};
  question.each = true;
  question.objective = FleetObjective::power;
  FleetKind kind{"a", "A", 2};
  kind.front = {{{}, 200, 5.00004}, {{}, 100, 8}};
  question.limits.power_w = 10.0001;
  const FleetAnswer answer = choose_fleet(question, {kind}).value();
  ASSERT_TRUE(answer.plan);
  EXPECT_DOUBLE_EQ(answer.value, 10.00008);
  EXPECT_THAT(fleet_sentence(answer), HasSubstr("at 10.0001 W")) << "not above what was asked";
  EXPECT_THAT(fleet_sentence(answer), HasSubstr("none of the limits binds"));
}

TEST(ChooseFleet, RefusesWhatMakesNoSense) {
  FleetQuestion question;
  question.training.network = {"net", 16000};
  FleetKind kind{"a", "A", 2};
  kind.front = {{{}, 200, 5}};
  EXPECT_THAT(choose_fleet(question, {}).error().message, HasSubstr("no boards"));
  EXPECT_THAT(choose_fleet(question, {kind, kind}).error().message, HasSubstr("named twice"));
  question.limits.count = 3;
  EXPECT_THAT(choose_fleet(question, {kind}).error().message, HasSubstr("the fleet has 2 boards"));
  question.limits.count.reset();
  question.unused_idles = true;
  EXPECT_THAT(choose_fleet(question, {kind}).error().message, HasSubstr("idle power"));
  question.unused_idles = false;
  question.objective = FleetObjective::power;
  EXPECT_THAT(choose_fleet(question, {kind}).error().hint, HasSubstr("--deadline"));
  question.training.network.samples = 0;
  EXPECT_THAT(choose_fleet(question, {kind}).error().hint, HasSubstr("--samples"));
}

}  // namespace
}  // namespace flyball
