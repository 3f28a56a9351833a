#include "tune/preset_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/registry/board.h"
#include "profile/trials/twin_profiler.h"
#include "tune/planning.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using testing::HasSubstr;

std::unique_ptr<Profiler> preset_twin(const std::string& board_name, const std::string& workload,
                                      Phase phase, const TwinTrialOptions& options = {}) {
  const auto board = open_board("twin:" + board_name);
  auto known = known_twin_workload(workload, phase);
  return *make_twin_profiler(**board, *std::move(known), options);
}

TuneResult tuned(Profiler& profiler, double power_w, size_t profiles = 10) {
  Request request;
  request.power_budget_w = power_w;
  request.profiles = profiles;
  request.profiles_asked = true;
  auto result = tune(profiler, nullptr, request);
  EXPECT_TRUE(result.ok());
  return *std::move(result);
}

const PresetAnswer& preset(const TuneResult& result, const std::string& name) {
  return *std::ranges::find(result.presets, name, &PresetAnswer::name);
}

TEST(PresetChoices, ATuneMeasuresTheOneInForceAndOneMore) {
  const auto profiler = preset_twin("orin_agx", "resnet18", Phase::train);
  const TuneResult result = tuned(*profiler, 30);
  EXPECT_LE(result.profiles, 10u);
  ASSERT_EQ(result.presets.size(), 4u);
  EXPECT_TRUE(preset(result, "30W").in_force);
  EXPECT_TRUE(preset(result, "30W").measured());
  EXPECT_TRUE(preset(result, "MAXN").is_default);
  ASSERT_EQ(preset(result, "MAXN").breaks.size(), 1u);
  EXPECT_EQ(preset(result, "MAXN").breaks[0].constraint, Constraint::power);
  const PresetAnswer* best = best_preset(result.presets);
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->name, "50W");
}

TEST(PresetChoices, AFewProfilesAreTheSearchsOwn) {
  const auto profiler = preset_twin("orin_agx", "resnet18", Phase::train);
  const TuneResult four = tuned(*profiler, 30, 4);
  EXPECT_FALSE(preset(four, "30W").measured());
  EXPECT_GT(preset(four, "30W").minibatch_ms, 0) << "it is predicted";
  const TuneResult five = tuned(*profiler, 30, 5);
  EXPECT_TRUE(preset(five, "30W").measured());
  EXPECT_LE(five.profiles, 5u);
}

TEST(PresetChoices, OneThatIsNotSearchedHasNoChoice) {
  const auto profiler = preset_twin("orin_nano", "mobilenet_v3", Phase::train,
                                    {.open = {named_axis(axis::gpu_mhz, {306, 624.75})}});
  const TuneResult result = tuned(*profiler, 10);
  EXPECT_TRUE(preset(result, "7W").choice.empty());
  EXPECT_TRUE(preset(result, "15W").is_default) << "it is MAXN";
}

TEST(PresetChoices, AServiceTakesNoLargerBatchThanItsLatencyAllows) {
  std::vector<std::unique_ptr<Profiler>> services;
  services.push_back(preset_twin("orin_nano", "resnet50", Phase::infer));
  const auto board = share_board(std::move(services));
  Request request;
  request.kind = "inference";
  request.rates_hz = {30};
  request.latencies_ms = {100};
  const auto plan = make_plan(*board, nullptr, request);
  ASSERT_TRUE(plan.ok());
  const PresetAnswer& own = *preset_in_force(plan->presets);
  EXPECT_EQ(own.name, "15W");
  EXPECT_EQ(own.settings.at(axis::batch_size), 2) << "of 4 the first would wait for 100 ms";
  EXPECT_TRUE(own.will_do());
  EXPECT_THAT(own.text, HasSubstr("preset 15W (in force)"));
}

}  // namespace
}  // namespace flyball
