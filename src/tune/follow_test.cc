// What an infeasible answer says would do is tried: what rests on readings always does, what is
// predicted in nine cases of ten. Over a made table, and over measured ones where they are at hand.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/os/temp_folder.h"
#include "device/registry/board.h"
#include "profile/trials/table_profiler.h"
#include "profile/trials/twin_profiler.h"
#include "store/store.h"
#include "tune/dynamic_planning.h"
#include "tune/follow_testing.h"
#include "tune/planning.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using testing_follow::follow;

/// What came of following advice.
struct Followed {
  size_t known = 0, known_held = 0;          ///< on readings
  size_t predicted = 0, predicted_held = 0;  ///< on predictions
  size_t together = 0, together_held = 0;    ///< several at once, on readings
  size_t infeasible = 0;                     ///< problems without an answer

  void add(const Advice& advice, bool held) {
    (advice.provenance == Provenance::predicted ? predicted : known) += 1;
    (advice.provenance == Provenance::predicted ? predicted_held : known_held) += held;
  }
  void expect_good(const std::string& what) const {
    tell(what);
    EXPECT_EQ(known_held, known) << what;
    EXPECT_EQ(together_held, together) << what;
    EXPECT_GE(static_cast<double>(predicted_held), 0.9 * static_cast<double>(predicted)) << what;
    EXPECT_GT(infeasible, 0u) << what;
    EXPECT_GT(known + predicted, 0u) << what;
    EXPECT_GT(together, 0u) << what;
  }
  void tell(const std::string& what) const {
    printf(
        "%s: %zu infeasible; on readings %zu of %zu held, on predictions %zu of %zu, together "
        "%zu of %zu\n",
        what.c_str(), infeasible, known_held, known, predicted_held, predicted, together_held,
        together);
  }
};

SharedBoard board_of(const std::vector<const WorkloadTable*>& tables) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  for (const WorkloadTable* table : tables) profilers.push_back(make_table_profiler(*table));
  return *share_board(std::move(profilers));
}

void try_plan(const std::vector<const WorkloadTable*>& tables, const Request& request,
              Followed& sum) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  const SharedBoard board = board_of(tables);
  const auto plan = make_plan(board, &store, request);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  if (plan->answer) return;
  ++sum.infeasible;
  const auto service_of = [&](const Advice& advice) -> size_t {
    return request.rates_hz.size() == 2 && advice.workload == tables[1]->workload ? 1 : 0;
  };
  for (const Advice& advice : plan->remedies.alone) {
    const auto again = make_plan(board, &store, follow(request, advice, service_of(advice)));
    ASSERT_TRUE(again.ok()) << again.error().message;
    sum.add(advice, again->answer.has_value());
  }
  if (plan->remedies.together.empty()) return;
  Request relaxed = request;
  for (const Advice& advice : plan->remedies.together)
    relaxed = follow(relaxed, advice, service_of(advice));
  const auto again = make_plan(board, &store, relaxed);
  ASSERT_TRUE(again.ok()) << again.error().message;
  ++sum.together;
  sum.together_held += again->answer.has_value();
  EXPECT_TRUE(again->answer) << typed_together(plan->remedies.together);
}

void try_tune(Profiler& profiler, const Request& request, Followed& sum) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  const auto result = tune(profiler, &store, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  if (result->choice) return;
  ++sum.infeasible;
  for (const Advice& advice : result->remedies.alone) {
    const auto again = tune(profiler, &store, follow(request, advice));
    ASSERT_TRUE(again.ok()) << again.error().message;
    sum.add(advice, again->choice.has_value());
  }
  if (result->remedies.together.empty()) return;
  Request relaxed = request;
  for (const Advice& advice : result->remedies.together) relaxed = follow(relaxed, advice);
  const auto again = tune(profiler, &store, relaxed);
  ASSERT_TRUE(again.ok()) << again.error().message;
  ++sum.together;
  sum.together_held += again->choice.has_value();
}

void try_tune(const WorkloadTable& table, const Request& request, Followed& sum) {
  try_tune(*make_table_profiler(table), request, sum);
}

double least(const std::vector<double>& values) {
  return *std::ranges::min_element(values);
}

std::vector<double> energies(const WorkloadTable& table) {
  std::vector<double> all;
  for (size_t i = 0; i < table.size(); ++i)
    all.push_back(table.power_w[i] * table.minibatch_ms[i] * 1e-3);
  return all;
}

/// Budgets that little or nothing meets, alone and together.
void train_within(const WorkloadTable& table, Followed& sum) {
  const double ms = least(table.minibatch_ms), w = least(table.power_w), j = least(energies(table));
  Request request;
  request.kind = "training";
  request.predictor = "gp";
  for (const auto& [power, time, energy] :
       {std::array{0.7, unlimited, unlimited}, std::array{0.98, unlimited, unlimited},
        std::array{unlimited, 0.8, unlimited}, std::array{unlimited, unlimited, 0.9},
        std::array{1.3, 1.5, unlimited}, std::array{1.6, 2.0, unlimited},
        std::array{2.0, unlimited, 0.95}, std::array{0.9, 0.9, unlimited}}) {
    request.power_budget_w = power * w;
    request.time_budget_s = time * ms * 1e-3;
    request.energy_budget_j = energy * j;
    try_plan({&table}, request, sum);
  }
}

void serve_within(const WorkloadTable& table, Followed& sum) {
  const double ms = least(table.minibatch_ms), w = least(table.power_w);
  Request request;
  request.kind = "inference";
  request.predictor = "gp";
  for (const double rate : {0.2, 1.0, 4.0})
    for (const double latency : {0.8, 1.5, 3.0})
      for (const double power : {0.9, 1.3}) {
        request.rates_hz = {rate * 1e3 / ms};
        request.latencies_ms = {latency * ms};
        request.power_budget_w = power * w;
        try_plan({&table}, request, sum);
      }
}

void share_within(const WorkloadTable& first, const WorkloadTable& second, Followed& sum) {
  const double ms = least(second.minibatch_ms), w = least(second.power_w);
  const bool two = first.phase == Phase::infer;
  Request request;
  request.kind = two ? "two-inference" : "concurrent";
  request.predictor = "gp";
  for (const double rate : {0.2, 1.0})
    for (const double latency : {1.2, 6.0})
      for (const double power : {0.9, 1.4}) {
        request.rates_hz = std::vector<double>(two ? 2 : 1, rate * 1e3 / ms);
        request.latencies_ms = std::vector<double>(two ? 2 : 1, latency * ms);
        request.power_budget_w = power * w;
        try_plan({&first, &second}, request, sum);
      }
}

/// Clocks of CPU and GPU, cores, and batches where it serves; with a ripple, as readings have it.
WorkloadTable made(const std::string& workload, Phase phase, double work) {
  WorkloadTable table;
  table.device = "made";
  table.workload = workload;
  table.phase = phase;
  std::vector<Axis> axes = {named_axis("cpu_cores", {2, 4, 8}),
                            named_axis("cpu_mhz", {400, 800, 1200, 1600, 2000}),
                            named_axis("gpu_mhz", {200, 400, 600, 800, 1000, 1200})};
  axes.push_back(named_axis("batch_size", phase == Phase::infer ? std::vector<double>{1, 4, 16}
                                                                : std::vector<double>{16}));
  table.space = Space::grid(axes);
  for (size_t i = 0; i < table.space.size(); ++i) {
    const auto row = table.space.row(i);
    const double ripple = 1 + 0.02 * std::sin(12.9898 * static_cast<double>(i * i));
    const double batch = 0.3 + 0.7 * row[3] / 16;
    table.minibatch_ms.push_back(work * ripple * batch * (2e4 / (row[1] * row[0]) + 1e4 / row[2]));
    table.power_w.push_back((6 + 0.4 * row[0] * std::pow(row[1] / 1000, 2) +
                             9 * std::pow(row[2] / 1000, 2.5) * std::sqrt(batch)) *
                            (1 + 0.02 * std::sin(78.233 * static_cast<double>(i * i))));
  }
  return table;
}

TEST(Follow, WhatWouldDoDoes) {
  const WorkloadTable train = made("net", Phase::train, 1), serve = made("det", Phase::infer, 0.4);
  const WorkloadTable other = made("seg", Phase::infer, 0.8);
  Followed training, serving, shared;
  train_within(train, training);
  training.expect_good("training");
  serve_within(serve, serving);
  serving.expect_good("inference");
  share_within(train, serve, shared);
  share_within(serve, other, shared);
  shared.expect_good("shared");
}

TEST(Follow, AnEpochsBudgetIsAnsweredForAnEpoch) {
  const WorkloadTable table = made("net", Phase::train, 1);
  Request request;
  request.predictor = "gp";
  request.samples = 1000;  // 63 minibatches
  request.command = "flyball tune";
  const double epoch_s = 63e-3 * least(table.minibatch_ms), epoch_j = 63 * least(energies(table));
  Followed sum;
  request.time_budget_s = 0.7 * epoch_s;
  const auto profiler = make_table_profiler(table);
  const auto result = tune(*profiler, nullptr, request);
  ASSERT_TRUE(result.ok());
  ASSERT_FALSE(result->choice);
  ASSERT_FALSE(result->remedies.alone.empty());
  EXPECT_EQ(result->remedies.alone[0].flag, "--time-budget");
  EXPECT_EQ(result->remedies.alone[0].unit, "s");
  EXPECT_GE(result->remedies.alone[0].value, epoch_s);
  EXPECT_LT(result->remedies.alone[0].value, 1.3 * epoch_s);
  try_tune(table, request, sum);
  request.time_budget_s = 1.2 * epoch_s;
  request.power_budget_w = 1.1 * least(table.power_w);
  try_tune(table, request, sum);
  request.time_budget_s = unlimited;
  request.energy_budget_j = 0.9 * epoch_j;
  try_tune(table, request, sum);
  request.energy_budget_j = unlimited;
  request.power_budget_w = 0.9 * least(table.power_w);
  request.time_budget_s = 0.7 * epoch_s;
  try_tune(table, request, sum);
  sum.expect_good("tune");
  const auto neither = tune(*profiler, nullptr, request);
  ASSERT_TRUE(neither.ok());
  ASSERT_TRUE(neither->infeasible);
  EXPECT_THAT(neither->infeasible->message,
              testing::HasSubstr(fmt::format(" of {:.12g} s", request.time_budget_s)));
}

// What is advised there was read twice: a third reading does not belie it.
TEST(Follow, SeveralLimitsAtOnceDoOnABoardWhoseReadingsVary) {
  const auto board = open_board("twin:orin_nano");
  Followed sum;
  for (const char* network : {"resnet18", "lenet5", "mobilenet_v3"})
    for (const uint64_t seed : {1, 2, 3}) {
      const auto profiler =
          *make_twin_profiler(**board, *known_twin_workload(network, Phase::train), {});
      Request request;
      request.seed = seed;
      request.predictor = "gp";
      request.power_budget_w = 6;
      request.time_budget_s = 0.001;
      request.energy_budget_j = 0.001;
      try_tune(*profiler, request, sum);
    }
  sum.tell("twin");
  EXPECT_EQ(sum.together, 9U);
  EXPECT_EQ(sum.together_held, sum.together);
}

TEST(Follow, WhatWouldDoDoesOnMeasuredTables) {
  const char* known = std::getenv("FLYBALL_DATA");
  const std::filesystem::path folder = known ? known : FLYBALL_SOURCE_DIR "/../shared/data";
  const auto table = [&](const char* name) {
    return read_table(folder / (std::string(name) + ".csv"))->workloads[0];
  };
  if (!std::filesystem::exists(folder / "orin_agx__resnet18__train.csv"))
    GTEST_SKIP() << "the measured tables are not at " << folder;
  const WorkloadTable resnet = table("orin_agx__resnet18__train"),
                      mobile = table("orin_agx__mobilenet_v3__train"),
                      vit = table("xavier_agx__vit_b16__train"),
                      resnet50 = table("orin_agx__resnet50__infer"),
                      mobile_infer = table("orin_agx__mobilenet_v3__infer");
  Followed all;
  for (const WorkloadTable* one : {&resnet, &mobile, &vit}) {
    Followed training;
    train_within(*one, training);
    training.expect_good(one->workload);
  }
  for (const WorkloadTable* one : {&resnet50, &mobile_infer}) {
    Followed serving;
    serve_within(*one, serving);
    serving.expect_good(one->workload);
  }
  share_within(resnet, mobile_infer, all);
  share_within(mobile, resnet50, all);
  share_within(resnet50, mobile_infer, all);
  all.expect_good("shared");
}

}  // namespace
}  // namespace flyball
