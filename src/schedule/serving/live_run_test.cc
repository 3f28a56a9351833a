#include "schedule/serving/live_run.h"

#include <gmock/gmock.h>

#include <atomic>

#include "base/files.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "schedule/live/live_serving_testing.h"
#include "schedule/serving/serving_testing.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Counts what a door is asked for.
class CountedDoor final : public RequestDoor {
 public:
  explicit CountedDoor(std::vector<std::string>& log) : log_(log) {}
  ~CountedDoor() override { log_.push_back("closed"); }
  void attach(LiveServing& serving) override {
    log_.push_back(serving.services().front().name + " attached");
  }
  void drain() override { log_.push_back("drained"); }

 private:
  std::vector<std::string>& log_;
};

class LiveRunTest : public ::testing::Test {
 protected:
  LiveRunTest() { request_.seconds = 0.3; }
  LiveSetup setup(const Board& board) {
    LiveSetup made{.board = board, .computing = board.info()};
    made.jobs.service = [](const std::string&, const JobPlace&, const ServeRequest&) {
      return Result<std::unique_ptr<InferenceRunner>>(std::make_unique<Doubler>(500'000));
    };
    made.jobs.training = [this](const std::string&, const JobPlace&, const ServeRequest&) {
      StartedTraining started{.runner = std::make_unique<Trainer>(counts_)};
      started.resumed = true;
      started.resumed_minibatches = 7;
      return Result<StartedTraining>(std::move(started));
    };
    return made;
  }

  Counts counts_;
  ServeRequest request_ = asking(500, "poisson:40");
};

TEST_F(LiveRunTest, ServesTrainsAndTellsWhatCameOfIt) {
  const ScriptedBoard board;
  LiveSetup asked = setup(board);
  std::vector<std::string> log;
  asked.open_door = [&log](const LiveFacts& facts) {
    log.push_back("open on " + facts.device);
    return Result<std::unique_ptr<RequestDoor>>(std::make_unique<CountedDoor>(log));
  };
  request_.most_spans = 10;
  const auto served = serve_live(request_, std::move(asked));
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_GT(served->result.services[0].answered, 0u);
  EXPECT_GT(served->result.trainings[0].minibatches, 0u);
  EXPECT_NEAR(served->result.power_w(), 15, 0.1);
  EXPECT_EQ(served->spans.size(), 10u);
  EXPECT_EQ(served->device, "Scripted board");
  EXPECT_TRUE(served->plan.is_null());
  EXPECT_EQ(counts_.saves, 1);
  EXPECT_THAT(served->notes, ElementsAre("learn goes on at epoch 0, minibatch 7"));
  EXPECT_THAT(log, ElementsAre("open on Scripted board", "double attached", "drained", "closed"));
}

// Which go on with the random state of their checkpoints, where a service seeds it.
TEST_F(LiveRunTest, TrainingsAreMadeAfterServices) {
  const ScriptedBoard board;
  LiveSetup asked = setup(board);
  std::vector<std::string> made;
  asked.jobs.service = [&made, make = asked.jobs.service](const auto&... args) {
    made.emplace_back("service");
    return make(args...);
  };
  asked.jobs.training = [&made, make = asked.jobs.training](const auto&... args) {
    made.emplace_back("training");
    return make(args...);
  };
  ASSERT_TRUE(serve_live(request_, std::move(asked)).ok());
  EXPECT_THAT(made, ElementsAre("service", "training"));
}

TEST_F(LiveRunTest, ABudgetThatNoRequestKeepsIsSaid) {
  const ScriptedBoard board;
  request_ = asking(0.1, "poisson:40");
  request_.train.clear();
  request_.seconds = 0.3;
  const auto served = serve_live(request_, setup(board));
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_EQ(served->result.services[0].answered, 0u);
  EXPECT_THAT(served->notes,
              ElementsAre(HasSubstr("double: no request can be relied on to be answered within 0.1 "
                                    "ms: one alone takes up to ")));
}

TEST_F(LiveRunTest, WhoInterruptsWarmUpIsToldNothingOfBudgets) {
  const ScriptedBoard board;
  const std::atomic<bool> stop{true};
  request_.plan.cancelled = &stop;
  request_.train.clear();
  const auto served = serve_live(request_, setup(board));
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_THAT(served->notes, ElementsAre());
}

/// Puts its mode back once while it is served in, as a helper that is started anew; where it
/// refuses, it cannot be set any more.
class LeavingBoard final : public Board {
 public:
  explicit LeavingBoard(bool refuses = false) : refuses_(refuses) {
    info_.device = ScriptedDevice().info();
  }
  const BoardInfo& info() const override { return info_; }
  Result<std::unique_ptr<Device>> knobs(ReportLeft) const override {
    auto device = std::make_unique<ScriptedDevice>();
    device->stands = [this, knobs = device.get()]() -> Status {
      if (asked_++ != 1) return {};
      knobs->refuse = refuses_;
      return Error{Code::unavailable, "the helper has gone", ""};
    };
    return std::unique_ptr<Device>(std::move(device));
  }
  std::unique_ptr<PowerMeter> power() const override {
    return std::make_unique<ScriptedMeter>([] { return 15.0; });
  }
  int asked() const { return asked_; }

 private:
  BoardInfo info_;
  bool refuses_;
  mutable int asked_ = 0;
};

/// Looks at the mode that is told when all has been served.
class LookingDoor final : public RequestDoor {
 public:
  LookingDoor(const LiveFacts& facts, std::string& mode) : facts_(facts), mode_(mode) {}
  void attach(LiveServing&) override {}
  void drain() override { mode_ = facts_.mode(); }

 private:
  const LiveFacts& facts_;
  std::string& mode_;
};

TEST_F(LiveRunTest, AModeThatWasPutBackIsSetAgain) {
  const TempFolder folder;
  const auto table = folder / "board.csv";
  const std::vector tables{scripted_table(Phase::train), scripted_table(Phase::infer)};
  ASSERT_TRUE(write_file(table, format_table(tables)).ok());
  for (const bool refuses : {false, true}) {
    const LeavingBoard board(refuses);
    LiveSetup asked = setup(board);
    asked.knobs = *board.knobs({});
    asked.profiles = scripted_profiles();
    asked.profiles.files = {table.string()};
    asked.hold_look_s = 0.05;
    std::string mode;
    asked.open_door = [&mode](const LiveFacts& facts) {
      return Result<std::unique_ptr<RequestDoor>>(std::make_unique<LookingDoor>(facts, mode));
    };
    const auto served = serve_live(request_, std::move(asked));
    ASSERT_TRUE(served.ok()) << served.error().message;
    EXPECT_GT(board.asked(), 1);
    EXPECT_EQ(served->result.mode, "gpu_mhz 600");
    EXPECT_EQ(mode, refuses ? "" : "gpu_mhz 600");
    EXPECT_EQ(served->result.switches, refuses ? 0u : 1u);
    ASSERT_EQ(served->result.replans.size(), 1u);
    const Replan& told = served->result.replans[0];
    EXPECT_THAT(told.why, HasSubstr("put back by others (the helper has gone) and "));
    EXPECT_THAT(told.why,
                HasSubstr(refuses ? "cannot be set again: it did not take" : "is set again"));
    EXPECT_EQ(told.switched, !refuses);
    EXPECT_EQ(told.mode, "gpu_mhz 600");
    EXPECT_EQ(told.rate_hz, 40);
  }
}

/// Still takes a large request apart when it is closed.
class BusyDoor final : public RequestDoor {
 public:
  ~BusyDoor() override { serving_->submit(0, Doubler(0).example(1)); }
  void attach(LiveServing& serving) override { serving_ = &serving; }
  void drain() override {}

 private:
  LiveServing* serving_ = nullptr;
};

TEST_F(LiveRunTest, TheResultIsTakenOnceNobodySubmitsAnyMore) {
  const ScriptedBoard board;
  LiveSetup asked = setup(board);
  asked.open_door = [](const LiveFacts&) {
    return Result<std::unique_ptr<RequestDoor>>(std::make_unique<BusyDoor>());
  };
  request_.arrivals = {*parse_arrivals("http")};
  const auto served = serve_live(request_, std::move(asked));
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_EQ(served->result.services[0].refused, 1u);
  const auto timeline = timeline_json(served->timeline, served->result);
  size_t refused = 0;
  for (const auto& window : timeline["services"][0]["refused"]) refused += window.get<size_t>();
  EXPECT_EQ(refused, 1u);
}

TEST(LiveFacts, TheFrontIsThatOfTheFirstPlan) {
  LiveFacts facts;
  facts.planned_front.resize(3);
  ServingResult stands;
  EXPECT_EQ(facts.front(stands).size(), 3u);
  stands.planned_anew({});
  EXPECT_EQ(facts.front(stands).size(), 0u);
}

TEST_F(LiveRunTest, APowerBudgetNeedsPowerAndProfiles) {
  request_.plan.power_budget_w = 15;
  const ScriptedBoard blind(false), board;
  EXPECT_THAT(serve_live(request_, setup(blind)).error().message,
              HasSubstr("no power is read here"));
  EXPECT_THAT(serve_live(request_, setup(board)).error().message, HasSubstr("no profiles of"));
}

TEST_F(LiveRunTest, MeasuringNeedsSomethingToPlanWith) {
  request_.measure = 2;
  const ScriptedBoard board;
  EXPECT_THAT(serve_live(request_, setup(board)).error().message,
              HasSubstr("there is nothing to plan with"));
}

TEST_F(LiveRunTest, AJobThatCannotBeMadeEndsIt) {
  const ScriptedBoard board;
  LiveSetup asked = setup(board);
  asked.jobs.service = [](const std::string& workload, const JobPlace&, const ServeRequest&) {
    return Result<std::unique_ptr<InferenceRunner>>(
        Error{Code::not_found, "no data for " + workload, ""});
  };
  EXPECT_EQ(serve_live(request_, std::move(asked)).error().message, "no data for double");
}

}  // namespace
}  // namespace flyball
