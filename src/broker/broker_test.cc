#include "broker/broker.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "broker/broker_testing.h"
#include "profile/trials/device_script_testing.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Broker, OneAtATimeHasItsTurn) {
  RunningBroker broker;
  std::vector<std::unique_ptr<PairedClient>> clients;
  for (const char* name : {"a", "b", "c"})
    clients.push_back(std::make_unique<PairedClient>(*broker, name, *name == 'c' ? 0.5 : 0));
  broker.start();
  std::atomic<int> inside{0}, together{0};
  std::vector<std::thread> threads;
  for (auto& client : clients)
    threads.emplace_back([&] {
      ASSERT_TRUE(client->greet());
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(client->begin());
        if (++inside > 1) ++together;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        --inside;
        client->end(1000);
      }
      client->leave();
    });
  for (std::thread& thread : threads) thread.join();
  const BrokerResult result = broker.stop();
  EXPECT_EQ(together, 0);
  ASSERT_EQ(result.clients.size(), 3u);
  for (const TurnClientResult& client : result.clients) {
    EXPECT_EQ(client.turns, 50u);
    EXPECT_EQ(client.turn.count(), 50u);
    EXPECT_EQ(client.wait.count(), 50u);
    EXPECT_NEAR(client.synchronize_s, 50e-6, 1e-9);
    EXPECT_GE(result.busy_s(client), 50 * 0.0002);
  }
  EXPECT_EQ(result.serving.services[0].answered, 50u);
  EXPECT_EQ(result.grants.count(), 150u);
  EXPECT_THAT(broker.told(), IsEmpty());
}

TEST(Broker, AServiceComesBeforeATrainingThatWaitsLonger) {
  RunningBroker broker;
  PairedClient first(*broker, "first"), second(*broker, "second"), service(*broker, "net", 10);
  broker.start();
  for (PairedClient* client : {&first, &second, &service}) ASSERT_TRUE(client->greet());
  ASSERT_TRUE(first.begin());
  second.ask();
  pass_ms(20);
  service.ask();
  pass_ms(20);
  EXPECT_FALSE(second.is_answered());
  EXPECT_FALSE(service.is_answered());
  first.end();
  EXPECT_TRUE(service.hear("granted"));
  EXPECT_FALSE(second.is_answered());
  service.say("done");
  EXPECT_TRUE(second.hear("granted"));
}

// Who runs cannot ask meanwhile: without waiting for the one behind, turns would alternate.
TEST(Broker, TrainingsHaveTheirSharesOfTheTime) {
  RunningBroker broker;
  PairedClient large(*broker, "large", 0, 4), small(*broker, "small", 0, 1);
  broker.start();
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (PairedClient* client : {&large, &small})
    threads.emplace_back([&over, client] {
      ASSERT_TRUE(client->greet());
      while (!over) {
        ASSERT_TRUE(client->begin());
        pass_ms(5);
        client->end();
      }
      client->leave();
    });
  pass_ms(1500);
  over = true;
  for (std::thread& thread : threads) thread.join();
  const BrokerResult result = broker.stop();
  EXPECT_GT(result.busy_s(client_named(result, "large")),
            2 * result.busy_s(client_named(result, "small")));
  EXPECT_GT(client_named(result, "small").turns, 10u);
}

TEST(Broker, WhoDiesFreesItsTurnAndItsPlace) {
  RunningBroker broker;
  PairedClient dies(*broker, "dies"), waits(*broker, "waits", 5), next(*broker, "next");
  broker.start();
  for (PairedClient* client : {&dies, &waits, &next}) ASSERT_TRUE(client->greet());
  ASSERT_TRUE(dies.begin());
  waits.ask();
  next.ask();
  pass_ms(20);
  waits.leave();
  pass_ms(20);
  const Stopwatch watch;
  dies.leave();
  EXPECT_TRUE(next.hear("granted"));
  EXPECT_LT(watch.seconds(), 0.9);  // not by the limit of a turn
  next.say("done");
  pass_ms(20);
  const BrokerResult result = broker.stop();
  EXPECT_EQ(client_named(result, "dies").deaths, 1u);
  EXPECT_EQ(client_named(result, "dies").turns, 0u);
  EXPECT_EQ(client_named(result, "waits").deaths, 0u);
  EXPECT_EQ(result.serving.services[0].failed, 1u);
  EXPECT_THAT(broker.told(), ElementsAre(HasSubstr("dies has ended within its turn")));
}

TEST(Broker, ATurnThatIsTooLongIsTakenAwayAndItsEndIsTaken) {
  RunningBroker broker({.longest_turn_s = 0.02});
  PairedClient hangs(*broker, "hangs"), next(*broker, "next");
  broker.start();
  for (PairedClient* client : {&hangs, &next}) ASSERT_TRUE(client->greet());
  ASSERT_TRUE(hangs.begin());
  const Stopwatch watch;
  next.ask();
  EXPECT_TRUE(next.hear("granted"));
  EXPECT_GE(watch.seconds(), 0.19);  // ten times as long: it is its first
  next.say("done");
  hangs.end();
  EXPECT_TRUE(hangs.begin());
  hangs.end();
  pass_ms(20);
  const BrokerResult result = broker.stop();
  EXPECT_EQ(client_named(result, "hangs").overruns, 1u);
  EXPECT_GE(client_named(result, "hangs").overrun_s, 0.19);
  EXPECT_EQ(client_named(result, "hangs").turns, 1u);
  EXPECT_THAT(broker.told(), ElementsAre(HasSubstr("hangs has had its turn for")));
}

TEST(Broker, WhatTakesLongerForGoodIsBelieved) {
  RunningBroker broker({.longest_turn_s = 0.01});
  PairedClient slow(*broker, "slow");
  broker.start();
  ASSERT_TRUE(slow.greet());
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(slow.begin());
    pass_ms(i == 0 ? 1 : 60);
    slow.end();
  }
  pass_ms(20);
  const BrokerResult result = broker.stop();
  const TurnClientResult& client = client_named(result, "slow");
  EXPECT_GE(client.overruns, 2u);
  EXPECT_LE(client.overruns, 4u);
  EXPECT_EQ(client.turns + client.overruns, 10u);
}

TEST(Broker, WordsOutOfTurnEndAConnectionAndNothingElse) {
  RunningBroker broker;
  PairedClient good(*broker, "good");
  std::vector<std::unique_ptr<PairedClient>> bad;
  const std::vector<std::vector<const char*>> said = {
      {"ask"},
      {"done"},
      {"\xff\xfe"},
      {"flyball-turn 1 training 1 x", "done"},
      {"flyball-turn 1 training 1 x", "flyball-turn 1 training 1 x"},
      {"flyball-turn 1 training 1 x", "ask", "ask"},
      {"flyball-turn 1 service 1 good"},  // is connected as a training
  };
  for (size_t i = 0; i < said.size(); ++i)
    bad.push_back(std::make_unique<PairedClient>(*broker, "bad"));
  broker.start();
  ASSERT_TRUE(good.greet());
  ASSERT_TRUE(good.begin());
  for (size_t i = 0; i < said.size(); ++i)
    for (const char* words : said[i]) bad[i]->say(words);
  pass_ms(50);
  good.end();
  EXPECT_TRUE(good.begin());
  good.end();
  pass_ms(20);
  const BrokerResult result = broker.stop();
  EXPECT_EQ(result.expelled, said.size());
  EXPECT_EQ(client_named(result, "good").turns, 2u);
  EXPECT_THAT(broker.told(), ::testing::Each(HasSubstr("a client is refused")));
}

TEST(Broker, ConnectionsOfOneNameAreOneClient) {
  RunningBroker broker;
  PairedClient one(*broker, "net", 1), other(*broker, "net", 1);
  broker.start();
  for (PairedClient* client : {&one, &other}) {
    ASSERT_TRUE(client->greet());
    ASSERT_TRUE(client->begin());
    client->end();
  }
  pass_ms(20);
  const BrokerResult result = broker.stop();
  ASSERT_EQ(result.clients.size(), 1u);
  EXPECT_EQ(result.clients[0].connections, 2u);
  EXPECT_EQ(result.clients[0].turns, 2u);
}

TEST(Broker, ANameMayComeInAnotherRoleOnceTheFormerHasGone) {
  RunningBroker broker;
  PairedClient before(*broker, "net", 1), after(*broker, "net", 2), trains(*broker, "net");
  broker.start();
  ASSERT_TRUE(before.greet());
  EXPECT_FALSE(trains.greet());
  before.leave();
  pass_ms(20);
  ASSERT_TRUE(after.greet());
  ASSERT_TRUE(after.begin());
  after.end();
  pass_ms(20);
  const BrokerResult result = broker.stop();
  ASSERT_EQ(result.clients.size(), 2u);
  EXPECT_EQ(result.clients[0].role.latency_ns, 1'000'000'000);
  EXPECT_EQ(result.clients[0].turns, 0u);
  EXPECT_EQ(result.clients[1].role.latency_ns, 2'000'000'000);
  EXPECT_EQ(result.clients[1].turns, 1u);
  ASSERT_EQ(broker.told().size(), 1u);
  EXPECT_THAT(broker.told()[0], HasSubstr("net is connected as a service within 1000 ms"));
}

// One after the other.
void take_turns_and_leave(const std::vector<std::unique_ptr<PairedClient>>& clients) {
  for (const auto& client : clients) {
    ASSERT_TRUE(client->greet());
    ASSERT_TRUE(client->begin());
    client->end();
    client->leave();
  }
  pass_ms(20);
}

// Those who left, and those who are told of one by one.
double busy_of_all_s(const BrokerResult& result) {
  double busy_s = result.left_busy_s();
  for (const TurnClientResult& client : result.clients) busy_s += result.busy_s(client);
  return busy_s;
}

TEST(Broker, NamesOfThoseWhoLeftAreGivenBackAndTheirFiguresSummed) {
  RunningBroker broker;
  std::vector<std::unique_ptr<PairedClient>> clients;
  for (int i = 0; i < 130; ++i)  // services and trainings in turns
    clients.push_back(std::make_unique<PairedClient>(*broker, "c" + std::to_string(i), i % 2));
  broker.start();
  ASSERT_NO_FATAL_FAILURE(take_turns_and_leave(clients));
  const BrokerResult result = broker.stop();
  EXPECT_EQ(result.clients.size(), 64u);
  EXPECT_EQ(result.left.names, 66u);
  EXPECT_EQ(result.left.turns, 66u);
  EXPECT_EQ(client_named(result, "c129").turns, 1u);
  EXPECT_LE(result.serving.services.size() + result.serving.trainings.size(), 66u);
  EXPECT_DOUBLE_EQ(busy_of_all_s(result), result.serving.busy_s());
}

// What is waited for by decision, as for the part of the time that trainings may have, is no cost.
TEST(Broker, APauseIsNoCostOfAGrant) {
  RunningBroker broker;
  PairedClient learn(*broker, "learn");
  broker.start();
  ASSERT_TRUE(learn.greet());
  (*broker).limit_training(0.1, "a test");
  for (int i = 0; i < 5; ++i) {  // 10 ms each, then 90 of pause
    ASSERT_TRUE(learn.begin());
    pass_ms(10);
    learn.end();
  }
  const BrokerResult result = broker.stop();
  ASSERT_EQ(result.grants.count(), 5u);
  EXPECT_GT(result.clients[0].wait.quantile_ms(0.5), 60);
  EXPECT_LT(result.grants.quantile_ms(0.5), 30);
}

// While trainings are paused nobody wants, and who comes back first has nobody to be held against.
TEST(Broker, WhoComesToALimitedTrainingTakesItsShareAndNoMore) {
  RunningBroker broker;
  PairedClient late(*broker, "late"), early(*broker, "early", 0, 0.05);
  broker.start();
  for (PairedClient* client : {&late, &early}) ASSERT_TRUE(client->greet());
  (*broker).limit_training(0.5, "a test");
  std::atomic<size_t> turns_of_early{0};
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over && early.begin()) {
      pass_ms(10);
      early.end();
      ++turns_of_early;
    }
    early.leave();
  });
  while (turns_of_early < 20) pass_ms(1);  // by its share as long as four seconds of the other's
  const size_t before = turns_of_early;
  pass_ms(3);  // of a pause of 10
  size_t turns = 0;
  for (; turns < 200 && turns_of_early == before; ++turns) {
    ASSERT_TRUE(late.begin());
    pass_ms(10);
    late.end();
  }
  over = true;
  late.leave();
  other.join();
  EXPECT_LE(turns, 160u);  // a second, and one turn of the other's by its share
}

// A service's place among the names may go to a training, which has another of the scheduler's.
TEST(Broker, WhoLeftKeepsItsTimeWhereTheNextComesInAnotherRole) {
  RunningBroker broker;
  std::vector<std::unique_ptr<PairedClient>> clients;
  for (int i = 0; i < 66; ++i)
    clients.push_back(std::make_unique<PairedClient>(*broker, "c" + std::to_string(i), i < 64));
  broker.start();
  ASSERT_NO_FATAL_FAILURE(take_turns_and_leave(clients));
  BrokerResult result = broker.stop();
  EXPECT_EQ(result.left.names, 2u);
  EXPECT_GT(to_json(result)["left"]["busy_s"], 0);
  EXPECT_DOUBLE_EQ(busy_of_all_s(result), result.serving.busy_s());
  result.serving.energy_j = 64;
  for (ServiceResult& service : result.serving.services) service.energy_j = 1;
  EXPECT_EQ(to_json(result)["left"]["energy_j"], 2);
}

TEST(Broker, NamesOfThoseWhoStayAreNotGivenBack) {
  RunningBroker broker;
  std::vector<std::unique_ptr<PairedClient>> clients;
  for (int i = 0; i < 65; ++i)
    clients.push_back(std::make_unique<PairedClient>(*broker, "c" + std::to_string(i)));
  broker.start();
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(clients[i]->greet());
  EXPECT_FALSE(clients[64]->greet());
  EXPECT_EQ(errno, EUSERS);
  EXPECT_STREQ(clients[64]->refusal(), "more than 64 names at once");
}

TEST(Broker, ARefusalSaysWhyToPrograms) {
  RunningBroker broker;
  PairedClient first(*broker, "net", 1), other(*broker, "net"), negative(*broker, "a", -1);
  PairedClient mute(*broker, "mute");
  broker.start();
  ASSERT_TRUE(first.greet());
  EXPECT_FALSE(other.greet());
  EXPECT_EQ(errno, EEXIST);
  EXPECT_STREQ(other.refusal(), "net is connected as a service within 1000 ms");
  EXPECT_FALSE(negative.greet());
  EXPECT_EQ(errno, EINVAL);
  mute.say("flyball-turn 2 training 1 mute");
  EXPECT_FALSE(mute.hear("welcome"));
  EXPECT_EQ(errno, EPROTONOSUPPORT);
}

// Whoever is busy has no time to look; a place that nobody uses is free again all the same.
TEST(Broker, AClientThatSaysNothingIsClosedWhileOthersTakeTurns) {
  RunningBroker broker({.greeting_s = 0.15});
  PairedClient silent(*broker, "silent"), busy(*broker, "busy");
  broker.start();
  ASSERT_TRUE(busy.greet());
  ASSERT_TRUE(busy.begin());
  pass_ms(500);
  EXPECT_TRUE(silent.is_answered());
  EXPECT_TRUE(silent.hear("refused words it has not said who it is"));
  busy.end();
  pass_ms(20);
  EXPECT_EQ(client_named(broker.stop(), "busy").turns, 1u);
}

TEST(Broker, FewRefusalsAreToldSoThatLostTurnsStillAre) {
  RunningBroker broker({.longest_turn_s = 0.01});
  std::vector<std::unique_ptr<PairedClient>> bad;
  for (int i = 0; i < 30; ++i) bad.push_back(std::make_unique<PairedClient>(*broker, "bad"));
  PairedClient hangs(*broker, "hangs");
  broker.start();
  for (auto& client : bad) client->say("nonsense");
  ASSERT_TRUE(hangs.greet());
  ASSERT_TRUE(hangs.begin());
  pass_ms(300);
  EXPECT_EQ(broker.stop().expelled, 30u);
  ASSERT_EQ(broker.told().size(), 21u);
  EXPECT_THAT(broker.told()[19], HasSubstr("others are only counted"));
  EXPECT_THAT(broker.told()[20], HasSubstr("hangs has had its turn for"));
}

// The child has the turn's socket, not the turn.
TEST(Broker, AForkedProcessDoesNotEndTheTurnOfItsParent) {
  RunningBroker broker;
  PairedClient parent(*broker, "parent"), other(*broker, "other");
  broker.start();
  for (PairedClient* client : {&parent, &other}) ASSERT_TRUE(client->greet());
  ASSERT_TRUE(parent.begin());
  other.ask();
  const pid_t child = ::fork();
  if (child == 0) {
    parent.end();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  pass_ms(30);
  EXPECT_FALSE(other.is_answered());
  parent.end();
  EXPECT_TRUE(other.hear("granted"));
}

TEST(Broker, SaysWhichTrainingALatencyBudgetKeepsOut) {
  RunningBroker broker;
  PairedClient training(*broker, "long"), service(*broker, "net", 0.02);
  broker.start();
  ASSERT_TRUE(training.greet());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(training.begin());
    pass_ms(60);
    training.end();
  }
  ASSERT_TRUE(service.greet());
  training.ask();
  pass_ms(60);
  EXPECT_FALSE(training.is_answered());
  service.leave();
  EXPECT_TRUE(training.hear("granted"));
  training.say("done");
  pass_ms(20);
  const BrokerResult result = broker.stop();
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_THAT(result.notes[0], HasSubstr("a turn of long"));
  EXPECT_THAT(result.notes[0], HasSubstr("20 ms"));
}

// One long turn is believed for a while, then forgotten: who trains then is not kept out.
TEST(Broker, WhoTrainsBesideAServiceIsNotSaidToBeKeptOut) {
  RunningBroker broker;
  PairedClient training(*broker, "learn"), service(*broker, "net", 0.1);
  broker.start();
  ASSERT_TRUE(training.greet());
  for (const int64_t took_ms : {5, 5, 5, 150}) {
    ASSERT_TRUE(training.begin());
    pass_ms(took_ms);
    training.end();
  }
  ASSERT_TRUE(service.greet());
  training.ask();
  pass_ms(60);
  EXPECT_FALSE(training.is_answered());
  EXPECT_TRUE(training.hear("granted"));
  training.say("done");
  pass_ms(20);
  const BrokerResult result = broker.stop();
  EXPECT_EQ(client_named(result, "learn").turns, 5u);
  EXPECT_THAT(result.notes, IsEmpty());
}

/// Says once that its mode was put back, as where the helper was started anew.
class LeavingDevice {
 public:
  LeavingDevice() {
    device_.stands = [this]() -> Status {
      if (++asked_ != 2) return {};
      return Error{Code::unavailable, "the helper has gone", ""};
    };
  }
  ScriptedDevice& operator*() { return device_; }

 private:
  ScriptedDevice device_;
  int asked_ = 0;
};

TEST(Broker, AModeThatWasPutBackIsSetAgainBetweenTurns) {
  LeavingDevice device;
  HeldMode held(*device, {}, 0.02);
  ASSERT_TRUE(held.set({{{"gpu_mhz", 300}}}).ok());
  RunningBroker broker({.held = &held});
  PairedClient client(*broker, "learn");
  broker.start();
  ASSERT_TRUE(client.greet());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(client.begin());
    pass_ms(5);
    client.end();
  }
  const BrokerResult result = broker.stop();
  EXPECT_THAT((*device).applied, SizeIs(2));
  EXPECT_EQ(result.serving.switches, 1u);
  ASSERT_THAT(result.serving.replans, SizeIs(1));
  EXPECT_EQ(result.serving.replans[0].mode, "gpu_mhz 300");
  EXPECT_THAT(broker.told(),
              ElementsAre(HasSubstr("the mode was put back by others (the helper has "
                                    "gone) and is set again: mode gpu_mhz 300")));
}

TEST(Broker, AModeThatCannotBeSetAgainIsToldOnceAndTriedFromTimeToTime) {
  LeavingDevice device;
  std::vector<std::string> modes;
  HeldMode held(
      *device, [&modes](const std::string& mode) { modes.push_back(mode); }, 0.02);
  ASSERT_TRUE(held.set({{{"gpu_mhz", 300}}}).ok());
  (*device).refuse = true;
  RunningBroker broker({.seconds = 0.7, .held = &held});
  broker.start();
  pass_ms(750);
  const BrokerResult result = broker.stop();
  EXPECT_EQ(result.serving.switches, 0u);
  ASSERT_THAT(result.serving.replans, SizeIs(1));
  EXPECT_FALSE(result.serving.replans[0].switched);
  EXPECT_THAT(result.serving.replans[0].why, HasSubstr("cannot be set again: it did not take"));
  ASSERT_GT(modes.size(), 2u);
  EXPECT_EQ(modes[0], "gpu_mhz 300");
  EXPECT_EQ(modes.back(), "");
}

TEST(Broker, WhoWaitsWhenItEndsIsLetGo) {
  RunningBroker broker({.seconds = 0.1});
  PairedClient runs(*broker, "runs"), waits(*broker, "waits");
  broker.start();
  for (PairedClient* client : {&runs, &waits}) ASSERT_TRUE(client->greet());
  ASSERT_TRUE(runs.begin());
  waits.ask();
  pass_ms(150);
  runs.end();
  const BrokerResult result = broker.stop();
  EXPECT_EQ(client_named(result, "runs").turns, 1u);
  EXPECT_EQ(client_named(result, "runs").overruns, 0u);
  EXPECT_FALSE(waits.is_answered());
}

}  // namespace
}  // namespace flyball
