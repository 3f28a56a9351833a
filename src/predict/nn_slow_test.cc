// PowerTrain's published errors, median of 10 runs over random modes, on its own tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/statistics.h"
#include "predict/nn.h"
#include "space/table.h"

namespace flyball {
namespace {

struct Published {
  const char* target;
  const char* reference;  // nullptr: from scratch
  size_t modes;
  double time, power;  // MAPE in percent as published
};

void PrintTo(const Published& p, std::ostream* out) {
  *out << (p.reference ? "transfer-nn " : "nn ") << p.target << " " << p.modes;
}

class PowerTrain : public testing::TestWithParam<Published> {};

Result<Table> table_of(const std::string& workload) {
  const char* folder = std::getenv("FLYBALL_DATA");
  const auto root = folder ? std::filesystem::path(folder)
                           : std::filesystem::path(FLYBALL_SOURCE_DIR) / "../shared/data";
  return read_table(root / ("orin_agx__" + workload + "__train.csv"));
}

TEST_P(PowerTrain, NoWorseThanPublished) {
  const Published& published = GetParam();
  const auto target = table_of(published.target);
  if (!target) GTEST_SKIP() << "table of " << published.target << " is absent";
  std::vector<WorkloadTable> references;
  if (published.reference) {
    auto table = table_of(published.reference);
    if (!table) GTEST_SKIP() << "table of " << published.reference << " is absent";
    references.push_back(**table->only());
  }
  const WorkloadTable& truth = **target->only();
  constexpr size_t runs = 10;
  std::vector<double> time(runs), power(runs), time_inside(runs), power_inside(runs), seconds(runs);
  for (size_t run = 0; run < runs; ++run) {
    WorkloadTable measured = truth;
    const auto chosen = Random(mix_seed(1, run)).sample(truth.size(), published.modes);
    measured.space = truth.space.subset(chosen);
    measured.minibatch_ms.clear();
    measured.power_w.clear();
    for (size_t i : chosen) {
      measured.minibatch_ms.push_back(truth.minibatch_ms[i]);
      measured.power_w.push_back(truth.power_w[i]);
    }
    const auto predictor = published.reference ? make_transfer_nn() : make_nn();
    const Stopwatch watch;
    ASSERT_TRUE(predictor->fit(measured, references, {run + 1}).ok());
    seconds[run] = watch.seconds();
    const auto prediction = predictor->predict(truth.space);
    ASSERT_TRUE(prediction.ok());
    time[run] = mape(prediction->minibatch_ms.mean, truth.minibatch_ms);
    power[run] = mape(prediction->power_w.mean, truth.power_w);
    const auto inside = [&](const Estimates& estimates, const std::vector<double>& observed) {
      double count = 0;
      for (size_t i = 0; i < observed.size(); ++i)
        count += observed[i] >= estimates.lo90[i] && observed[i] <= estimates.hi90[i];
      return count / static_cast<double>(observed.size());
    };
    time_inside[run] = inside(prediction->minibatch_ms, truth.minibatch_ms);
    power_inside[run] = inside(prediction->power_w, truth.power_w);
  }
  printf(
      "%s %s %zu modes: time MAPE %.1f (published %.1f), power %.1f (%.1f), coverage %.2f %.2f, "
      "fit %.2f s\n",
      published.reference ? "transfer-nn" : "nn", published.target, published.modes, median(time),
      published.time, median(power), published.power, median(time_inside), median(power_inside),
      median(seconds));
  EXPECT_LE(median(time), 1.25 * published.time);
  EXPECT_LE(median(power), 1.25 * published.power);
}

INSTANTIATE_TEST_SUITE_P(Tables, PowerTrain,
                         testing::Values(Published{"resnet18", nullptr, 10, 59.9, 25.5},
                                         Published{"resnet18", nullptr, 50, 24.7, 14.2},
                                         Published{"resnet18", nullptr, 100, 14.0, 12.5},
                                         Published{"mobilenet_v3", nullptr, 10, 52.6, 24.0},
                                         Published{"mobilenet_v3", nullptr, 50, 23.0, 10.5},
                                         Published{"mobilenet_v3", nullptr, 100, 10.4, 9.8},
                                         Published{"mobilenet_v3", "resnet18", 10, 26.8, 16.7},
                                         Published{"mobilenet_v3", "resnet18", 50, 15.8, 5.2},
                                         Published{"mobilenet_v3", "resnet18", 100, 12.0, 4.3}));

}  // namespace
}  // namespace flyball
