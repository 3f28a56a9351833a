#include "device/modes/nvpmodel_export.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

TEST(NvpmodelExport, WritesABlockThatNvpmodelTakes) {
  const PowerMode mode{
      {{"cpu_cores", 4}, {"cpu_mhz", 1344}, {"gpu_mhz", 114.75}, {"mem_mhz", 2133}}};
  const auto block = export_nvpmodel(mode, *nvpmodel_board("orin_nano"), 8, "FLYBALL");
  ASSERT_TRUE(block.ok());
  EXPECT_EQ(*block,
            "< POWER_MODEL ID=8 NAME=FLYBALL >\n"
            "CPU_ONLINE CORE_0 1\nCPU_ONLINE CORE_1 1\nCPU_ONLINE CORE_2 1\nCPU_ONLINE CORE_3 1\n"
            "CPU_ONLINE CORE_4 0\nCPU_ONLINE CORE_5 0\n"
            "CPU_A78_0 MIN_FREQ 1344000\nCPU_A78_0 MAX_FREQ 1344000\n"
            "GPU MIN_FREQ 114750000\nGPU MAX_FREQ 114750000\n"
            "EMC MAX_FREQ 2133000000\n");
}

TEST(NvpmodelExport, LeavesOutWhatTheModeDoesNotSet) {
  const auto block = export_nvpmodel({{{"gpu_mhz", 306}}}, *nvpmodel_board("orin_agx"), 9, "SLOW");
  EXPECT_EQ(*block,
            "< POWER_MODEL ID=9 NAME=SLOW >\nGPU MIN_FREQ 306000000\nGPU MAX_FREQ "
            "306000000\n");
}

TEST(NvpmodelExport, RefusesWhatItCannotSay) {
  const NvpmodelBoard board = *nvpmodel_board("orin_nx");
  EXPECT_FALSE(export_nvpmodel({{{"power_limit_w", 20}}}, board, 9, "X").ok());
  EXPECT_FALSE(export_nvpmodel({{{"cpu_cores", 12}}}, board, 9, "X").ok());
  EXPECT_THAT(nvpmodel_board("host").error().hint, testing::HasSubstr("orin_agx"));
}

}  // namespace
}  // namespace flyball
