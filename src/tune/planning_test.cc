// Of a table everything is known: answers, and what relaxing a limit buys, against a plain look at
// every row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "answers/infeasible.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "problem/exact.h"
#include "profile/trials/chosen_modes.h"
#include "profile/trials/table_profiler.h"
#include "tune/dynamic_planning.h"
#include "tune/follow_testing.h"
#include "tune/live_table_testing.h"
#include "tune/planning.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing_live::smooth_table;

Request exact_request(const std::string& kind) {
  Request request;
  request.kind = kind;
  request.strategy = "exact";
  return request;
}

SharedBoard tables(const WorkloadTable& train, const WorkloadTable& serve,
                   LinkedModes modes = LinkedModes::common) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  for (const WorkloadTable* table : {&train, &serve})
    profilers.push_back(make_table_profiler(*table));
  return *share_board(std::move(profilers), modes);
}

// The least time at a power; NaN: there is none.
double fastest(const WorkloadTable& table, double watts) {
  double least = std::nan("");
  for (size_t i = 0; i < table.size(); ++i)
    if (table.power_w[i] <= watts && !(table.minibatch_ms[i] >= least))
      least = table.minibatch_ms[i];
  return least;
}

TEST(Exact, ATuneIsTheBestRowWhateverTheStoreHolds) {
  const WorkloadTable table = smooth_table("net");
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  const auto profiler = make_table_profiler(table);
  Random random(7);
  const auto [least, most] = std::ranges::minmax(table.power_w);
  for (int i = 0; i < 40; ++i) {
    Request request = exact_request("tune");
    request.power_budget_w = random.uniform(0.95 * least, 1.05 * most);
    const auto result = tune(*profiler, &store, request);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->profiles, 0u);
    EXPECT_LE(result->profiled.size(), 2u) << "the default and the choice";
    EXPECT_TRUE(store.measurements({})->empty()) << "a table's rows are not kept once more";
    const double best = fastest(table, request.power_budget_w);
    ASSERT_EQ(result->choice.has_value(), !std::isnan(best));
    for (const Configuration& row : result->configurations)
      EXPECT_EQ(row.provenance, Provenance::table);
    if (result->choice) {
      EXPECT_EQ(result->configurations[*result->choice].minibatch_ms, best);
    } else {
      ASSERT_EQ(result->remedies.alone.size(), 1u);
      EXPECT_EQ(result->remedies.alone[0].provenance, Provenance::table);
      EXPECT_TRUE(
          tune(*profiler, &store, testing_follow::follow(request, result->remedies.alone[0]))
              ->choice);
    }
  }
}

TEST(Exact, APlanIsTheOptimumAndSaysWhatMoreWouldBuy) {
  const WorkloadTable train = smooth_table("net"), serve = smooth_table("det", {1, 4, 16});
  const SharedBoard board = tables(train, serve);
  Request request = exact_request("concurrent");
  request.rates_hz = {5};
  request.latencies_ms = {3000};
  for (double watts = 10; watts < 40; watts += 2.5) {
    request.power_budget_w = watts;
    const Plan plan = *make_plan(board, nullptr, request);
    const WorkloadTable* both[] = {&train, &serve};
    const Readings all = *readings_of(*plan.problem->candidates, both);
    const Choice best = solve(*plan.problem, all);
    ASSERT_EQ(plan.answer.has_value(), best.outcome.feasible) << watts;
    if (!plan.answer) continue;
    EXPECT_EQ(plan.answer->outcome.loss, best.outcome.loss);
    EXPECT_EQ(plan.answer->outcome.power_w, best.outcome.power_w) << "ties go to less power";
    EXPECT_FALSE(plan.unmeasured);
    for (const ShadowPrice& price : plan.shadow_prices) {
      EXPECT_EQ(price.option.provenance, Provenance::table) << price.what;
      const size_t unit = price.what.find(" W more power");
      if (unit == std::string::npos || !(price.gain_pct > 0)) continue;
      // As it is typed.
      Request relaxed = request;
      relaxed.power_budget_w += std::stod(price.what.substr(0, unit));
      EXPECT_EQ(make_plan(board, nullptr, relaxed)->answer->outcome.loss,
                price.option.choice.outcome.loss)
          << watts << ": " << price.what;
    }
  }
}

// A minibatch of unknown size is no request.
TEST(Exact, RequestsAreServedInMinibatchesOfKnownSize) {
  WorkloadTable serve = smooth_table("det");
  serve.phase = Phase::infer;
  const auto refused = [](const WorkloadTable& table) {
    std::vector<std::unique_ptr<Profiler>> profilers;
    profilers.push_back(make_table_profiler(table));
    const auto board = share_board(std::move(profilers));
    return board ? "" : board.error().message + "; " + board.error().hint;
  };
  EXPECT_THAT(refused(serve), HasSubstr("det infer on board does not say how large its minibatches"
                                        " are; "));
  EXPECT_THAT(refused(serve), HasSubstr("add a column batch_size"));
  EXPECT_EQ(refused(smooth_table("det", {1})), "");
  EXPECT_EQ(refused(smooth_table("net")), "");
  const auto tuned = tune(*make_table_profiler(serve), nullptr, exact_request("tune"));
  EXPECT_TRUE(tuned.ok() && tuned->choice) << "the time of a minibatch is compared, whatever is in";
}

// Which rows are doubted does not hang on what was chosen: of coarse steps none is told.
TEST(Exact, APowerIsDoubtedByAllRowsOfItsTable) {
  WorkloadTable table = smooth_table("net");
  table.space = Space(table.space.axes());
  table.minibatch_ms.clear(), table.power_w.clear();
  for (double cores : {2, 4, 6, 8})
    for (double gpu : {300, 450, 600, 750, 900, 1050, 1200}) {
      const bool early = (gpu == 900 && cores == 8) || (gpu == 600 && cores == 2);
      table.add(std::array{cores, gpu}, 1500 * 16 / gpu + 80 / cores,
                (early ? 0.85 : 1) * (4 + 0.01 * gpu + 0.2 * cores));
    }
  const auto settings = [](const Profiler& profiler) {
    std::set<Settings> all;
    for (const size_t config : doubted_configs(profiler))
      all.insert(profiler.space().settings(config));
    return all;
  };
  const std::set<Settings> full = settings(*make_table_profiler(table));
  ASSERT_EQ(full.size(), 2u);
  const std::vector<std::vector<AxisChoice>> choices = {
      {{"gpu_mhz", {300, 900, 1200}, {}}}, {{"cpu_cores", {8}, {}}}, {{"gpu_mhz", {900}, {}}}};
  for (const auto& choice : choices)
    for (const ModeChoice& modes : {ModeChoice{}, ModeChoice{ModeChoice::Kind::sample, 3, 5}}) {
      const TableTrials trials = table_trials(table, choice, modes).value();
      std::set<Settings> expected;
      for (size_t i = 0; i < trials.profiler->space().size(); ++i)
        if (const Settings row = trials.profiler->space().settings(i); full.contains(row))
          expected.insert(row);
      EXPECT_EQ(settings(*trials.profiler), expected);
      Request request = exact_request("tune");
      request.power_budget_w = 1e3;
      const auto answer = tune(*trials.profiler, nullptr, request, {}, &trials.table);
      ASSERT_TRUE(answer.ok() && answer->oracle);
      EXPECT_EQ(answer->oracle->excluded, doubted_configs(*trials.profiler));
    }
}

// A row that was read too early draws less than rows around it let expect.
TEST(Exact, ADoubtedPowerIsSaidWithTheOptimumWithoutIt) {
  WorkloadTable table = smooth_table("net");
  const size_t early = *table.space.find(std::array{8.0, 900.0});
  const double watts = 0.8 * table.power_w[early];
  table.power_w[early] = watts;
  const auto profiler = make_table_profiler(table);
  Request request = exact_request("training");
  request.power_budget_w = watts + 0.1;
  const Plan plan = *make_plan(*share_board(*profiler), nullptr, request);
  ASSERT_TRUE(plan.answer);
  EXPECT_EQ(plan.answer->choice[0], early);
  ASSERT_FALSE(plan.notes.empty());
  EXPECT_THAT(plan.notes.back(), HasSubstr("more than 6 % below what its neighbours"));
  EXPECT_THAT(plan.notes.back(), HasSubstr("the optimum without such rows is "));
  const auto tuned = tune(*profiler, nullptr, request);
  ASSERT_TRUE(tuned.ok());
  EXPECT_EQ(tuned->choice, early);
  EXPECT_EQ(tuned->notes.back(), plan.notes.back());
  request.power_budget_w = unlimited;
  EXPECT_THAT(make_plan(*share_board(*profiler), nullptr, request)->notes,
              testing::Not(testing::Contains(HasSubstr("6 %"))))
      << "power does not matter";
}

TEST(Exact, ADynamicPlanIsTheOptimumToo) {
  const WorkloadTable train = smooth_table("net"), serve = smooth_table("det", {1, 4, 16});
  Request request = exact_request("dynamic");
  request.latencies_ms = {3000};
  request.switch_ms = 2000;
  const std::vector<RateWindow> windows = {{5, 600}, {20, 300}, {5, 600}};
  const auto exact = plan_windows(tables(train, serve), nullptr, request, windows);
  ASSERT_TRUE(exact.ok()) << exact.error().message;
  request.strategy = "brute-force";
  const auto searched = plan_windows(tables(train, serve), nullptr, request, windows);
  EXPECT_EQ(exact->plan.value, searched->plan.value);
  EXPECT_EQ(exact->plan.static_value, searched->plan.static_value);
  EXPECT_EQ(exact->profiles, 0u);
  EXPECT_LE(exact->profiled.size(), 6u) << "the default and two answers, of two roles";
}

// The rows of this table with as many cores.
WorkloadTable with_cores(const WorkloadTable& table, double cores) {
  WorkloadTable kept = table;
  kept.space = Space(table.space.axes());
  kept.minibatch_ms.clear();
  kept.power_w.clear();
  const size_t column = *table.space.axis_index("cpu_cores");
  for (size_t i = 0; i < table.size(); ++i)
    if (table.space.row(i)[column] == cores)
      kept.add(table.space.row(i), table.minibatch_ms[i], table.power_w[i]);
  return kept;
}

// In one mode for both the training has only modes that the service's table has, too, and that is
// said; with a mode for each it has all of its own.
TEST(Exact, AModeForEachRoleIsAnyOfItsOwnTable) {
  const WorkloadTable train = smooth_table("net");
  const WorkloadTable serve = with_cores(smooth_table("det", {1, 4, 16}), 4);
  ASSERT_GT(serve.size(), 0u);
  Request request = exact_request("concurrent");
  request.rates_hz = {10};
  request.latencies_ms = {3000};
  const Plan one = *make_plan(tables(train, serve), nullptr, request);
  ASSERT_TRUE(one.answer);
  EXPECT_THAT(one.notes, testing::Contains(HasSubstr("configurations of net are left out: det")));
  request.separate_modes = true;
  const SharedBoard all = tables(train, serve, LinkedModes::any);
  EXPECT_EQ(all.candidates->size(0), train.size());
  const Plan each = *make_plan(all, nullptr, request);
  ASSERT_TRUE(each.answer);
  EXPECT_THAT(each.notes, testing::Not(testing::Contains(HasSubstr("left out"))));
  EXPECT_LT(each.answer->outcome.loss, one.answer->outcome.loss) << "eight cores train faster";
  request.strategy = "brute-force";
  const Plan tried = *make_plan(all, nullptr, request);
  ASSERT_TRUE(tried.answer);
  EXPECT_EQ(tried.answer->outcome.loss, each.answer->outcome.loss);
  // The other way round as well: a training that has fewer modes than its service.
  request.strategy = "exact";
  const Plan other =
      *make_plan(tables(with_cores(train, 2), smooth_table("det", {1, 4, 16}), LinkedModes::any),
                 nullptr, request);
  ASSERT_TRUE(other.answer);
  EXPECT_LE(each.answer->outcome.loss, other.answer->outcome.loss);
}

TEST(Exact, RowsThatNobodyMeasuredAreNamedSo) {
  WorkloadTable table = smooth_table("net");
  table.provenance.assign(table.size(), Provenance::table);
  table.provenance[1] = Provenance::simulated;
  const auto profiler = make_table_profiler(table);
  Request request = exact_request("training");
  request.power_budget_w = 17;
  const Plan plan = *make_plan(*share_board(*profiler), nullptr, request);
  EXPECT_EQ(plan.provenance, Provenance::simulated);
  request.gap = 0.02;
  EXPECT_EQ(tune(*profiler, nullptr, request)->gap, 0);
}

TEST(Exact, WhatIsMeasuredIsRefused) {
  testing_live::LiveTable board(smooth_table("net"));
  const auto refused = tune(board, nullptr, exact_request("tune"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "strategy 'exact' reads tables, and net is measured");
  EXPECT_EQ(refused.error().hint, "name another strategy, or tables alone");
}

}  // namespace
}  // namespace flyball
