#include "tune/dry_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/os/temp_folder.h"
#include "device/registry/board.h"
#include "profile/trials/twin_profiler.h"
#include "tune/live_table_testing.h"
#include "tune/planning.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using testing::HasSubstr;

std::unique_ptr<Profiler> twin() {
  const auto board = open_board("twin:orin_nano");
  auto known = known_twin_workload("mobilenet_v3", Phase::train);
  return *make_twin_profiler(**board, *std::move(known), {});
}

Result<DryRun> look_ahead(const SharedBoard& board, Store* store, const Request& request) {
  FLYBALL_ASSIGN(const Asked asked, tune_problem(request, board));
  return dry_run(board, store, request, asked.problem);
}

TEST(DryRun, SaysWhatThereIsToMeasureAndWhatTheStoreHolds) {
  const TempFolder folder;
  auto store = Store::open(folder.path() / "store.db");
  const auto profiler = twin();
  const auto board = share_board(*profiler);
  Request request;
  const auto before = look_ahead(*board, &*store, request);
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(before->profiles, 10u);
  EXPECT_EQ(before->roles[0].configurations, profiler->space().size());
  EXPECT_EQ(before->roles[0].held, 0u);
  EXPECT_EQ(before->seconds.value, 0) << "no time passes";
  EXPECT_EQ(store->runs()->size(), 0u);
  const auto made = tune(*profiler, &*store, request);
  ASSERT_TRUE(made.ok());
  EXPECT_LE(made->profiled.size(), before->trials);
  const auto after = look_ahead(*board, &*store, request);
  EXPECT_EQ(after->roles[0].held, made->profiles);
  EXPECT_THAT(dry_run_text(*after), HasSubstr("sets     gpu_mhz 306, 408, 510, 612, 624.75 MHz\n"));
  EXPECT_THAT(dry_run_text(*after), HasSubstr("presets 15W (in force), 7W"));
}

TEST(DryRun, BruteForceMeasuresEverythingAndAFewProfilesFew) {
  const auto profiler = twin();
  const auto board = share_board(*profiler);
  Request request;
  request.strategy = "brute-force";
  EXPECT_EQ(look_ahead(*board, nullptr, request)->profiles, profiler->space().size());
  request.strategy = "flyball";
  request.profiles = 4;
  EXPECT_EQ(look_ahead(*board, nullptr, request)->profiles, 4u);
  request.verify = false;
  EXPECT_EQ(look_ahead(*board, nullptr, request)->trials, 4u);
}

TEST(DryRun, RefusesWhatTheSearchRefuses) {
  const auto profiler = twin();
  const auto board = share_board(*profiler);
  for (const auto name : {&Request::strategy, &Request::predictor}) {
    Request request;
    request.*name = "magic";
    const auto made = tune(*profiler, nullptr, request);
    const auto before = look_ahead(*board, nullptr, request);
    ASSERT_FALSE(made.ok() || before.ok());
    EXPECT_EQ(before.error().message, made.error().message);
  }
  // Of a plan, whose problem is not checked where it is made.
  Request request;
  request.kind = "training";
  request.power_budget_w = 0;
  const auto asked = make_problem(request, *board);
  ASSERT_TRUE(asked.ok());
  const auto before = dry_run(*board, nullptr, request, asked->problem);
  ASSERT_FALSE(before.ok());
  EXPECT_EQ(before.error().message, make_plan(*board, nullptr, request).error().message);
}

// A service has more candidates than a training where its batch size is open.
TEST(DryRun, EverythingIsThatOfBothWorkloads) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  profilers.push_back(std::make_unique<testing_live::LiveTable>(testing_live::smooth_table("net")));
  profilers.push_back(
      std::make_unique<testing_live::LiveTable>(testing_live::smooth_table("det", {1, 4, 16})));
  const auto both = share_board(std::move(profilers));
  ASSERT_TRUE(both.ok());
  Request request;
  request.kind = "concurrent";
  request.rates_hz = {5};
  request.latencies_ms = {3000};
  request.verify = false;
  for (const char* everything : {"brute-force", "als", "random"}) {
    request.strategy = everything;
    const auto before = dry_run(*both, nullptr, request, make_problem(request, *both)->problem);
    ASSERT_TRUE(before.ok()) << before.error().message;
    EXPECT_EQ(before->profiles, 36u) << everything;
    EXPECT_EQ(before->trials, 12u + 36) << everything;
    EXPECT_THAT(dry_run_text(*before), HasSubstr("at most 48 (at most 36 profiles of each of 2"));
  }
  request.strategy = "brute-force";
  size_t said = 0;
  const auto plan = make_plan(*both, nullptr, request, [&](const SessionEvent& event) {
    if (const auto* asked = std::get_if<TrialAsked>(&event)) said = asked->total;
  });
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->profiles, 36u);
  EXPECT_EQ(said, 48u) << "of so many trials progress tells";
}

// A table beside what is measured is read; what is measured costs time all the same.
TEST(DryRun, OnlyRolesThatAreMeasuredCost) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  profilers.push_back(make_table_profiler(testing_live::smooth_table("net")));
  auto live = std::make_unique<testing_live::LiveTable>(testing_live::smooth_table("det", {1, 4}));
  live->cap_trials(2);
  profilers.push_back(std::move(live));
  const auto mixed = share_board(std::move(profilers));
  ASSERT_TRUE(mixed.ok());
  Request request;
  request.kind = "concurrent";
  request.rates_hz = {5};
  request.latencies_ms = {3000};
  const auto before = dry_run(*mixed, nullptr, request, make_problem(request, *mixed)->problem);
  ASSERT_TRUE(before.ok()) << before.error().message;
  ASSERT_TRUE(before->seconds.value);
  EXPECT_EQ(*before->seconds.value, 3.0 * static_cast<double>(before->trials) / 2)
      << "two seconds and one around each trial of one of the roles";
  EXPECT_THAT(dry_run_text(*before), HasSubstr("repeated beside"));
  EXPECT_THAT(dry_run_text(*before), HasSubstr("sets     cpu_cores"));
}

TEST(DryRun, ACostIsThatOfStoredTrialsElseNotKnown) {
  EXPECT_FALSE(cost_ahead({}, 10, "trials", "s").value);
  EXPECT_EQ(cost_ahead({2, 3, 10}, 10, "trials", "s").value, 30);
}

TEST(DryRun, OfWhatCannotBeAskedSaysSoAndNotThatItIsKnown) {
  DryRun none;
  EXPECT_THAT(dry_run_text(none), HasSubstr("nothing of it can be asked here"));
  none.roles.push_back({"lenet5", Phase::train, 2, 2});
  EXPECT_THAT(dry_run_text(none), HasSubstr("every configuration is known"));
}

}  // namespace
}  // namespace flyball
