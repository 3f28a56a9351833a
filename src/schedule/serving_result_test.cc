#include "schedule/serving_result.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using ::testing::HasSubstr;

ServingResult served_in_ms(std::initializer_list<double> latencies_ms, double budget_ms) {
  ServingResult result;
  result.seconds = 10;
  ServiceResult service;
  service.name = "net";
  service.budget_ms = budget_ms;
  for (const double latency_ms : latencies_ms) {
    service.latency.add(static_cast<int64_t>(latency_ms * 1e6));
    if (service.is_late(latency_ms)) ++service.late;
  }
  service.arrived = service.answered = service.samples = latencies_ms.size();
  service.batches = 1;
  result.services.push_back(service);
  return result;
}

TEST(ServingText, TellsWhatIsBeyondItsBudget) {
  const std::string text = format_live(served_in_ms({1003}, 1000));
  EXPECT_THAT(text, HasSubstr("max 1003  of a budget of 1000\n"));
  EXPECT_THAT(text, HasSubstr("1 requests within 1000 ms (1 late"));
}

TEST(ServingText, TheLongestIsNeverBelowWhatItWas) {
  EXPECT_THAT(format_live(served_in_ms({100.04}, 100.5)), HasSubstr("max 100.5  of a budget"));
  EXPECT_THAT(format_live(served_in_ms({100.04}, 100)), HasSubstr("max 101  of a budget of 100\n"));
}

TEST(ServingText, WhatIsNotLateIsNotBeyondItsBudget) {
  EXPECT_THAT(format_live(served_in_ms({900.0004}, 900)),
              HasSubstr("max 900  of a budget of 900\n"));
}

TEST(ServingText, HasNoPowersOfTen) {
  const std::string text = format_live(served_in_ms({12345.6, 12345.6, 98765.4}, 1234567));
  EXPECT_THAT(text, HasSubstr("max 98766  of a budget of 1234567\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("e+")));
}

}  // namespace
}  // namespace flyball
