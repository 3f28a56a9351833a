#include "profile/characterise/gpu_use.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

Trace trace_of(const std::string& name, std::vector<Sample> samples) {
  Trace trace;
  trace.info.name = name;
  trace.samples = std::move(samples);
  return trace;
}

TEST(GpuUse, IsOfTheWindowAndOfTheGpuThatComputes) {
  const std::vector<Trace> traces = {
      trace_of("gpu0_busy", {{0, 10}, {100, 20}, {200, 99}}),
      trace_of("gpu1_busy", {{0, 50}, {100, 70}, {200, 99}}),
      trace_of("gpu1_mhz", {{50, 1200}, {150, 1300}}),
      trace_of("gpu1_memory", {{0, 1e9}, {60, 3e9}, {199, 2e9}, {250, 9e9}}),
  };
  const auto second = gpu_use_between(traces, "cuda:1", 0, 200);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->load_pct, 60);
  EXPECT_EQ(second->clock_mhz, 1250);
  EXPECT_EQ(second->memory_bytes, 3e9);
  const auto first = gpu_use_between(traces, "cpu", 0, 200);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->load_pct, 15);
  EXPECT_FALSE(first->clock_mhz);
}

TEST(GpuUse, IsNothingWithoutASensorOrASample) {
  EXPECT_FALSE(gpu_use_between({}, "cuda:0", 0, 10));
  EXPECT_FALSE(gpu_use_between({trace_of("gpu0_busy", {{20, 1}})}, "cuda:0", 0, 10));
  EXPECT_FALSE(gpu_use_between({trace_of("gpu0_busy", {{5, 1}})}, "cuda:1", 0, 10));
}

}  // namespace
}  // namespace flyball
