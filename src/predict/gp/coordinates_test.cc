#include "predict/gp/coordinates.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(Coordinates, KnowAnAxisByTheWordsOfItsName) {
  for (const char* name : {"cpu_mhz", "cpu_khz", "core_clock", "CPU freq"})
    EXPECT_EQ(axis_role(name), AxisRole::cpu) << name;
  for (const char* name : {"gpu_mhz", "igpu_khz", "sm_clock"})
    EXPECT_EQ(axis_role(name), AxisRole::gpu) << name;
  for (const char* name : {"mem_mhz", "emc_hz", "dram_freq"})
    EXPECT_EQ(axis_role(name), AxisRole::memory) << name;
  for (const char* name : {"cpu_cores", "online_cpus"})
    EXPECT_EQ(axis_role(name), AxisRole::cores) << name;
  EXPECT_EQ(axis_role("batch_size"), AxisRole::batch);
  for (const char* name : {"power_limit_w", "loader_workers", "dla_mhz", "membership", ""})
    EXPECT_EQ(axis_role(name), AxisRole::other) << name;
}

TEST(Coordinates, GiveEachRoleToOneAxisOnly) {
  const auto roles = axis_roles({named_axis("big_cpu_mhz"), named_axis("gpu_mhz"),
                                 named_axis("little_cpu_mhz"), named_axis("power_limit_w")});
  EXPECT_EQ(roles, (std::vector{AxisRole::cpu, AxisRole::gpu, AxisRole::other, AxisRole::other}));
}

}  // namespace
}  // namespace flyball
