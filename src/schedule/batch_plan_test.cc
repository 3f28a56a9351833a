#include "schedule/batch_plan.h"

#include <gtest/gtest.h>

#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

constexpr double ns_per_ms = 1e6;

/// A batch of n takes 9 + n ms.
BatchPlan planned(const RequestQueue& queue, int64_t most, double begins_ms = 0,
                  uint64_t shape = 0) {
  return plan_batches(queue, shape, most, batch_curve(10, 1, 64), begins_ms * ns_per_ms);
}

RequestQueue waiting(std::initializer_list<int64_t> deadlines_ms) {
  RequestQueue queue;
  for (const int64_t due : deadlines_ms) queue.push({.deadline_ns = due * ms});
  return queue;
}

TEST(BatchPlan, OfNobodyEndsAtOnce) {
  const BatchPlan plan = planned({}, 4, 7);
  EXPECT_EQ(plan.first, 0);
  EXPECT_EQ(plan.last, 0);
  EXPECT_EQ(plan.ends.upper_ns(), 7 * ns_per_ms);
  EXPECT_TRUE(plan.in_time);
}

TEST(BatchPlan, ABatchIsAsLargeAsItsFirstLetsItBe) {
  const BatchPlan plan = planned(waiting({12, 100, 100, 100, 100}), 16);
  EXPECT_EQ(plan.first, 3) << "which ends at 12";
  EXPECT_EQ(plan.last, 2);
  EXPECT_EQ(plan.last_begins.typical_ns, 12 * ns_per_ms);
  EXPECT_EQ(plan.last_deadline_ns, 100 * ms);
  EXPECT_EQ(plan.ends.typical_ns, 23 * ns_per_ms);
  EXPECT_TRUE(plan.in_time);
  EXPECT_EQ(planned(waiting({100, 100, 100, 100, 100}), 4).first, 4) << "and no larger than any";
}

TEST(BatchPlan, WhoIsLostHoldsNobodyBack) {
  const BatchPlan plan = planned(waiting({5, 100, 100}), 16);
  EXPECT_EQ(plan.first, 3);
  EXPECT_FALSE(plan.in_time);
}

TEST(BatchPlan, IsOfOneShapeAndKeepsRequestsWhole) {
  RequestQueue queue;
  queue.push({.deadline_ns = 1000 * ms, .samples = 3, .shape = 1});
  queue.push({.deadline_ns = 1000 * ms, .samples = 9, .shape = 2});
  queue.push({.deadline_ns = 1000 * ms, .samples = 2, .shape = 1});
  EXPECT_EQ(planned(queue, 4, 0, 1).first, 3);
  EXPECT_EQ(planned(queue, 4, 0, 1).last, 2);
  EXPECT_EQ(planned(queue, 8, 0, 1).first, 5);
  EXPECT_EQ(planned(queue, 4, 0, 2).first, 9) << "more than any batch has: by itself";
}

TEST(BatchPlan, WhatBatchesTakeBeyondTheUsualAddsUpAsSquares) {
  DurationModel duration;
  duration.expect(1, 10 * ns_per_ms);
  for (const double took_ms : {10., 10., 10., 13.}) duration.observe(1, took_ms * ns_per_ms);
  const double beyond = duration.upper_ns(1) - duration.typical_ns(1);
  ASSERT_GT(beyond, 0);
  const BatchPlan plan = plan_batches(waiting({1000, 1000}), 0, 1, duration, 0);
  EXPECT_DOUBLE_EQ(plan.ends.typical_ns, 2 * duration.typical_ns(1));
  EXPECT_NEAR(plan.ends.upper_ns(), plan.ends.typical_ns + std::sqrt(2.0) * beyond, 1);
}

}  // namespace
}  // namespace flyball
