#include "fleet/rounds/simulate_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/rounds/rounds.h"
#include "fleet/rounds/rounds_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

RoundRules usual_rules() {
  RoundRules rules;
  rules.deadline_s = 30;
  rules.energy_j = 4000;
  return rules;
}

RoundsQuestion usual_question() {
  RoundsQuestion question;
  question.training.network = {"net", 0};
  question.rules = usual_rules();
  question.drawn = DrawnClients{};
  return question;
}

TEST(JainIndex, IsOneOfEqualSharesAndOneOfAllForOneShare) {
  EXPECT_DOUBLE_EQ(jain_index(std::vector<double>{3, 3, 3}), 1);
  EXPECT_DOUBLE_EQ(jain_index(std::vector<double>{0, 0, 0, 7}), 0.25);
  EXPECT_DOUBLE_EQ(jain_index(std::vector<double>{1, 3}), 16.0 / 20);
  EXPECT_EQ(jain_index(std::vector<double>{0, 0}), 0);
  EXPECT_EQ(jain_index({}), 0);
}

TEST(SimulateRounds, AreTheSameForASeedAndOthersForAnother) {
  const Population population = small_population(100, 1);
  const RoundSetting setting(population, usual_rules(), 16);
  for (const RoundStrategy strategy : round_strategies) {
    const SimulatedRounds one = simulate_rounds(setting, {}, strategy, 1),
                          same = simulate_rounds(setting, {}, strategy, 1),
                          other = simulate_rounds(setting, {}, strategy, 2);
    EXPECT_EQ(one.rounds, same.rounds);
    EXPECT_EQ(one.sum.energy_j, same.sum.energy_j);
    EXPECT_EQ(one.fairness, same.fairness);
    EXPECT_NE(one.sum.energy_j, other.sum.energy_j);
  }
}

TEST(SimulateRounds, CountEveryInvitationOnce) {
  const Population population = small_population(100, 1);
  const RoundSetting setting(population, usual_rules(), 16);
  for (const RoundStrategy strategy : round_strategies) {
    const SimulatedRounds done = simulate_rounds(setting, {}, strategy, 1);
    EXPECT_EQ(done.sum.invited, done.sum.arrived + done.sum.late + done.sum.dropped);
    EXPECT_LE(done.sum.wasted_j, done.sum.energy_j);
    EXPECT_LE(done.sum.time_s, 30.0 * static_cast<double>(done.rounds) * (1 + 1e-9));
    EXPECT_LE(done.progress, done.covered);
    EXPECT_GT(done.progress, 0);
    EXPECT_GT(done.fairness, 0);
    EXPECT_LE(done.fairness, 1);
  }
}

TEST(SimulateRounds, ReachTheTargetSoonestWithTheMostProgress) {
  for (const uint64_t seed : {1, 2, 3}) {
    const Population population = small_population(200, seed);
    const RoundSetting setting(population, usual_rules(), 16);
    const SimulatedRounds own = simulate_rounds(setting, {}, RoundStrategy::progress, seed);
    EXPECT_TRUE(own.reached);
    for (const RoundStrategy other : round_strategies) {
      const SimulatedRounds beside = simulate_rounds(setting, {}, other, seed);
      EXPECT_TRUE(!beside.reached || beside.rounds >= own.rounds) << round_strategy_name(other);
    }
  }
}

// By hand: one client, always there, never late: 1 − 0.5^c ≥ 0.8 after three rounds.
TEST(SimulateRounds, FollowTheProxy) {
  Population population{{small_kind("a", 1, 1, 100, 10)}, {}, {}};
  population.kinds[0].maxn = population.kinds[0].front[0];
  population.clients.push_back({0, 160, 1, 0, 2, 1});
  RoundRules rules;
  rules.deadline_s = 5;
  rules.straggling = 0;
  const RoundSetting setting(population, rules, 16);
  for (const RoundStrategy strategy : round_strategies) {
    const SimulatedRounds done = simulate_rounds(setting, {}, strategy, 1);
    EXPECT_EQ(done.rounds, 3u);
    EXPECT_TRUE(done.reached);
    EXPECT_DOUBLE_EQ(done.progress, 0.875);
    EXPECT_DOUBLE_EQ(done.sum.time_s, 3 * (2 + 10 * 0.1));
    EXPECT_DOUBLE_EQ(done.sum.energy_j, 3 * (10 * 0.1 * 10 + 2 * 3));
    EXPECT_DOUBLE_EQ(done.fairness, 1);
  }
}

TEST(SimulateRounds, CutOffThoseThatAreLate) {
  Population population{{small_kind("a", 1, 1, 100, 10)}, {}, {}};
  population.clients.push_back({0, 1600, 1, 0, 2, 1});
  RoundRules rules;
  rules.deadline_s = 5;
  rules.straggling = 0;
  const RoundSetting setting(population, rules, 16);
  ProgressProxy proxy;
  proxy.most_rounds = 4;
  const SimulatedRounds done = simulate_rounds(setting, proxy, RoundStrategy::random, 1);
  EXPECT_EQ(done.sum.late, 4u);
  EXPECT_EQ(done.progress, 0);
  EXPECT_DOUBLE_EQ(done.sum.time_s, 20);
  EXPECT_DOUBLE_EQ(done.sum.energy_j, 4 * (3 * 14 + 2 * 3));
  EXPECT_DOUBLE_EQ(done.sum.wasted_j, done.sum.energy_j);
  EXPECT_EQ(simulate_rounds(setting, proxy, RoundStrategy::fastest, 1).sum.invited, 0u);
}

TEST(SimulateRounds, NeverAskAClientThatIsNeverAvailable) {
  Population population = small_population(100, 4);
  for (size_t i = 0; i < 100; i += 3) population.clients[i].available = 0;
  const RoundSetting setting(population, usual_rules(), 16);
  for (const RoundStrategy strategy : round_strategies) {
    std::vector<double> missing(100, 1);
    std::vector<uint32_t> updates(100, 0);
    for (size_t round = 0; round < 50; ++round) {
      const auto gains = round_gains(population, {}, missing, 1, round);
      const RoundChoice choice = decide_round(strategy, setting, gains, round);
      for (const Invitation& one : choice.invited) ASSERT_NE(one.client % 3, 0u);
      play_round(setting, {}, choice, 1, round, missing, updates);
    }
  }
}

TEST(AskRounds, TellsWhatWouldDoWhereNobodyCanBeAsked) {
  const Population population = small_population(50, 1);
  RoundsQuestion question = usual_question();
  question.rules.deadline_s = 0.01;
  auto answer = ask_rounds(question, population);
  ASSERT_TRUE(answer.ok());
  ASSERT_TRUE(answer->infeasible.has_value());
  EXPECT_THAT(answer->infeasible->hint, HasSubstr("--deadline"));
  EXPECT_TRUE(answer->strategies.empty());
  question = usual_question();
  question.rules.energy_j = 1e-3;
  answer = ask_rounds(question, population);
  ASSERT_TRUE(answer->infeasible.has_value());
  EXPECT_THAT(answer->infeasible->hint, HasSubstr("--energy-budget"));
}

// Also where the thriftiest of all is not there in the first round.
TEST(AskRounds, AFollowedHintOfEnergyHolds) {
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Population population = small_population(20, 1);
    for (RoundClient& client : population.clients) client.available = 0.3;
    RoundsQuestion question = usual_question();
    question.seed = seed;
    question.rules.energy_j = 1e-3;
    const auto refused = ask_rounds(question, population);
    ASSERT_TRUE(refused.ok() && refused->infeasible);
    const std::string& hint = refused->infeasible->hint;
    const size_t place = hint.find("--energy-budget ");
    ASSERT_NE(place, std::string::npos) << hint;
    question.rules.energy_j = std::stod(hint.substr(place + 16));
    const auto answer = ask_rounds(question, population);
    ASSERT_TRUE(answer.ok());
    EXPECT_FALSE(answer->infeasible.has_value()) << seed << " " << hint;
  }
}

TEST(AskRounds, GroupsAllThatAreAsked) {
  const Population population = small_population(100, 1);
  const auto answer = ask_rounds(usual_question(), population);
  ASSERT_TRUE(answer.ok() && answer->first);
  size_t clients = 0;
  double energy_j = 0;
  for (const RoundGroup& group : answer->first->groups) {
    clients += group.clients;
    energy_j += group.energy_j;
  }
  EXPECT_EQ(clients, answer->first->asked.size());
  EXPECT_NEAR(energy_j, answer->first->energy_j, 1e-6);
  EXPECT_EQ(answer->strategies.size(), round_strategies.size());
  EXPECT_THAT(round_sentence(*answer), HasSubstr("100 in all"));
  EXPECT_THAT(rounds_sentence(*answer), HasSubstr("random takes"));
}

}  // namespace
}  // namespace flyball
