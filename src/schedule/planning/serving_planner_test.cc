#include "schedule/planning/serving_planner.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/clock.h"
#include "problem/paper.h"
#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Two modes: 10 W, and 20 W at twice the speed.
WorkloadTable two_modes(Phase phase) {
  WorkloadTable table;
  table.device = "board";
  table.workload = phase == Phase::train ? "learn" : "net";
  table.phase = phase;
  table.space = Space({named_axis("gpu_mhz"), named_axis("batch_size")});
  for (const double speed : {1.0, 2.0})
    for (const double batch :
         phase == Phase::train ? std::vector<double>{16} : std::vector<double>{1, 16})
      table.add(std::vector<double>{500 * speed, batch},
                (phase == Phase::train ? 40 : 4 + batch) / speed, 10 * speed);
  return table;
}

class ServingPlannerTest : public ::testing::Test {
 protected:
  ServingPlannerTest() {
    const WorkloadTable train = two_modes(Phase::train), infer = two_modes(Phase::infer);
    const auto all =
        std::make_shared<const Candidates>(*Candidates::link({train.space, infer.space}));
    const std::array<const WorkloadTable*, 2> tables = {&train, &infer};
    readings_ = *readings_of(*all, tables);
    problem_ = make_problem(ProblemKind::concurrent, all, {role_of(train), role_of(infer)},
                            {{unlimited, unlimited, unlimited}, 500, 50});
    now_ = {{20e6}, {40e6}};  // batch 16 at 10 W
    slow_ = choice_in(500);
    fast_ = choice_in(1000);
  }
  /// The training and the largest batch at a clock.
  std::vector<size_t> choice_in(double gpu_mhz) const {
    const Candidates& all = *problem_.candidates;
    std::vector<size_t> choice(2);
    for (size_t role = 0; role < 2; ++role)
      for (size_t c = 0; c < all.size(role); ++c)
        if (all.space(role).settings(c).at("gpu_mhz") == gpu_mhz && all.batch(role, c) == 16)
          choice[role] = c;
    return choice;
  }
  ServingPlanner planner(std::vector<size_t> choice, double rate_hz,
                         ServingPlannerOptions options = {}) {
    return {problem_,
            readings_,
            std::move(choice),
            {rate_hz},
            {.durations = [this] { return now_; },
             .power_w = [this] { return power_w_; },
             .change = [this](PlanChange change) { changes_.push_back(std::move(change)); },
             .set_mode =
                 [this](size_t mode) {
                   set_.push_back(mode);
                   return std::ranges::find(broken_, mode) == broken_.end()
                              ? Status()
                              : Status(Error{Code::unavailable, "it does not take", ""});
                 },
             .mode_stands = [this] { return stands_; }},
            options};
  }
  /// As the thread that serves does once a gap has come.
  static void follow(const PlanChange& change) {
    EXPECT_TRUE(change.mode_is_set() || change.set_mode().ok());
    change.followed();
  }
  /// Two services in place of a training and one.
  void serve_two() {
    WorkloadTable one = two_modes(Phase::infer), other = one;
    other.workload = "other";
    const auto all =
        std::make_shared<const Candidates>(*Candidates::link({one.space, other.space}));
    const std::array<const WorkloadTable*, 2> tables = {&one, &other};
    readings_ = *readings_of(*all, tables);
    problem_.candidates = all;
    problem_.objective = Objective::latency;
    problem_.roles = {role_of(one), role_of(other)};
    for (Role& role : problem_.roles) {
      role.rate_hz = 20;
      role.latency_ms = 200;
    }
  }
  static ServingPlannerOptions at_each_look() {
    ServingPlannerOptions options;
    options.drift_s = 0;
    return options;
  }
  static int64_t feed(ServingPlanner& planner, int64_t from_ns, double rate_hz, int count) {
    for (int i = 0; i < count; ++i) {
      from_ns += static_cast<int64_t>(1e9 / rate_hz);
      planner.arrived(0, from_ns);
    }
    planner.look(from_ns);
    return from_ns;
  }

  Problem problem_;
  Readings readings_;
  JobDurations now_;
  double power_w_ = not_measured;
  std::vector<size_t> slow_, fast_;
  std::vector<PlanChange> changes_;
  std::vector<size_t> set_;
  std::vector<size_t> broken_;  ///< modes that cannot be set
  bool stands_ = true;          ///< the board is in the mode that was set last
};

TEST_F(ServingPlannerTest, ARateThatNobodyToldIsLearnedAndPlannedFor) {
  ServingPlannerOptions options;
  options.mode_is_set = false;
  ServingPlanner planned = planner(slow_, 0, options);
  feed(planned, monotonic_ns(), 50, 40);
  EXPECT_TRUE(changes_.empty());  // too few yet
  feed(planned, monotonic_ns() + 800 * ms, 50, 40);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_NEAR(changes_[0].why.rate_hz, 50, 3);
  EXPECT_THAT(changes_[0].why.why, HasSubstr("requests/s arrive"));
  EXPECT_EQ(changes_[0].why.mode, "gpu_mhz 1000");  // trains more, and power is free
  ASSERT_TRUE(changes_[0].set_mode);
  ASSERT_TRUE(changes_[0].set_mode().ok());
  EXPECT_EQ(set_, std::vector<size_t>{problem_.candidates->mode_of(0, fast_[0])});
  ASSERT_EQ(changes_[0].plan.trainings.size(), 1u);
  EXPECT_DOUBLE_EQ(changes_[0].plan.trainings[0].minibatch.typical_ns(1), 20e6);
}

// Its batch and mode are others than warm-up's, whose times say nothing of them.
TEST_F(ServingPlannerTest, TimesBeforeTheFirstPlanIsFollowedAreNoDrift) {
  ServingPlannerOptions options = at_each_look();
  options.mode_is_set = false;
  ServingPlanner planned = planner(slow_, 0, options);
  now_ = {{3e6}, {90e6}};
  feed(planned, monotonic_ns(), 50, 100);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_THAT(changes_[0].why.why, HasSubstr("requests/s arrive"));
  EXPECT_DOUBLE_EQ(changes_[0].plan.trainings[0].minibatch.typical_ns(1), 20e6)
      << "as it was profiled";
}

// Any new plan would leave the slow mode: the fast one trains more, and power is free.
TEST_F(ServingPlannerTest, ASteadyRateChangesNothing) {
  ServingPlanner planned = planner(slow_, 50, at_each_look());
  int64_t at_ns = monotonic_ns();
  for (int i = 0; i < 20; ++i) at_ns = feed(planned, at_ns, 50, 50);
  EXPECT_TRUE(changes_.empty());
  for (int i = 0; i < 20 && changes_.empty(); ++i) at_ns = feed(planned, at_ns, 100, 50);
  EXPECT_FALSE(changes_.empty()) << "and one that doubles does";
}

TEST_F(ServingPlannerTest, MinibatchesThatSlowDownMakeAnotherPlan) {
  problem_.budgets.power_w = 25;
  problem_.roles[1].latency_ms = 110;
  ServingPlanner planned = planner(slow_, 50, at_each_look());
  now_ = {{30e6}, {62e6}};  // one and a half times: 62 + 30 ms leave no room for what comes
  planned.look(monotonic_ns());
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_THAT(changes_[0].why.why, HasSubstr("minibatches of learn take 1.6 times as long"));
  EXPECT_EQ(changes_[0].why.mode, "gpu_mhz 1000");
  EXPECT_NEAR(changes_[0].plan.trainings[0].minibatch.typical_ns(1), 31e6,
              1e3);  // slower there, too
  planned.look(monotonic_ns());
  EXPECT_EQ(changes_.size(), 1u) << "what runs until its switch is the plan before";
  follow(changes_[0]);
  changes_.clear();
  now_ = {{15e6}, {31e6}};  // as it is now expected
  planned.look(monotonic_ns());
  EXPECT_TRUE(changes_.empty());
  now_ = {{200e6}, {31e6}};
  planned.look(monotonic_ns());
  ASSERT_EQ(changes_.size(), 1u) << "and is watched again";
  EXPECT_THAT(changes_[0].why.why, HasSubstr("nothing that was profiled keeps the limits"));
}

TEST_F(ServingPlannerTest, PowerBeyondTheBudgetMakesAThriftierPlan) {
  problem_.budgets.power_w = 22;
  ServingPlanner planned = planner(fast_, 50, at_each_look());
  now_ = {{10e6}, {20e6}};
  power_w_ = 21;
  planned.look(monotonic_ns());
  EXPECT_TRUE(changes_.empty());
  power_w_ = 26;
  planned.look(monotonic_ns());
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_THAT(changes_[0].why.why, HasSubstr("26 W are drawn where 20 W were planned"));
  EXPECT_EQ(changes_[0].why.mode, "gpu_mhz 500");
}

TEST_F(ServingPlannerTest, WhereNothingKeepsTheLimitsItStaysAndSaysSo) {
  problem_.budgets.power_w = 12;
  ServingPlanner planned = planner(slow_, 50, at_each_look());
  now_ = {{20e6}, {40e6}};
  power_w_ = 18;
  planned.look(monotonic_ns());
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_THAT(changes_[0].why.why, HasSubstr("nothing that was profiled keeps the limits"));
  EXPECT_TRUE(changes_[0].mode_is_set());
  EXPECT_EQ(changes_[0].plan.largest_batch, std::vector<int64_t>{16});
  follow(changes_[0]);
  for (const double drawn_w : {18.0, 18.3, 17.8}) {
    power_w_ = drawn_w;
    planned.look(monotonic_ns());
  }
  EXPECT_EQ(changes_.size(), 1u) << "once";
  power_w_ = 20;
  planned.look(monotonic_ns());
  EXPECT_EQ(changes_.size(), 2u) << "and again where power changes";
}

// Minibatches slow down, so a faster mode is planned; they do again before its switch has found a
// gap. The second plan replaces the first, and sets the mode that the first one never did.
TEST_F(ServingPlannerTest, APlanThatReplacesOneWhoseSwitchWaitsSetsItsMode) {
  problem_.roles[1].latency_ms = 110;
  ServingPlanner planned = planner(slow_, 50, at_each_look());
  now_ = {{30e6}, {62e6}};
  planned.look(monotonic_ns());
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].why.mode, "gpu_mhz 1000");
  EXPECT_FALSE(changes_[0].mode_is_set());
  feed(planned, monotonic_ns(), 20, 400);  // another rate, another plan in the same mode or none
  feed(planned, monotonic_ns() + 20'000 * ms, 5, 400);
  for (const PlanChange& change : changes_) {
    ASSERT_TRUE(change.set_mode);
    EXPECT_EQ(change.mode_is_set(), change.why.mode == "gpu_mhz 500") << change.why.why;
  }
  ASSERT_TRUE(changes_.back().set_mode().ok());
  for (const PlanChange& change : changes_)
    EXPECT_EQ(change.mode_is_set(), change.why.mode == changes_.back().why.mode);
}

TEST_F(ServingPlannerTest, AModeThatCannotBeSetIsLetBeForAWhile) {
  problem_.roles[1].latency_ms = 110;
  ServingPlannerOptions options = at_each_look();
  options.back_off_s = 100;
  ServingPlanner planned = planner(slow_, 50, options);
  const int64_t begin_ns = monotonic_ns();
  now_ = {{30e6}, {62e6}};
  planned.look(begin_ns);
  ASSERT_EQ(changes_.size(), 1u);
  const size_t slow_mode = problem_.candidates->mode_of(0, slow_[0]);
  const size_t fast_mode = problem_.candidates->mode_of(0, fast_[0]);
  broken_ = {fast_mode};
  const Status set = changes_[0].set_mode();
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().message, HasSubstr("it does not take; gpu_mhz 500 is set again"));
  changes_[0].followed();
  EXPECT_EQ(set_, (std::vector<size_t>{fast_mode, slow_mode}));
  for (int s = 1; s < 100; s += 7) planned.look(begin_ns + s * 1'000 * ms);
  for (size_t i = 1; i < changes_.size(); ++i) EXPECT_TRUE(changes_[i].mode_is_set());
  broken_.clear();
  changes_.clear();
  planned.look(begin_ns + 102'000 * ms);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_THAT(changes_[0].why.why, HasSubstr("gpu_mhz 1000 may be set again"));
  ASSERT_TRUE(changes_[0].set_mode().ok());
  EXPECT_EQ(set_.back(), fast_mode);
}

TEST_F(ServingPlannerTest, ARateThatNothingKeepsIsTold) {
  problem_.budgets.power_w = 12;
  ServingPlanner planned = planner(slow_, 50);
  feed(planned, monotonic_ns(), 5000, 1000);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_THAT(changes_[0].why.why, HasSubstr("requests/s arrive, and nothing that was profiled "
                                             "keeps the limits: it stays as it is"));
  EXPECT_TRUE(changes_[0].mode_is_set());
  EXPECT_EQ(changes_[0].plan.largest_batch, std::vector<int64_t>{16});
}

// What others put it back to was not planned for: what is seen there says nothing of the profiles.
TEST_F(ServingPlannerTest, WhereTheModeIsLostNothingIsLearnedAndAPlanSetsIt) {
  problem_.budgets.power_w = 12;
  ServingPlanner planned = planner(slow_, 50, at_each_look());
  stands_ = false;
  now_ = {{200e6}, {400e6}};
  planned.look(monotonic_ns());
  EXPECT_TRUE(changes_.empty());
  const int64_t at_ns = feed(planned, monotonic_ns(), 5000, 1000);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_FALSE(changes_[0].mode_is_set());
  follow(changes_[0]);
  EXPECT_EQ(set_, std::vector<size_t>{problem_.candidates->mode_of(0, slow_[0])});
  stands_ = true;
  EXPECT_TRUE(changes_[0].mode_is_set());
  planned.look(at_ns);
  ASSERT_EQ(changes_.size(), 2u) << "once it is set again it is watched";
  EXPECT_THAT(changes_[1].why.why, HasSubstr("take 10 times as long as planned"));
}

// One request at a time is enough for 20 a second at each, and not for what comes to the second.
TEST_F(ServingPlannerTest, EachOfTwoServicesIsWatched) {
  serve_two();
  std::vector<size_t> ones = {0, 0};  // batch 1 at 500 MHz
  ServingPlanner planned(problem_, readings_, ones, {20, 20},
                         {.change = [this](PlanChange change) { changes_.push_back(change); }});
  int64_t at_ns = monotonic_ns();
  for (int i = 0; i < 4000; ++i) {
    at_ns += 4 * ms;
    planned.arrived(1, at_ns);
    if (i % 12 == 0) planned.arrived(0, at_ns);
  }
  planned.look(at_ns);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_THAT(changes_[0].why.why, HasSubstr("requests/s arrive at other"));
  EXPECT_THAT(changes_[0].why.why, Not(HasSubstr("at net")));
  EXPECT_NEAR(changes_[0].why.rate_hz, 270, 20);  // of both
  ASSERT_EQ(changes_[0].plan.largest_batch.size(), 2u);
  EXPECT_GT(changes_[0].plan.largest_batch[1], 1);
}

TEST_F(ServingPlannerTest, RatesOfTwoServicesAreLearnedWhereOneIsAskedForNothing) {
  serve_two();
  ServingPlannerOptions options;
  options.mode_is_set = false;
  ServingPlanner planned(problem_, readings_, choice_in(500), {0, 0},
                         {.change = [this](PlanChange change) { changes_.push_back(change); }},
                         options);
  const int64_t at_ns = feed(planned, monotonic_ns(), 50, 100);
  EXPECT_TRUE(changes_.empty());  // nothing is known of the other one
  feed(planned, at_ns, 50, 600);
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_NEAR(changes_[0].why.rate_hz, 50, 3);
}

// In the middle of a plan as well: what it would come to is not handed over.
TEST_F(ServingPlannerTest, NothingIsPlannedOnceItIsStopped) {
  ServingPlannerOptions options;
  options.mode_is_set = false;
  ServingPlanner planned = planner(slow_, 0, options);
  planned.stop();
  feed(planned, monotonic_ns(), 50, 100);
  EXPECT_TRUE(changes_.empty());
}

}  // namespace
}  // namespace flyball
