// Whole runs on a simulated board whose modes have their speed and power, with simulated clients.
#include "broker/broker_run.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "broker/broker_testing.h"
#include "schedule/serving/serving_testing.h"

namespace flyball {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Draws 10 W at 300 MHz, and 20 W at 600 MHz.
class TwoClocks final : public Board {
 public:
  TwoClocks() { info_.device = ScriptedDevice().info(); }
  const BoardInfo& info() const override { return info_; }
  Result<std::unique_ptr<Device>> knobs(ReportLeft) const override {
    auto device = std::make_unique<ScriptedDevice>();
    device->told = [this](const PowerMode& mode) {
      gpu_mhz_ = mode.values.at("gpu_mhz");
      set.push_back(mode.values);
    };
    device->stands = [this]() -> Status {
      if (!leaves_.exchange(false)) return {};
      gpu_mhz_ = 600;
      return Error{Code::unavailable, "the helper has gone", ""};
    };
    device->refuses = [this](const PowerMode& mode) {
      if (takes_none) return true;
      if (mode.values.at("gpu_mhz") > 300 || refusals == 0) return false;
      --refusals;
      refused_after = set.size();
      return true;
    };
    return std::unique_ptr<Device>(std::move(device));
  }
  std::unique_ptr<PowerMeter> power() const override {
    return std::make_unique<ScriptedMeter>([this] { return gpu_mhz() / 30; });
  }
  double gpu_mhz() const { return gpu_mhz_; }
  /// Puts its mode back once, as a helper that is started anew.
  void leave() { leaves_ = true; }

  mutable size_t refusals = 0;  ///< of the lower clock, before it takes
  mutable size_t refused_after = 0;
  bool takes_none = false;
  mutable std::vector<Settings> set{};  ///< one after the other

 private:
  BoardInfo info_;
  mutable std::atomic<double> gpu_mhz_{600};
  mutable std::atomic<bool> leaves_{false};
};

class BrokerRunTest : public ::testing::Test {
 protected:
  BrokerRunTest() {
    request_.watch = {
        .window_s = 0.3, .beyond_s = 0.15, .settle_s = 0.05, .look_s = 0.02, .lap_s = 0.05};
    request_.expected.turn_batch = 1;
  }

  /// A training whose turns take 2 ms at 600 MHz, beside a service every 20 ms.
  Result<BrokerResult> run(double budget_w, double seconds) {
    request_.expected.plan.power_budget_w = budget_w;
    BrokerSetup setup{.board = board_, .computing = board_.info(), .profiles = profiles_};
    setup.knobs = *board_.knobs({});
    setup.options.seconds = seconds;
    setup.hold_look_s = 0.05;
    setup.options.tell = [this](const std::string& line) { told_.push_back(line); };
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<PairedClient>> clients;
    setup.begins = [&](Broker& broker) {
      clients.push_back(std::make_unique<PairedClient>(broker, "learn"));
      clients.push_back(std::make_unique<PairedClient>(broker, "double", 0.5));
      for (auto& client : clients)
        threads.emplace_back([&, serves = &client != &clients[0]] {
          for (bool runs = client->greet(); runs && client->begin();) {
            pass_ms(static_cast<int64_t>((serves ? 600 : 1200) / board_.gpu_mhz()));
            client->end();
            if (serves) pass_ms(20);
          }
        });
    };
    clients.reserve(2);
    auto result = run_broker(request_, std::move(setup));
    for (std::thread& thread : threads) thread.join();
    return result;
  }
  void expect_clients() {
    const std::string rows =
        "scripted,learn,train,16,300,8,10,module\n"
        "scripted,learn,train,16,600,4,20,module\n"
        "scripted,double,infer,1,300,2,10,module\n"
        "scripted,double,infer,1,600,1,20,module\n";
    const auto file = folder_.path() / "board.csv";
    ASSERT_TRUE(write_file(file,
                           "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w,"
                           "power_total\n" +
                               rows)
                    .ok());
    profiles_ = scripted_profiles();
    profiles_.files = {file.string()};
    request_.expected.train = {"learn"};
    request_.expected.infer = {"double"};
    request_.expected.plan.latencies_ms = {500};
    request_.expected.arrivals = {ArrivalSpec{}};
    request_.expected.arrivals[0].kind = ArrivalKind::http;
    request_.expected.arrivals[0].rate_hz = 40;
  }

  TempFolder folder_;
  TwoClocks board_;
  BrokerRequest request_;
  ProfileSource profiles_;
  std::vector<std::string> told_;
};

TEST_F(BrokerRunTest, ABudgetThatIsTooLowForTheModeMakesAnother) {
  const auto result = run(15, 1.5);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_GT(result->serving.switches, 0u);
  ASSERT_THAT(result->serving.replans, Not(IsEmpty()));
  EXPECT_THAT(result->serving.replans[0].why, HasSubstr("20 W are drawn, of a budget of 15 W"));
  EXPECT_THAT(result->serving.replans.back().mode, HasSubstr("gpu_mhz 300"));
  EXPECT_THAT(told_, Contains(HasSubstr("of a budget of 15 W: mode cpu_cores")));
  EXPECT_THAT(format_broker(*result), HasSubstr("of a budget of 15 W: mode cpu_cores"));
  EXPECT_EQ(result->serving.services[0].late, 0u);
}

// The mode before is set again, and then another one is tried.
TEST_F(BrokerRunTest, AModeThatDoesNotTakeLeavesTheOneBefore) {
  board_.refusals = 1;
  const auto result = run(15, 2.5);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(board_.refusals, 0u);
  ASSERT_GT(board_.set.size(), board_.refused_after + 1);
  EXPECT_EQ(board_.set[board_.refused_after].at("gpu_mhz"), 600);
  if (board_.refused_after > 0) {
    EXPECT_EQ(board_.set[board_.refused_after], board_.set[board_.refused_after - 1]);
  }
  ASSERT_THAT(result->serving.replans, Not(IsEmpty()));
  EXPECT_THAT(told_, Contains(HasSubstr("the mode cannot be set: it did not take")));
  EXPECT_THAT(result->serving.replans.back().mode, HasSubstr("gpu_mhz 300"));
  EXPECT_EQ(result->serving.services[0].late, 0u);
}

// Nor can the one before be set any more: both are told, and turns are granted all the same.
TEST_F(BrokerRunTest, ABoardThatTakesNoModeIsTold) {
  board_.takes_none = true;
  const auto result = run(15, 1.2);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->serving.switches, 0u);
  EXPECT_THAT(told_, Contains(HasSubstr("nor can the mode before be set again: it did not take")));
  EXPECT_GT(client_named(*result, "learn").turns, 0u);
}

TEST_F(BrokerRunTest, ARelaxedBudgetLeavesTheModeAndTrainsNoLess) {
  const auto tight = run(15, 1.2), relaxed = run(25, 1.2);
  ASSERT_TRUE(tight.ok() && relaxed.ok());
  EXPECT_EQ(relaxed->serving.switches, 0u);
  EXPECT_THAT(relaxed->serving.replans, IsEmpty());
  EXPECT_GE(client_named(*relaxed, "learn").turns, client_named(*tight, "learn").turns);
}

TEST_F(BrokerRunTest, WhereAModeIsHeldTrainingsHaveLessOfTheTime) {
  request_.mode.values = {{"gpu_mhz", 600}};
  const auto result = run(15, 1.2);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->mode, "gpu_mhz 600");
  EXPECT_EQ(result->serving.switches, 0u);
  ASSERT_THAT(result->serving.replans, Not(IsEmpty()));
  EXPECT_LT(result->serving.replans.back().training, 0.8);
  EXPECT_THAT(told_, Contains(HasSubstr("% of the time at most")));
  EXPECT_THAT(result->notes, Contains(HasSubstr("the mode is held")));
}

TEST_F(BrokerRunTest, AModeThatWasPutBackIsSetAgain) {
  request_.mode.values = {{"gpu_mhz", 300}};
  board_.leave();
  const auto result = run(25, 0.5);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->serving.replans.size(), 1u);
  EXPECT_THAT(result->serving.replans[0].why,
              HasSubstr("put back by others (the helper has gone) and is set again"));
  EXPECT_EQ(result->serving.replans[0].mode, "gpu_mhz 300");
  EXPECT_TRUE(result->serving.replans[0].switched);
  EXPECT_THAT(told_, Contains(HasSubstr("is set again: mode gpu_mhz 300")));
}

TEST_F(BrokerRunTest, ProfilesOfWhoIsExpectedChooseTheMode) {
  expect_clients();
  const auto low = run(15, 0.5), high = run(25, 0.5);
  ASSERT_TRUE(low.ok()) << low.error().message;
  ASSERT_TRUE(high.ok()) << high.error().message;
  EXPECT_EQ(low->mode, "gpu_mhz 300");
  EXPECT_EQ(high->mode, "gpu_mhz 600");
  EXPECT_EQ(low->plan[0]["config"]["gpu_mhz"], 300);
  EXPECT_THAT(low->notes, Contains(HasSubstr("planned with 4 trials of")));
  EXPECT_GT(client_named(*low, "learn").turns, 0u);
  EXPECT_GT(client_named(*low, "double").turns, 0u);
  EXPECT_GT(client_named(*high, "learn").turns, client_named(*low, "learn").turns);
}

TEST_F(BrokerRunTest, NothingThatWasProfiledWithinTheBudgetIsTheAnswer) {
  expect_clients();
  const auto result = run(5, 0.5);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::infeasible);
}

TEST_F(BrokerRunTest, ABudgetNeedsPower) {
  const ScriptedBoard blind(false);
  request_.expected.plan.power_budget_w = 20;
  EXPECT_THAT(run_broker(request_, {.board = blind}).error().message,
              HasSubstr("no power is read here"));
}

}  // namespace
}  // namespace flyball
