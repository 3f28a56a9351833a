// PowerTrain's published errors, median of 10 runs over random modes, on its own tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/statistics.h"
#include "baselines/nn/nn.h"
#include "space/table.h"

namespace flyball {
namespace {

struct Published {
  size_t modes;
  double time, power;  ///< MAPE in percent as published
};

// One test for all sizes, since the reference's networks are trained once in a process.
struct Transfer {
  const char* target;
  const char* reference;  ///< nullptr: from scratch
  std::vector<Published> sizes;

  const char* predictor() const { return reference ? "transfer-nn" : "nn"; }
};

void PrintTo(const Transfer& t, std::ostream* out) {
  *out << t.predictor() << " " << t.target;
}

class PowerTrain : public testing::TestWithParam<Transfer> {};

Result<Table> table_of(const std::string& workload) {
  const char* folder = std::getenv("FLYBALL_DATA");
  const auto root = folder ? std::filesystem::path(folder)
                           : std::filesystem::path(FLYBALL_SOURCE_DIR) / "../shared/data";
  return read_table(root / ("orin_agx__" + workload + "__train.csv"));
}

WorkloadTable some_of(const WorkloadTable& truth, size_t modes, size_t run) {
  WorkloadTable measured = truth;
  const auto chosen = Random(mix_seed(1, run)).sample(truth.size(), modes);
  measured.space = truth.space.subset(chosen);
  measured.minibatch_ms.clear();
  measured.power_w.clear();
  for (size_t i : chosen) {
    measured.minibatch_ms.push_back(truth.minibatch_ms[i]);
    measured.power_w.push_back(truth.power_w[i]);
  }
  return measured;
}

double coverage(const Estimates& estimates, const std::vector<double>& observed) {
  double inside = 0;
  for (size_t i = 0; i < observed.size(); ++i)
    inside += observed[i] >= estimates.lo90[i] && observed[i] <= estimates.hi90[i];
  return inside / static_cast<double>(observed.size());
}

void compare(const Transfer& transfer, const Published& published, const WorkloadTable& truth,
             std::span<const WorkloadTable> references) {
  std::vector<double> time, power, time_inside, power_inside, seconds;
  for (size_t run = 0; run < 10; ++run) {
    const auto predictor = transfer.reference ? make_transfer_nn() : make_nn();
    const Stopwatch watch;
    ASSERT_TRUE(predictor->fit(some_of(truth, published.modes, run), references, {run + 1}).ok());
    seconds.push_back(watch.seconds());
    const auto prediction = predictor->predict(truth.space);
    ASSERT_TRUE(prediction.ok());
    time.push_back(mape(prediction->minibatch_ms.mean, truth.minibatch_ms));
    power.push_back(mape(prediction->power_w.mean, truth.power_w));
    time_inside.push_back(coverage(prediction->minibatch_ms, truth.minibatch_ms));
    power_inside.push_back(coverage(prediction->power_w, truth.power_w));
  }
  printf(
      "%s %s %zu modes: time MAPE %.1f (published %.1f), power %.1f (%.1f), coverage %.2f %.2f, "
      "fit %.2f s\n",
      transfer.predictor(), transfer.target, published.modes, median(time), published.time,
      median(power), published.power, median(time_inside), median(power_inside), median(seconds));
  EXPECT_LE(median(time), 1.25 * published.time) << published.modes << " modes";
  EXPECT_LE(median(power), 1.25 * published.power) << published.modes << " modes";
}

TEST_P(PowerTrain, NoWorseThanPublished) {
  const Transfer& transfer = GetParam();
  const auto target = table_of(transfer.target);
  if (!target) GTEST_SKIP() << "table of " << transfer.target << " is absent";
  std::vector<WorkloadTable> references;
  if (transfer.reference) {
    auto table = table_of(transfer.reference);
    if (!table) GTEST_SKIP() << "table of " << transfer.reference << " is absent";
    references.push_back(**table->only());
  }
  for (const Published& published : transfer.sizes)
    compare(transfer, published, **target->only(), references);
}

INSTANTIATE_TEST_SUITE_P(
    Tables, PowerTrain,
    testing::Values(
        Transfer{"resnet18", nullptr, {{10, 59.9, 25.5}, {50, 24.7, 14.2}, {100, 14.0, 12.5}}},
        Transfer{"mobilenet_v3", nullptr, {{10, 52.6, 24.0}, {50, 23.0, 10.5}, {100, 10.4, 9.8}}},
        Transfer{
            "mobilenet_v3", "resnet18", {{10, 26.8, 16.7}, {50, 15.8, 5.2}, {100, 12.0, 4.3}}}));

}  // namespace
}  // namespace flyball
