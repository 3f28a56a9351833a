#include "tune/board_costs.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/os/temp_folder.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StrEq;

IdlePower idle(const std::string& fingerprint, double gpu_mhz, double power_w) {
  IdlePower one{.device = "orin_agx", .fingerprint = fingerprint};
  if (gpu_mhz > 0) one.mode.values["gpu_mhz"] = gpu_mhz;
  one.caps.values = {{"gpu_mhz", gpu_mhz > 0 ? gpu_mhz : 1300.5}};
  one.pinned = gpu_mhz > 0;
  one.total = "module";
  one.power_w = power_w;
  one.q1_w = power_w - 0.125;
  one.q3_w = power_w + 0.25;
  one.seconds = 10;
  one.updates = 42;
  one.other_cores = 0.5;
  one.measured_utc = "2026-03-01T12:30:05Z";
  return one;
}

TEST(BoardCosts, IdlePowerComesBackFromTheStore) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  ASSERT_TRUE(keep_idle(store, idle("a", 612, 9), "flyball mode idle gpu_mhz=612").ok());
  ASSERT_TRUE(keep_idle(store, idle("b", 612, 8), "flyball mode idle gpu_mhz=612").ok());
  ASSERT_TRUE(keep_idle(store, idle("a", 0, 7), "flyball mode idle").ok());
  const auto run = keep_idle(store, idle("a", 612, 9.5), "flyball mode idle gpu_mhz=612");
  const auto costs = board_costs(store);
  ASSERT_TRUE(costs.ok()) << costs.error().message;
  const PowerMode mode{{{"gpu_mhz", 612}}};
  const StoredIdle* found = costs->idle_of("a; network on cuda:0", "module", mode);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->run, *run);  // the latest
  EXPECT_EQ(idle_json(found->idle), idle_json(idle("a", 612, 9.5)));
  EXPECT_EQ(costs->idle_of("c", "module", mode), nullptr);
  EXPECT_EQ(costs->idle_of("a", "monitor", mode), nullptr);
  EXPECT_EQ(costs->idle_of("a", "module", {{{"gpu_mhz", 408}}}), nullptr);
  EXPECT_EQ(costs->idle_of("a", "module", {}), nullptr);  // as it was is no mode of a trial
  EXPECT_EQ(costs->idle_of_kind("orin_agx", "module", mode)->run, *run);
  EXPECT_EQ(costs->idle_of_kind("orin_nx", "module", mode), nullptr);
  const PowerMode caps{{{"gpu_mhz", 1300.5}}};
  ASSERT_NE(costs->idle_as_it_is("a", "module", caps, false), nullptr);
  EXPECT_EQ(costs->idle_as_it_is("a", "module", caps, false)->idle.power_w, 7);
  EXPECT_EQ(costs->idle_as_it_is("a", "module", caps, true), nullptr);  // pinned since then
  EXPECT_EQ(costs->idle_as_it_is("a", "module", mode, false), nullptr);
  ASSERT_NE(costs->idle_as_it_is("a", "module", mode, true), nullptr) << "set and pinned then";
  EXPECT_EQ(costs->idle_as_it_is("a", "module", mode, true)->idle.power_w, 9.5);
  EXPECT_THAT(to_text(idle_share(*found, 22.3)),
              StrEq("of 22.3 W, 9.5 W (43 %) is idle power of this mode, measured "
                    "2026-03-01T12:30:05Z (run 4), while others kept 0.5 cores busy"));
  EXPECT_NEAR(to_json(idle_share(*found, 19))["share"].get<double>(), 0.5, 1e-12);
}

// Another board of this kind, whose store was collected into this one, has the same fingerprint.
TEST(BoardCosts, OfAnotherBoardIsNotOfThisOne) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  ASSERT_TRUE(keep_idle(store, idle("a", 612, 9), "flyball mode idle").ok());
  ASSERT_TRUE(keep_switch_cost(store, {.device = "orin_agx", .fingerprint = "a"}, "cost").ok());
  ASSERT_TRUE(make_collected(store.path(), "orinB").ok());
  const PowerMode mode{{{"gpu_mhz", 612}}};
  const auto costs = board_costs(store).value();
  EXPECT_EQ(costs.idle_of("a", "module", mode), nullptr);
  EXPECT_EQ(costs.idle_as_it_is("a", "module", mode, true), nullptr);
  EXPECT_NE(costs.idle_of("a", "module", mode, "orinB"), nullptr) << "beside its own trials";
  EXPECT_NE(costs.idle_of_kind("orin_agx", "module", mode), nullptr);
  ASSERT_NE(costs.switch_cost_of("orin_agx", "a"), nullptr);
  EXPECT_FALSE(costs.switch_cost_of("orin_agx", "a")->of_this_board("a")) << "but of its kind";
}

TEST(BoardCosts, SwitchesComeBackFromTheStore) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  SwitchCost cost{.device = "orin_agx", .fingerprint = "a", .rounds = 3, .seed = 9};
  cost.measured_utc = "2026-03-01T12:30:05Z";
  cost.switches = {{"gpu_mhz", {{{"gpu_mhz", 306}}}, {{{"gpu_mhz", 612}}}, {3, 1, 2}, 1},
                   {"", {{{"gpu_mhz", 612}}}, {{{"gpu_mhz", 306}}}, {30, 10, 20}, 0}};
  EXPECT_EQ(cost.switch_ms(), 20);
  ASSERT_TRUE(keep_switch_cost(store, cost, "flyball mode cost").ok());
  SwitchCost other = cost;
  other.fingerprint = "b";
  ASSERT_TRUE(keep_switch_cost(store, other, "flyball mode cost").ok());
  const auto costs = board_costs(store);
  ASSERT_TRUE(costs.ok()) << costs.error().message;
  const StoredSwitchCost* found = costs->switch_cost_of("orin_agx", "a");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(switch_cost_json(found->cost), switch_cost_json(cost));
  EXPECT_EQ(costs->switch_cost_of("orin_agx", "table of x")->cost.fingerprint, "b");
  EXPECT_EQ(costs->switch_cost_of("nano", "c"), nullptr);
}

TEST(BoardCosts, ModesOfARunAreAddedOnce) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  const PowerMode low{{{"gpu_mhz", 306}}}, high{{{"gpu_mhz", 612}}};
  std::vector<Measurement> trials(3);
  trials[0].trial.mode = low;
  trials[1].trial.mode = trials[2].trial.mode = high;
  const auto run = store.add_run({"x", "{}", "d", "f", 0}, trials, "");
  ASSERT_TRUE(run.ok()) << run.error().message;
  std::vector<PowerMode> modes = {high};
  ASSERT_TRUE(add_trial_modes(store, *run, modes).ok());
  EXPECT_EQ(modes, (std::vector{high, low}));
  std::vector<PowerMode> none;
  const auto empty = store.add_run({"x", "{}", "d", "f", 0}, {}, "");
  EXPECT_THAT(add_trial_modes(store, *empty, none).error().message, HasSubstr("has no trials"));
}

TEST(BoardCosts, IdlePowerOfASimulatedBoardIsSimulated) {
  const auto board = open_board("twin:orin_nano");
  ASSERT_TRUE(board.ok()) << board.error().message;
  const auto idle = simulated_idle(**board, {PowerMode()});
  ASSERT_TRUE(idle.ok()) << idle.error().message;
  ASSERT_EQ(idle->size(), 1u);
  EXPECT_GT(idle->front().power_w, 0);
  EXPECT_FALSE(idle->front().caps.values.empty());
  EXPECT_EQ(idle_json(idle->front())["provenance"], "simulated");
  const StoredIdle simulated{.idle = idle->front()};
  EXPECT_THAT(to_text(idle_share(simulated, 20)),
              EndsWith("%) is idle power of this mode, simulated"));
  EXPECT_TRUE(to_json(idle_share(simulated, 20))["run"].is_null());
  EXPECT_TRUE(to_json(idle_share(simulated, 20))["measured_utc"].is_null());
}

TEST(BoardCosts, ARunThatIsSomethingElseIsNamed) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  ASSERT_TRUE(store.keep_fact({BoardFactKind::idle_power, "d", "f", "{}", "", "x"}).ok());
  const auto costs = board_costs(store);
  ASSERT_FALSE(costs.ok());
  EXPECT_THAT(costs.error().message, HasSubstr("run 1 of the store holds no idle power"));
}

}  // namespace
}  // namespace flyball
