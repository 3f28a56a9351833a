#include "predict/roofline/cost_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "base/statistics.h"
#include "cost/networks.h"
#include "predict/gp/gp.h"
#include "predict/roofline/roofline.h"

namespace flyball {
namespace {

// A board of two clocks that computes 400 GFLOP/s and moves 40 GB/s per GHz and takes 5 us of a
// launch per GHz; `off` is what the workload takes of that.
WorkloadTable ran(const std::string& workload, Phase phase, double off = 1, double noise = 0) {
  WorkloadTable table;
  table.device = "known";
  table.workload = workload;
  table.phase = phase;
  table.power_total = "module";
  table.space = Space({named_axis("batch_size"), named_axis("gpu_mhz"), named_axis("mem_mhz")});
  table.cost = network_cost(workload, phase);
  Random random(7);
  for (double batch : {1.0, 4.0, 16.0})
    for (double gpu : {200.0, 500.0, 900.0, 1300.0})
      for (double mem : {600.0, 2100.0, 3200.0}) {
        const Cost& work = *table.cost;
        const double seconds =
            off * std::exp(noise * random.normal()) *
            ((work.dense_flop_at(batch) + 5 * work.depthwise_flop_at(batch)) / (4e8 * gpu) +
             work.bytes_at(batch) / (4e7 * mem) + work.kernels_at(batch) * 5e-3 / gpu);
        const double watts = 6 + 4e-3 * gpu + 2e-11 * work.dense_flop_at(batch) / seconds;
        table.add(std::array<double, 3>{batch, gpu, mem}, 1e3 * seconds, watts);
      }
  return table;
}

std::vector<WorkloadTable> others() {
  return {ran("resnet18", Phase::train), ran("mobilenet_v3", Phase::infer),
          ran("resnet18", Phase::infer), ran("mobilenet_v3", Phase::train)};
}

TEST(CostForm, KnowsANetworkThatNeverRan) {
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  const auto form = CostForm::fit(others(), "known", "module");
  ASSERT_TRUE(form);
  const Prediction told = form->predict(truth.space, truth.phase, *truth.cost);
  for (size_t i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(told.minibatch_ms.mean[i] / truth.minibatch_ms[i], 1, 0.02);
    EXPECT_NEAR(told.power_w.mean[i] / truth.power_w[i], 1, 0.02);
  }
}

TEST(CostForm, IntervalsAreAsWideAsReferencesErrWhenLeftOut) {
  std::vector<WorkloadTable> tables = others();
  tables[1] = ran("mobilenet_v3", Phase::infer, 1.5, 0.05);
  const auto exact = CostForm::fit(others(), "known", "module");
  const auto form = CostForm::fit(tables, "known", "module");
  ASSERT_TRUE(exact && form);
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  const auto width = [&](const CostForm& of) {
    const auto told = of.predict(truth.space, truth.phase, *truth.cost).minibatch_ms;
    return std::log(told.hi90[0] / told.mean[0]);
  };
  EXPECT_GT(width(*form), std::log(1.4));
  EXPECT_LT(width(*exact), 0.05);
  EXPECT_GT(form->time_error(), exact->time_error());
}

TEST(CostForm, ReadingsSetTheLevel) {
  std::vector<WorkloadTable> tables = others();
  tables[1] = ran("mobilenet_v3", Phase::infer, 1.3);  // levels do differ
  auto form = CostForm::fit(tables, "known", "module");
  ASSERT_TRUE(form);
  const WorkloadTable truth = ran("resnet50", Phase::infer, 1.4);
  const auto work = truth.cost;
  const double before = form->at(truth.space, truth.phase, *work).time_ms[5];
  form->settle(truth, *work);
  const double after = form->at(truth.space, truth.phase, *work).time_ms[5];
  EXPECT_LT(std::abs(after / truth.minibatch_ms[5] - 1),
            0.3 * std::abs(before / truth.minibatch_ms[5] - 1));
}

// The GPU takes next to nothing: what loads the samples is all there is to tell.
WorkloadTable loads(const std::string& workload) {
  WorkloadTable table;
  table.device = "known";
  table.workload = workload;
  table.space = Space({named_axis("batch_size"), named_axis("gpu_mhz"), named_axis("cpu_mhz"),
                       named_axis("loader_workers")});
  table.cost = network_cost(workload, Phase::train);
  for (double batch : {4.0, 16.0})
    for (double gpu : {0.0, 600.0, 1300.0})
      for (double cpu : {800.0, 2200.0})
        for (double workers : {0.0, 1.0, 4.0}) {
          const double gpu_ms = gpu > 0 ? 2e-10 * table.cost->flop_at(batch) * 1e3 / gpu : 1e6;
          const double load_ms = 10 * batch * 1e3 / cpu / std::max(1.0, workers);
          const double inline_ms = workers < 1 ? 0.2 * batch * 1e3 / cpu : 0;
          table.add(std::array{batch, gpu, cpu, workers}, gpu_ms + load_ms + inline_ms, 10);
        }
  return table;
}

TEST(CostForm, WithoutWorkersLoadingTakesLongest) {
  const WorkloadTable truth = loads("resnet50");
  const std::vector<WorkloadTable> references = {loads("resnet18"), loads("mobilenet_v3")};
  const auto form = CostForm::fit(references, "known", "");
  ASSERT_TRUE(form);
  const std::vector<double> told = form->at(truth.space, truth.phase, *truth.cost).time_ms;
  for (size_t row = 0; row < truth.size(); row += 3) {
    EXPECT_GE(told[row], told[row + 1]);
    EXPECT_GT(told[row + 1], told[row + 2]);
    if (truth.space.row(row)[1] == 0) continue;
    for (size_t i = row; i < row + 3; ++i) EXPECT_NEAR(told[i] / truth.minibatch_ms[i], 1, 0.02);
  }
}

// What a GPU that is switched off takes says nothing of its clocks, and is told as a number still.
TEST(CostForm, LeavesOutWhatIsSwitchedOff) {
  std::vector<WorkloadTable> all = {loads("resnet18"), loads("mobilenet_v3")}, on;
  for (const WorkloadTable& table : all) {
    std::vector<size_t> rows;
    for (size_t i = 0; i < table.size(); ++i)
      if (table.space.row(i)[1] > 0) rows.push_back(i);
    on.push_back(take_rows(table, rows));
  }
  const WorkloadTable asked = loads("resnet50");
  const auto told = [&](const std::vector<WorkloadTable>& references) {
    return CostForm::fit(references, "known", "")
        ->at(asked.space, asked.phase, *asked.cost)
        .time_ms;
  };
  EXPECT_EQ(told(all), told(on));
  for (double ms : told(all)) EXPECT_TRUE(std::isfinite(ms) && ms > 0);
  const WorkloadTable table = CostForm::fit(all, "known", "")->table_of(asked);
  EXPECT_GT(find_axis(table.space.axes(), axis::gpu_mhz)->values.front(), 0);
}

TEST(CostForm, SaysWhatItCannotUse) {
  EXPECT_FALSE(CostForm::fit({}, "known", "module"));
  std::vector<WorkloadTable> tables = others();
  tables[0].device = "another";
  tables[1].cost.reset();
  const auto form = CostForm::fit(tables, "known", "module");
  ASSERT_TRUE(form);
  ASSERT_EQ(form->notes().size(), 2u);
  EXPECT_NE(form->notes()[0].find("another board"), std::string::npos);
  EXPECT_NE(form->notes()[1].find("not known"), std::string::npos);
}

TEST(CostForm, RooflineTakesItWhereNothingWasMeasured) {
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  auto roofline = make_roofline();
  ASSERT_TRUE(roofline->fit(take_rows(truth, std::span<const size_t>()), others(), {}).ok());
  const auto told = roofline->predict(truth.space);
  ASSERT_TRUE(told);
  for (size_t i = 0; i < truth.size(); ++i)
    EXPECT_NEAR(told->minibatch_ms.mean[i] / truth.minibatch_ms[i], 1, 0.05);
}

TEST(CostForm, AnswersForTransferGpUntilSomethingIsMeasured) {
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  auto predictor = make_transfer_gp();
  ASSERT_TRUE(predictor->fit(take_rows(truth, std::span<const size_t>()), others(), {}).ok());
  const auto told = predictor->predict(truth.space);
  ASSERT_TRUE(told);
  for (size_t i = 0; i < truth.size(); ++i)
    EXPECT_NEAR(told->minibatch_ms.mean[i] / truth.minibatch_ms[i], 1, 0.05);
  WorkloadTable unknown = take_rows(truth, std::span<const size_t>());
  unknown.cost.reset();
  EXPECT_FALSE(predictor->fit(unknown, others(), {}).ok());
}

// Where no axis says how large a minibatch is, the references alone teach.
TEST(CostForm, HasNoSayWhereTheBatchIsNotKnown) {
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  const auto told = [&](bool known) {
    WorkloadTable measured = truth;
    measured.space = Space({named_axis("gpu_mhz"), named_axis("mem_mhz")});
    measured.minibatch_ms.clear(), measured.power_w.clear();
    for (size_t i : {26, 30, 35})
      measured.add(truth.space.row(i).subspan(1), truth.minibatch_ms[i], truth.power_w[i]);
    if (!known) measured.cost.reset();
    auto predictor = make_transfer_gp();
    EXPECT_TRUE(predictor->fit(measured, others(), {}).ok());
    return *predictor->predict(measured.space);
  };
  EXPECT_EQ(told(true).minibatch_ms.mean, told(false).minibatch_ms.mean);
}

// A simulation that knows one axis more than the form, and one that knows one axis less.
TEST(CostForm, StandsBesideASimulationOfOtherAxes) {
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  const std::vector<Axis> all = {named_axis("batch_size"), named_axis("gpu_mhz"),
                                 named_axis("mem_mhz"), named_axis("prefetch")};
  for (const size_t axes : {size_t{4}, size_t{2}}) {
    WorkloadTable told, asked;
    told.device = asked.device = truth.device;
    told.power_total = asked.power_total = truth.power_total;
    told.phase = asked.phase = truth.phase;
    told.space = Space(std::vector<Axis>(all.begin(), all.begin() + static_cast<long>(axes)));
    for (size_t i = 0; i < truth.size(); ++i)
      for (double prefetch : {1.0, 4.0}) {
        const std::array row = {truth.space.row(i)[0], truth.space.row(i)[1], truth.space.row(i)[2],
                                prefetch};
        told.add(std::span(row).first(axes), truth.minibatch_ms[i], truth.power_w[i]);
      }
    asked.space = Space(all);
    asked.cost = truth.cost;
    asked.prior = std::make_shared<const WorkloadTable>(told);
    auto predictor = make_transfer_gp();
    ASSERT_TRUE(predictor->fit(asked, others(), {}).ok()) << axes;
    Space space(all);
    for (size_t i = 0; i < truth.size(); ++i)
      space.add(
          std::array{truth.space.row(i)[0], truth.space.row(i)[1], truth.space.row(i)[2], 4.0});
    const auto answer = predictor->predict(space);
    ASSERT_TRUE(answer) << axes;
    EXPECT_LT(mape(answer->minibatch_ms.mean, truth.minibatch_ms), axes == 4 ? 5 : 40) << axes;
    EXPECT_EQ(answer->power_w.mean.size(), truth.size()) << axes;
  }
}

// A job that fixes the batch size, as `tune` of a training does, is told as much as one that has an
// axis with that value alone.
TEST(CostForm, AFixedBatchSizeSaysAsMuchAsAnAxisOfIt) {
  const WorkloadTable all = ran("resnet50", Phase::train);
  WorkloadTable with = take_rows(all, std::span<const size_t>()), without = with;
  without.space = Space({named_axis("gpu_mhz"), named_axis("mem_mhz")});
  for (size_t i = 0; i < all.size(); ++i) {
    if (all.space.row(i)[0] != 16) continue;
    with.add(all.space.row(i), all.minibatch_ms[i], all.power_w[i]);
    without.add(all.space.row(i).subspan(1), all.minibatch_ms[i], all.power_w[i]);
  }
  const auto told = [&](const WorkloadTable& truth, std::unique_ptr<Predictor> predictor) {
    const auto nothing = take_rows(truth, std::span<const size_t>());
    const Status fitted = predictor->fit(nothing, others(), {});
    return fitted.ok() ? predictor->predict(truth.space) : fitted.error();
  };
  EXPECT_FALSE(told(without, make_transfer_gp()).ok());
  without.batch_size = 16;
  for (const auto make : {&make_transfer_gp, &make_roofline}) {
    const auto as_axis = told(with, make()), as_fixed = told(without, make());
    ASSERT_TRUE(as_axis.ok() && as_fixed.ok());
    EXPECT_LT(mape(as_fixed->minibatch_ms.mean, as_axis->minibatch_ms.mean), 1);
    EXPECT_LT(mape(as_fixed->power_w.mean, as_axis->power_w.mean), 1);
  }
}

// What is predicted depends on what a network costs, never on its name.
TEST(CostForm, ARenamedNetworkIsPredictedTheSame) {
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  std::vector<WorkloadTable> renamed = others();
  for (WorkloadTable& table : renamed) table.workload = "script:my_" + table.workload + ".pt";
  for (const auto make : {make_roofline, make_transfer_gp})
    for (const size_t rows : {0u, 1u, 3u}) {
      WorkloadTable measured = take_rows(truth, std::array<size_t, 3>{20, 3, 33});
      std::vector<size_t> some(rows);
      for (size_t i = 0; i < rows; ++i) some[i] = i;
      measured = take_rows(measured, some);
      const auto known = make(), other = make();
      ASSERT_TRUE(known->fit(measured, others(), {}).ok()) << known->name() << rows;
      measured.workload = "onnx:mine.onnx";
      ASSERT_TRUE(other->fit(measured, renamed, {}).ok());
      const auto a = known->predict(truth.space), b = other->predict(truth.space);
      ASSERT_TRUE(a && b);
      EXPECT_EQ(a->minibatch_ms.mean, b->minibatch_ms.mean) << known->name() << rows;
      EXPECT_EQ(a->minibatch_ms.hi90, b->minibatch_ms.hi90) << known->name() << rows;
      EXPECT_EQ(a->power_w.mean, b->power_w.mean) << known->name() << rows;
    }
}

double error_from(const WorkloadTable& truth, const std::optional<Cost>& cost, size_t reading) {
  WorkloadTable measured = take_rows(truth, std::array{reading});
  measured.cost = cost;
  auto predictor = make_transfer_gp();
  EXPECT_TRUE(predictor->fit(measured, others(), {}).ok());
  const auto told = predictor->predict(truth.space);
  EXPECT_TRUE(told);
  return mape(told->minibatch_ms.mean, truth.minibatch_ms);
}

// The levels of a single table stand in its form as if they were the board's.
TEST(CostForm, OfOneTableHasNoSayBesideReadings) {
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  const auto told = [&](std::vector<WorkloadTable> references, bool known) {
    WorkloadTable measured = take_rows(truth, std::array<size_t, 2>{20, 3});
    if (!known) measured.cost.reset();
    auto predictor = make_transfer_gp();
    EXPECT_TRUE(predictor->fit(measured, references, {}).ok());
    return *predictor->predict(truth.space);
  };
  const std::vector<WorkloadTable> one = {ran("mobilenet_v3", Phase::infer, 1.5)};
  EXPECT_EQ(told(one, true).minibatch_ms.mean, told(one, false).minibatch_ms.mean);
  EXPECT_EQ(told(one, true).power_w.hi90, told(one, false).power_w.hi90);
  EXPECT_NE(told(others(), true).minibatch_ms.mean, told(others(), false).minibatch_ms.mean);
  // Nor has that of a table and its copy.
  const std::vector<WorkloadTable> copies = {one[0], one[0]};
  EXPECT_EQ(told(copies, true).power_w.mean, told(copies, false).power_w.mean);
  // Of three tables that tell of time, one tells of power.
  std::vector<WorkloadTable> one_power = others();
  for (size_t i = 1; i < one_power.size(); ++i) one_power[i].power_total = "monitor";
  const Estimates with = told(one_power, true).power_w, without = told(one_power, false).power_w;
  EXPECT_LT(mape(with.mean, without.mean), 5);
}

// Copies of a table, or parts of it, tell no more of the board than it does.
TEST(CostForm, TablesOfOneWorkCountAsOne) {
  const WorkloadTable again = ran("mobilenet_v3", Phase::infer, 1.01);
  std::vector<WorkloadTable> copies = {ran("mobilenet_v3", Phase::infer), again};
  EXPECT_FALSE(CostForm::fit(copies, "known", "module")->of_several());
  // Nor does its training beside its inference.
  const std::vector<WorkloadTable> phases = {copies[0], ran("mobilenet_v3", Phase::train)};
  EXPECT_FALSE(CostForm::fit(phases, "known", "module")->of_several());
  copies = others();
  copies.push_back(copies[1]);
  const auto once = CostForm::fit(others(), "known", "module");
  const auto twice = CostForm::fit(copies, "known", "module");
  ASSERT_TRUE(once && twice);
  EXPECT_NEAR(twice->time_level_sd(), once->time_level_sd(), 1e-9);
  EXPECT_NEAR(twice->power_rest_sd(), once->power_rest_sd(), 1e-9);
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  const CostAnswer a = once->at(truth.space, truth.phase, *truth.cost);
  const CostAnswer b = twice->at(truth.space, truth.phase, *truth.cost);
  EXPECT_LT(mape(a.time_ms, b.time_ms), 1e-6);
  EXPECT_LT(mape(a.power_w, b.power_w), 1e-6);
}

TEST(CostForm, HelpsTransferGpWithOneReading) {
  const WorkloadTable truth = ran("resnet50", Phase::infer);
  const double with = error_from(truth, truth.cost, 20), without = error_from(truth, {}, 20);
  EXPECT_LT(with, 5);
  EXPECT_LT(with, 0.5 * without);
}

}  // namespace
}  // namespace flyball
