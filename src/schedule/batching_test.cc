#include "schedule/batching.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

constexpr double ns_of_ms = 1e6;

// Minibatches that take `fixed` and `each` more for each sample.
BatchedService service(double rate_hz, double budget_ms, double fixed_ms, double each_ms) {
  return {.rate_hz = rate_hz,
          .budget_ns = budget_ms * ns_of_ms,
          .largest_batch = 64,
          .batch_ns = [=](int64_t batch) {
            return (fixed_ms + each_ms * static_cast<double>(batch)) * ns_of_ms;
          }};
}

int64_t gathers(const BatchedService& one, const Preference& preference = {},
                double training_ms = 10) {
  return worth_gathering({one}, training_ms * ns_of_ms, preference).front();
}

TEST(Batching, SinglesAreServedWhereLargerBatchesSaveNothing) {
  EXPECT_EQ(gathers(service(60, 500, 0, 1)), 1);
}

TEST(Batching, SinglesAreServedWhereTheyCostLessThanAPercent) {
  EXPECT_EQ(gathers(service(5, 500, 1, 0.1)), 1);
}

// Σ λ·t(k)/k: with 60 requests/s and 20 ms a batch, singles would take all the time there is.
TEST(Batching, WaitsWhereThatBuysTraining) {
  const BatchedService costly = service(60, 800, 20, 1);
  const int64_t kept = gathers(costly);
  EXPECT_GT(kept, 8);
  EXPECT_LE(kept, 44) << "no more than come until the latest safe time, 1 + 60/s · 731 ms";
  const double load = 60e-3 * (20 + static_cast<double>(kept)) / static_cast<double>(kept);
  const double least = 60e-3 * (20 + 44.) / 44;
  EXPECT_GE(1 - load, kept_training * (1 - least)) << "the training that latest start leaves";
}

TEST(Batching, MoreLatencyForTheSameTrainingIsNeverChosenByALowerPrice) {
  int64_t before = 0;
  for (const double price : {0.001, 0.1, 1., 10., 100., 10000.}) {
    const int64_t now = gathers(service(60, 800, 20, 1),
                                {.kind = Preference::Kind::exchange, .ms_of_percent = price});
    EXPECT_GE(now, before) << price;
    before = now;
  }
  EXPECT_GT(before, 8);
}

TEST(Batching, WhereLittleIsLeftToTrainInDeadlinesBeginBatches) {
  EXPECT_LT(gathers(service(300, 500, 0, 2.9)), until_deadlines) << "13 % are left";
  EXPECT_EQ(gathers(service(300, 500, 0, 3.1)), until_deadlines) << "7 % are left";
}

TEST(Batching, TrainingFirstAndOverloadLeaveItToTheDeadlines) {
  EXPECT_EQ(gathers(service(60, 500, 0, 1), {.kind = Preference::Kind::training}), until_deadlines);
  EXPECT_EQ(gathers(service(6000, 500, 0, 1)), until_deadlines) << "no time is left to train in";
}

TEST(Batching, ServicesShareWhatMayBeLost) {
  const BatchedService costly = service(30, 800, 10, 1);
  const auto both = worth_gathering({costly, costly}, 10 * ns_of_ms, {});
  EXPECT_EQ(both[0], both[1]);
  EXPECT_GE(both[0], gathers(costly));
}

TEST(Preferences, AreReadAndSaid) {
  EXPECT_EQ(parse_preference("latency")->text(), "latency");
  EXPECT_EQ(parse_preference("training")->text(), "training");
  EXPECT_EQ(parse_preference("5ms")->text(), "5ms");
  for (const char* wrong : {"", "5", "0ms", "-3ms", "speed"})
    EXPECT_FALSE(parse_preference(wrong).ok()) << wrong;
}

TEST(ClientMargins, LeaveHalfOfTheBudget) {
  EXPECT_DOUBLE_EQ(usual_margin.of_ms(200), 10);
  EXPECT_DOUBLE_EQ(usual_margin.of_ms(20), 2);
  EXPECT_DOUBLE_EQ(usual_margin.of_ms(3), 1.5);
  EXPECT_DOUBLE_EQ(ClientMargin{}.of_ms(200), 0);
}

}  // namespace
}  // namespace flyball
