// Modes that nobody has profiled, measured while it serves in simulated time.
#include "schedule/planning/mode_visit.h"

#include <gmock/gmock.h>

#include "problem/paper.h"
#include "schedule/planning/planned_simulation.h"
#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr std::array clocks = {300.0, 500.0, 700.0, 900.0, 1100.0, 1300.0};

double watts(double gpu_mhz) {
  return 5 + 0.01 * gpu_mhz;
}

/// Six clocks; time goes with the clock, and so does power: 8 to 18 W.
WorkloadTable six_modes(Phase phase) {
  WorkloadTable table;
  table.device = "board";
  table.workload = phase == Phase::train ? "learn" : "net";
  table.phase = phase;
  table.space = Space({named_axis("gpu_mhz"), named_axis("batch_size")});
  const bool trains = phase == Phase::train;
  for (const double gpu_mhz : clocks)
    for (const double batch : trains ? std::vector{16.0} : std::vector{1.0, 4.0, 16.0, 32.0})
      table.add(std::vector{gpu_mhz, batch}, 2 + (trains ? 40 : 4 + 0.5 * batch) * 500 / gpu_mhz,
                watts(gpu_mhz));
  return table;
}

class ModeVisitTest : public ::testing::Test {
 protected:
  ModeVisitTest() {
    const WorkloadTable train = six_modes(Phase::train), infer = six_modes(Phase::infer);
    const auto all =
        std::make_shared<const Candidates>(*Candidates::link({train.space, infer.space}));
    const std::array<const WorkloadTable*, 2> tables = {&train, &infer};
    truth_ = *readings_of(*all, tables);
    problem_ = make_problem(ProblemKind::concurrent, all, {role_of(train), role_of(infer)},
                            {{unlimited, unlimited, unlimited}, 400, 40});
    problem_.switch_ms = 100;
  }
  double clock(size_t role, size_t candidate) const {
    return problem_.candidates->space(role).settings(candidate).at("gpu_mhz");
  }
  /// What is known of these clocks.
  Readings profiled(const std::vector<double>& gpu_mhz) const {
    Readings known = truth_;
    for (size_t role = 0; role < 2; ++role)
      for (size_t c = 0; c < known[role].size(); ++c)
        if (std::ranges::find(gpu_mhz, clock(role, c)) == gpu_mhz.end()) known[role][c] = Reading();
    return known;
  }
  ServingResult run(size_t measure, double seconds = 300) {
    const Readings known = profiled({300, 500, 700});
    const ServingProblem live{&problem_, &truth_};
    PlannedSimulation planned{.truth = live, .known = known, .rates_hz = {40}};
    planned.choice = Replanner({&problem_, &known}, {}).plan_for({40})->choice;
    planned.options.measure = measure;
    Simulation simulation = live.simulation(planned.choice);
    const auto source = make_arrivals(poisson_arrivals(40), 5);
    simulation.arrivals = {source.get()};
    simulation.seconds = seconds;
    simulation.switch_s = problem_.switch_ms * 1e-3;
    return simulate_planned(std::move(simulation), planned);
  }
  /// Another truth of a clock.
  void change(double gpu_mhz, double slower, double hungrier) {
    for (size_t role = 0; role < 2; ++role)
      for (size_t c = 0; c < truth_[role].size(); ++c)
        if (clock(role, c) == gpu_mhz) {
          truth_[role][c].minibatch_ms *= slower;
          truth_[role][c].power_w *= hungrier;
        }
  }

  Problem problem_;
  Readings truth_;
};

TEST_F(ModeVisitTest, WhatIsMeasuredTrainsMoreAndMakesNothingLate) {
  problem_.budgets.power_w = 16.5;  // up to 1100 MHz
  const ServingResult without = run(0), with = run(3);
  EXPECT_FALSE(without.measure_most);
  EXPECT_TRUE(without.measured.empty());
  EXPECT_EQ(with.measure_most, 3u);
  ASSERT_FALSE(with.measured.empty());
  EXPECT_LE(with.measured.size(), 3u);
  EXPECT_GT(with.trainings[0].minibatches, without.trainings[0].minibatches * 5 / 4);
  for (const ServingResult* result : {&without, &with}) {
    EXPECT_EQ(result->services[0].late, 0u);
    EXPECT_EQ(result->services[0].refused, 0u);
  }
  ASSERT_FALSE(with.replans.empty());
  EXPECT_THAT(with.replans.back().mode,
              AnyOf("gpu_mhz 900", "gpu_mhz 1100", "gpu_mhz 1300"));  // none of those profiled
  EXPECT_THAT(with.replans.back().why, HasSubstr("is measured"));
}

TEST_F(ModeVisitTest, WhatIsObservedIsWhatTheModeTakes) {
  problem_.preference.kind = Preference::Kind::training;  // batches of one size
  const ServingResult result = run(2);
  ASSERT_FALSE(result.measured.empty());
  const MeasuredMode& first = result.measured.front();
  EXPECT_EQ(first.mode, "gpu_mhz 1300");  // power is free
  EXPECT_EQ(first.left, "");
  EXPECT_NEAR(first.power_w, watts(1300), 0.01);
  EXPECT_GE(first.seconds, 10);
  EXPECT_GE(first.batches, 20u);
  ASSERT_GE(first.observed.size(), 2u);
  for (const ObservedBatch& one : first.observed) {
    const double truth_ms = 2 + (one.workload == "learn" ? 40 : 4 + 0.5 * one.batch) * 500 / 1300;
    EXPECT_NEAR(one.minibatch_ms, truth_ms, 0.02 * truth_ms) << one.workload << " " << one.batch;
  }
}

TEST_F(ModeVisitTest, AModeThatDrawsMoreThanItMayIsLeftAtOnce) {
  problem_.budgets.power_w = 16.5;
  change(900, 1, 1.5);
  const ServingResult result = run(1);
  ASSERT_EQ(result.measured.size(), 1u);
  EXPECT_EQ(result.measured[0].mode, "gpu_mhz 900");
  EXPECT_THAT(result.measured[0].left, HasSubstr("21 W are drawn, of a budget of 16.5 W"));
  EXPECT_LT(result.measured[0].seconds, 4);
  EXPECT_EQ(result.replans.back().mode, "gpu_mhz 700");
  EXPECT_EQ(result.services[0].late, 0u);
}

TEST_F(ModeVisitTest, AModeThatIsTooSlowIsLeftAtOnce) {
  problem_.budgets.power_w = 16.5;
  change(900, 40, 1);
  const ServingResult result = run(1);
  ASSERT_EQ(result.measured.size(), 1u);
  EXPECT_NE(result.measured[0].left, "");
  EXPECT_LT(result.measured[0].seconds, 4);
  EXPECT_EQ(result.replans.back().mode, "gpu_mhz 700");
  EXPECT_GT(result.trainings[0].minibatches, run(0).trainings[0].minibatches * 9 / 10);
}

TEST_F(ModeVisitTest, ASwitchThatNoGapHoldsIsNotMade) {
  problem_.switch_ms = 450;
  const ServingResult result = run(3);
  EXPECT_TRUE(result.measured.empty());
  EXPECT_EQ(result.switches, 0u);
  EXPECT_THAT(result.measuring_gap, HasSubstr("no gap within a latency budget of 400 ms"));
}

TEST_F(ModeVisitTest, NothingIsPromisedOnAnAxisOfWhichOneValueWasProfiled) {
  const ModeExplorer explorer(problem_, {.most = 3});
  const auto none = explorer.next(profiled({500}), std::array{40.0}, std::nullopt);
  EXPECT_TRUE(!none.ok() || !*none);
  const auto some = explorer.next(profiled({300, 500}), std::array{40.0}, std::nullopt);
  ASSERT_TRUE(some.ok()) << some.error().message;
  EXPECT_TRUE(*some);
}

}  // namespace
}  // namespace flyball
