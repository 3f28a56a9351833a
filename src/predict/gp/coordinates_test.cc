#include "predict/gp/coordinates.h"

#include <gtest/gtest.h>

#include <array>

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

// One reading says of no axis that it varies; a reference of the board does.
TEST(Coordinates, ExpectWhatReferencesSawVary) {
  const auto axes = {named_axis("batch_size"), named_axis("cpu_mhz")};
  Space one(axes);
  one.add(std::array{4.0, 900.0});
  WorkloadTable reference;
  reference.device = "board";
  reference.phase = Phase::infer;
  reference.space = Space(axes);
  for (const double batch : {1.0, 64.0})
    for (const double clock : {300.0, 1800.0}) reference.add(std::array{batch, clock}, 1, 1);
  const auto seen = [&](const std::string& device, Phase phase) {
    const Coordinates it(one, device, phase, std::array{reference});
    return std::array{it.scale(AxisRole::batch), it.scale(AxisRole::cpu), it.lowest(AxisRole::cpu),
                      it.varies(AxisRole::batch) ? 1.0 : 0.0};
  };
  EXPECT_EQ(seen("board", Phase::infer), (std::array{64.0, 1800.0, 300.0 / 1800, 1.0}));
  EXPECT_EQ(seen("board", Phase::train), (std::array{4.0, 1800.0, 300.0 / 1800, 0.0}));
  EXPECT_EQ(seen("other", Phase::infer), (std::array{4.0, 900.0, 1.0, 0.0}));
}

}  // namespace
}  // namespace flyball
