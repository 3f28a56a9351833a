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
  const auto second = gpu_use_between(traces, 1, 0, 200);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->gpu, 1u);
  EXPECT_EQ(second->load_pct, 60);
  EXPECT_EQ(second->clock_mhz, 1250);
  EXPECT_EQ(second->memory_bytes, 3e9);
  const auto first = gpu_use_between(traces, 0, 0, 200);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->load_pct, 15);
  EXPECT_FALSE(first->clock_mhz);
}

TEST(GpuUse, IsNothingWithoutASensorOrASample) {
  EXPECT_FALSE(gpu_use_between({}, 0, 0, 10));
  EXPECT_FALSE(gpu_use_between({trace_of("gpu0_busy", {{20, 1}})}, 0, 0, 10));
  EXPECT_FALSE(gpu_use_between({trace_of("gpu0_busy", {{5, 1}})}, 1, 0, 10));
}

// A board's own GPU has no number in its sensors' names, and no memory of its own.
TEST(GpuUse, OfAJetsonIsThatOfItsOwnGpu) {
  const std::vector<Trace> traces = {
      trace_of("gpu_busy", {{0, 30}, {100, 90}, {200, 5}}),
      trace_of("gpu_mhz", {{0, 306}, {100, 1300.5}}),
      trace_of("emc_mhz", {{0, 3199}}),
  };
  for (const auto& use :
       {gpu_use_between(traces, 0, 0, 200), busiest_gpu_between(traces, 0, 200)}) {
    ASSERT_TRUE(use);
    EXPECT_EQ(use->gpu, 0u);
    EXPECT_EQ(use->load_pct, 60);
    EXPECT_EQ(use->clock_mhz, 803.25);
    EXPECT_FALSE(use->memory_bytes);
  }
  EXPECT_FALSE(gpu_use_between(traces, 1, 0, 200));
}

// JetPack 6 has NVML, which tells of the clock and not of the load.
TEST(GpuUse, OfAJetsonIsCompletedByItsOwnSensors) {
  const auto use =
      gpu_use_between({trace_of("gpu_busy", {{0, 30}}), trace_of("gpu_mhz", {{0, 306}}),
                       trace_of("gpu0_mhz", {{0, 408}})},
                      0, 0, 10);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->load_pct, 30);
  EXPECT_EQ(use->clock_mhz, 408);
}

TEST(GpuUse, OfAProgramIsThatOfTheBusiestGpu) {
  std::vector<Trace> traces = {trace_of("gpu0_busy", {{0, 3}}), trace_of("gpu1_busy", {{0, 80}}),
                               trace_of("gpu1_mem_busy", {{0, 40}}),
                               trace_of("gpu2_mhz", {{0, 1980}})};
  EXPECT_EQ(busiest_gpu_between(traces, 0, 10)->gpu, 1u);
  traces.erase(traces.begin(), traces.begin() + 3);
  EXPECT_EQ(busiest_gpu_between(traces, 0, 10)->clock_mhz, 1980);
  EXPECT_FALSE(busiest_gpu_between(traces, 10, 20));
  EXPECT_FALSE(busiest_gpu_between({trace_of("cpu0_mhz", {{0, 1}})}, 0, 10));
}

}  // namespace
}  // namespace flyball
