#include "device/modes/nvpmodel_export.h"

#include <gmock/gmock.h>

#include <map>

#include "base/text.h"

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
  const NvpmodelArguments board = *nvpmodel_board("orin_nx");
  EXPECT_FALSE(export_nvpmodel({{{"power_limit_w", 20}}}, board, 9, "X").ok());
  EXPECT_FALSE(export_nvpmodel({{{"cpu_cores", 12}}}, board, 9, "X").ok());
  for (const char* unknown : {"host", "thor", "tx2"})
    EXPECT_FALSE(nvpmodel_board(unknown).ok()) << unknown;
  EXPECT_THAT(nvpmodel_board("host").error().hint, testing::HasSubstr("orin_agx"));
}

// What boards/*.toml says of each.
TEST(NvpmodelExport, EveryBoardThatIsKnownGetsEachOfItsCoresAndClusters) {
  const std::map<std::string, int> clusters = {
      {"orin_agx", 3},   {"orin_agx_32", 2}, {"orin_nx", 2}, {"orin_nano", 2},
      {"xavier_agx", 4}, {"xavier_nx", 3},   {"nano", 1}};
  for (const BoardSpec& spec : board_specs()) {
    const auto board = nvpmodel_board(spec.id);
    ASSERT_EQ(board.ok(), clusters.contains(spec.id)) << spec.id;
    if (!board) continue;
    const auto block = export_nvpmodel(
        {{{"cpu_cores", static_cast<double>(board->cores)}, {"cpu_mhz", 1000}}}, *board, 9, "X");
    ASSERT_TRUE(block.ok()) << spec.id;
    int online = 0, maxima = 0;
    for (const std::string& line : split(*block, '\n')) {
      online += line.starts_with("CPU_ONLINE CORE_") && line.ends_with(" 1");
      maxima += line.ends_with("MAX_FREQ 1000000");
    }
    EXPECT_EQ(online, board->cores) << spec.id;
    EXPECT_EQ(maxima, clusters.at(spec.id)) << spec.id;
  }
}

}  // namespace
}  // namespace flyball
