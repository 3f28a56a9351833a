#include "tune/plan_costs.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "profile/trials/table_profiler.h"
#include "profile/trials/twin_profiler.h"
#include "tune/live_table_testing.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr size_t modes = 12;  // of smooth_table()

SharedBoard shared_by(std::unique_ptr<Profiler> one, std::unique_ptr<Profiler> other = {}) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  profilers.push_back(std::move(one));
  if (other) profilers.push_back(std::move(other));
  return share_board(std::move(profilers)).value();
}

std::unique_ptr<Profiler> live_service(const std::string& name = "net") {
  return std::make_unique<testing_live::LiveTable>(testing_live::smooth_table(name, {1, 4}));
}
std::unique_ptr<Profiler> tabled_service() {
  return make_table_profiler(testing_live::smooth_table("net", {1, 4}));
}

Request asked(const std::string& kind) {
  Request request;
  request.kind = kind;
  request.objective = Objective::energy;
  return request;
}

// The m-th mode idles at 2 W and a tenth of m.
BoardCosts idle_of_all(const SharedBoard& board, const std::string& fingerprint) {
  BoardCosts costs;
  for (size_t m = 0; m < board.candidates->mode_count(); ++m) {
    IdlePower idle{.device = board.info(0).device, .fingerprint = fingerprint};
    idle.mode = board.candidates->modes().trial(m, "", Phase::infer).mode;
    idle.total = board.info(0).power_total;
    idle.power_w = 2 + 0.1 * static_cast<double>(m);
    costs.idle.push_back({idle, static_cast<int64_t>(m + 1)});
  }
  return costs;
}

StoredSwitchCost switches_of_board(const std::string& device, const std::string& fingerprint,
                                   double ms, int64_t run) {
  SwitchCost cost{.device = device, .fingerprint = fingerprint};
  cost.measured_utc = "2026-03-01T12:30:05Z";
  cost.switches = {{"gpu_mhz", {}, {}, {ms}, 0}};
  return {cost, run};
}

TEST(PlanCosts, WhatTheUserSaysOutdoesWhatIsKnown) {
  const SharedBoard board = shared_by(live_service());
  const std::string& here = board.info(0).fingerprint;
  BoardCosts stored = idle_of_all(board, here);
  stored.switches = {switches_of_board(board.info(0).device, here, 20, 3)};
  Request request = asked("dynamic");
  const PlanCosts costs =
      plan_costs(request, board, {.switch_ms = 2000, .idle_w = 6}, nullptr, stored);
  ASSERT_TRUE(costs.switching && costs.idle);
  EXPECT_EQ(costs.switching->source, CostSource::user);
  EXPECT_EQ(costs.idle->source, CostSource::user);
  count_costs(request, costs);
  EXPECT_THAT(request.cost_notes,
              ElementsAre("idle power between batches is yours: 6 W in every mode"));
  EXPECT_EQ(request.switch_ms, 2000);
  EXPECT_THAT(request.idle_w, SizeIs(modes));
  EXPECT_THAT(request.idle_w, Each(6));
}

// A mode for each role is changed to twice a window: that it is taken to cost nothing is said.
TEST(PlanCosts, AModeForEachRoleIsChangedTo) {
  const SharedBoard board = shared_by(live_service());
  Request request = asked("concurrent");
  request.objective = Objective::throughput;
  EXPECT_FALSE(plan_costs(request, board, {}, nullptr, {}).switching);
  request.separate_modes = true;
  count_costs(request, plan_costs(request, board, {}, nullptr, {}));
  EXPECT_EQ(request.switch_ms, 0);
  EXPECT_THAT(request.cost_notes,
              ElementsAre(HasSubstr("what a switch takes is not known and counts as nothing")));
}

TEST(PlanCosts, IdlePowerOfALiveBoardIsItsOwn) {
  const SharedBoard board = shared_by(live_service());
  Request request = asked("inference");
  const BoardCosts own = idle_of_all(board, board.info(0).fingerprint);
  const auto idle = plan_costs(request, board, {}, nullptr, own).idle;
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->source, CostSource::this_board);
  EXPECT_EQ(idle->unknown, 0u);
  ASSERT_THAT(idle->mode_w, SizeIs(modes));
  for (size_t m = 0; m < modes; ++m)
    EXPECT_DOUBLE_EQ(idle->mode_w[m], 2 + 0.1 * static_cast<double>(m));
  // One of its kind draws something else.
  const auto kin = plan_costs(request, board, {}, nullptr, idle_of_all(board, "another")).idle;
  EXPECT_EQ(kin->source, CostSource::unknown);
  EXPECT_EQ(kin->unknown, modes);
}

TEST(PlanCosts, IdlePowerOfATableIsThatOfItsKind) {
  const SharedBoard board = shared_by(tabled_service());
  const auto idle =
      plan_costs(asked("inference"), board, {}, nullptr, idle_of_all(board, "another")).idle;
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->source, CostSource::board_kind);
  EXPECT_THAT(idle->mode_w, SizeIs(modes));
}

TEST(PlanCosts, IdlePowerOfSomeModesAloneIsNotCounted) {
  const SharedBoard board = shared_by(live_service());
  Request request = asked("inference");
  BoardCosts stored = idle_of_all(board, board.info(0).fingerprint);
  stored.idle.erase(stored.idle.begin() + 4);
  const PlanCosts costs = plan_costs(request, board, {}, nullptr, stored);
  ASSERT_TRUE(costs.idle);
  EXPECT_EQ(costs.idle->source, CostSource::unknown);
  EXPECT_EQ(costs.idle->unknown, 1u);
  EXPECT_EQ(costs.idle->modes, modes);
  count_costs(request, costs);
  EXPECT_THAT(request.idle_w, IsEmpty());
  EXPECT_THAT(request.cost_notes, ElementsAre(HasSubstr("it is known of 11 of 12 modes")));
}

TEST(PlanCosts, ASwitchCostsWhatThisBoardElseOneOfItsKindTook) {
  const SharedBoard board = shared_by(live_service());
  const std::string device = board.info(0).device, here = board.info(0).fingerprint;
  Request request = asked("dynamic");
  BoardCosts stored;
  stored.switches = {switches_of_board("nano", "third", 5, 9)};
  const auto none = plan_costs(request, board, {}, nullptr, stored).switching;
  ASSERT_TRUE(none);
  EXPECT_EQ(none->source, CostSource::unknown);
  EXPECT_EQ(none->ms, 0);
  stored.switches.push_back(switches_of_board(device, "another", 30, 8));
  const auto kin = plan_costs(request, board, {}, nullptr, stored).switching;
  EXPECT_EQ(kin->source, CostSource::board_kind);
  EXPECT_EQ(kin->ms, 30);
  EXPECT_EQ(kin->run, 8);
  stored.switches.push_back(switches_of_board(device, here, 20, 7));
  const PlanCosts costs = plan_costs(request, board, {}, nullptr, stored);
  EXPECT_EQ(costs.switching->source, CostSource::this_board);
  EXPECT_EQ(costs.switching->run, 7);
  EXPECT_EQ(costs.switching->measured_utc, "2026-03-01T12:30:05Z");
  count_costs(request, costs);
  EXPECT_EQ(request.switch_ms, 20);
  EXPECT_THAT(request.cost_notes,
              Contains("a switch takes 20 ms: the dearest change of mode measured on this board at "
                       "2026-03-01T12:30:05Z (`flyball mode cost`, run 7)"));
}

TEST(PlanCosts, OfWhatTheStoreHoldsOnlyPlansThatServeAlone) {
  const SharedBoard board = shared_by(live_service());
  Request training = asked("training");
  EXPECT_TRUE(read_costs(training, board, {.idle_w = 6}, nullptr, nullptr).ok());
  EXPECT_THAT(training.cost_notes, IsEmpty());
  Request dynamic = asked("dynamic");
  EXPECT_TRUE(read_costs(dynamic, board, {}, nullptr, nullptr).ok());
  EXPECT_THAT(dynamic.cost_notes,
              ElementsAre(HasSubstr("a switch takes is not known"), HasSubstr("is not counted")));
}

TEST(PlanCosts, OfASimulatedBoardIdlePowerIsSimulated) {
  const auto opened = open_board("twin:orin_nano");
  ASSERT_TRUE(opened.ok());
  auto workload = known_twin_workload("mobilenet_v3", Phase::infer);
  ASSERT_TRUE(workload.ok());
  auto profiler = make_twin_profiler(**opened, *std::move(workload), {});
  ASSERT_TRUE(profiler.ok());
  const SharedBoard board = shared_by(*std::move(profiler));
  EXPECT_TRUE(board.simulated());
  EXPECT_FALSE(shared_by(live_service()).simulated());
  TwinBoard twin = *(*opened)->twin();
  const BoardCosts nothing;
  const auto idle = plan_costs(asked("inference"), board, {}, &twin, nothing).idle;
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->source, CostSource::simulated);
  EXPECT_THAT(idle->mode_w, SizeIs(board.candidates->mode_count()));
  EXPECT_THAT(idle->mode_w, Each(Gt(0)));
  EXPECT_LT(std::ranges::min(idle->mode_w), std::ranges::max(idle->mode_w));
  twin.rails.clear();  // nothing tells its power
  const auto blind = plan_costs(asked("inference"), board, {}, &twin, nothing).idle;
  EXPECT_EQ(blind->source, CostSource::unknown);
  EXPECT_EQ(blind->unknown, blind->modes);
}

TEST(PlanCosts, NothingIsSaidOfWhatDecidesNothing) {
  const SharedBoard one = shared_by(live_service());
  const BoardCosts stored = idle_of_all(one, one.info(0).fingerprint);
  Request fast = asked("inference");
  fast.objective = Objective::latency;
  const PlanCosts latency = plan_costs(fast, one, {.idle_w = 6}, nullptr, stored);
  EXPECT_FALSE(latency.idle);
  EXPECT_FALSE(latency.switching);
  const SharedBoard two = shared_by(live_service("a"), live_service("b"));
  EXPECT_FALSE(plan_costs(asked("inference"), two, {}, nullptr, stored).idle);
  Request both = asked("concurrent");
  both.switch_ms = 3;
  const PlanCosts none = plan_costs(both, two, {}, nullptr, stored);
  EXPECT_FALSE(none.idle);
  EXPECT_FALSE(none.switching);
  count_costs(both, none);
  EXPECT_EQ(both.switch_ms, 3);
}

}  // namespace
}  // namespace flyball
