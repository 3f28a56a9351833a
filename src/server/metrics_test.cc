#include "server/metrics.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

InferAnswer in(double latency_s, int64_t batch) {
  InferAnswer answer{std::vector<StoredTensor>{}};
  answer.latency_s = latency_s;
  answer.batch = batch;
  return answer;
}

TEST(Metrics, EachRequestCountsOnceByWhatCameOfIt) {
  ServingMetrics metrics({{"a\"b", {}, {}, 8, 0.1}});
  metrics.answered(0, in(0.05, 3));
  metrics.answered(0, in(0.2, 8));
  InferAnswer refused{Error{Code::unavailable, "no", ""}};
  refused.refused = RefusalReason::overload;
  metrics.answered(0, refused);
  metrics.bad_request();
  const std::string text = metrics.text({});
  EXPECT_THAT(text, HasSubstr("flyball_requests_total{model=\"a\\\"b\",outcome=\"in_time\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("outcome=\"late\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("outcome=\"refused\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("outcome=\"failed\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("flyball_bad_requests_total 1\n"));
  EXPECT_THAT(text, HasSubstr("flyball_batch_size_bucket{model=\"a\\\"b\",le=\"4\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("flyball_batch_size_bucket{model=\"a\\\"b\",le=\"+Inf\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("flyball_batch_size_sum{model=\"a\\\"b\"} 11\n"));
  EXPECT_THAT(text, HasSubstr("flyball_request_latency_seconds_count{model=\"a\\\"b\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("flyball_power_watts"))) << "a missing sensor is no number";
}

// One count for all that tell of it: requests that did not come over HTTP included.
TEST(Metrics, WhatTheRunCountsIsTold) {
  ServingMetrics metrics({{"net", {}, {}, 8, 0.1}});
  metrics.answered(0, in(0.05, 3));
  LiveState state;
  state.services.push_back(
      {.name = "net", .arrived = 21, .answered = 10, .late = 4, .refused = 8, .failed = 3});
  const std::string text = metrics.text(state);
  EXPECT_THAT(text, HasSubstr("outcome=\"in_time\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("outcome=\"late\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("outcome=\"refused\"} 8\n"));
  EXPECT_THAT(text, HasSubstr("outcome=\"failed\"} 3\n"));
}

TEST(Metrics, BucketsNeverFall) {
  Histogram histogram({1, 2, 4});
  for (const double value : {0.5, 1.0, 3.0, 9.0}) histogram.add(value);
  std::string text;
  histogram.write(text, "n", "m=\"x\"");
  EXPECT_EQ(
      text,
      "n_bucket{m=\"x\",le=\"1\"} 2\nn_bucket{m=\"x\",le=\"2\"} 2\nn_bucket{m=\"x\",le=\"4\"} 3\n"
      "n_bucket{m=\"x\",le=\"+Inf\"} 4\nn_sum{m=\"x\"} 13.5\nn_count{m=\"x\"} 4\n");
}

}  // namespace
}  // namespace flyball
