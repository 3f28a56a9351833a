#include "twin/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "boards/spec.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

TEST(TwinBoard, EveryBoardOfThePapersHasOne) {
  EXPECT_THAT(twin_boards(), IsSupersetOf({"nano", "orin_agx", "orin_nano", "orin_nx", "rpi5",
                                           "rtx3090", "rtx_a5000", "xavier_agx", "xavier_nx"}));
  for (const std::string& id : twin_boards()) {
    const auto board = find_twin_board(id);
    ASSERT_TRUE(board.ok()) << board.error().message;
    EXPECT_TRUE(find_board_spec(id)) << id;
    EXPECT_GT(board->highest(axis::mem_mhz), 0) << id;
    EXPECT_GT(board->capacity.memory_bytes, 1e9) << id;
  }
}

TEST(TwinBoard, GridsAreThoseOfThePapers) {
  const auto modes = [](const char* id) {
    const auto board = find_twin_board(id);
    size_t count = 1;
    for (const Axis& axis : board->axes) count *= axis.values.size();
    return count;
  };
  EXPECT_EQ(modes("xavier_agx"), 8u * 29 * 14 * 9);
  // 13 clocks of JetPack 5.0 and 10 more of 5.1 and later.
  EXPECT_EQ(modes("orin_agx"), 12u * 29 * 23 * 4);
}

TEST(TwinBoard, UnknownOnesAreRefusedWithAList) {
  const auto board = find_twin_board("orin");
  ASSERT_FALSE(board.ok());
  EXPECT_EQ(board.error().code, Code::not_found);
  EXPECT_THAT(board.error().hint, HasSubstr("orin_agx"));
}

TEST(TwinBoard, FilesAreReadWithTheirKinAndRefusedByLine) {
  const std::string first =
      "id = \"a\"\n[capacity]\nmemory_gib = 1\n[twin]\ncpu_cores = [1, 2]\ncpu_mhz = [100]\n"
      "mem_mhz = [200]\nstorages = [{name = \"sd\", mb_per_s = 10, latency_ms = 1}]\n";
  const auto parse = [&](const std::string& second) {
    const std::pair<std::string, std::string> files[] = {{"a.toml", first}, {"b.toml", second}};
    return parse_twin_boards(files);
  };
  const auto boards = parse(
      "id = \"b\"\n[twin]\nlike = \"a\"\nmem_mhz = 300\n[twin.constants]\nfill = 4\n"
      "efficiency.matrix = 0.25\n");
  ASSERT_TRUE(boards.ok()) << boards.error().message;
  const TwinBoard& b = (*boards)[1];
  EXPECT_EQ(b.highest(axis::cpu_cores), 2);
  EXPECT_EQ(b.highest(axis::mem_mhz), 300);
  EXPECT_EQ(b.capacity.memory_bytes, 1024. * 1024 * 1024);
  EXPECT_EQ(b.constants.fill, 4);
  EXPECT_EQ(b.constants.efficiency[static_cast<size_t>(LayerKind::matrix)], 0.25);
  const auto complaint = [&](const std::string& text) {
    const auto refused = parse("id = \"b\"\n[twin]\nlike = \"a\"\n" + text);
    return refused.ok() ? "" : refused.error().message;
  };
  EXPECT_THAT(complaint("colour = 1\n"), HasSubstr("b.toml:4: unknown key"));
  EXPECT_THAT(complaint("memory_gib = 1\n"), HasSubstr("unknown key"));
  EXPECT_THAT(complaint("cpu_mhz = [2, 1]\n"), HasSubstr("ascending"));
  EXPECT_THAT(complaint("storages = [{name = \"sd\"}]\n"), HasSubstr("mb_per_s"));
  EXPECT_THAT(complaint("rails = [{name = \"x\", carries = [\"y\"]}]\n"),
              HasSubstr("no such part"));
  EXPECT_THAT(complaint("[twin.constants]\nfull = 1\n"), HasSubstr("unknown constant 'full'"));
  EXPECT_THAT(complaint("[twin.constants]\nfill = -1\n"), HasSubstr("between"));
}

TEST(TwinBoard, AFileOfOnesOwnIsReadLikeThoseBuiltIn) {
  const auto path = std::filesystem::path(testing::TempDir()) / "own_board.toml";
  std::ofstream(path)
      << "id = \"own\"\n[twin]\nlike = \"orin_agx\"\n[twin.constants]\nsystem_w = 1\n";
  const auto board = read_twin_board(path);
  ASSERT_TRUE(board.ok()) << board.error().message;
  EXPECT_EQ(board->id, "own");
  EXPECT_EQ(board->constants.system_w, 1);
  EXPECT_EQ(board->constants.op_kcycles, find_twin_board("orin_agx")->constants.op_kcycles);
  // Of the same board with other constants, whether it says its name or not.
  for (const char* id : {"", "id = \"orin_agx\"\n"}) {
    std::ofstream(path) << id << "[twin]\nlike = \"orin_agx\"\n[twin.constants]\nsystem_w = 1\n";
    const auto same = read_twin_board(path);
    ASSERT_TRUE(same.ok()) << same.error().message;
    EXPECT_EQ(same->id, "orin_agx");
    EXPECT_EQ(same->constants.system_w, 1);
  }
  std::ofstream(path) << "id = \"own\"\n";
  EXPECT_THAT(read_twin_board(path).error().message, HasSubstr("has no part [twin]"));
}

}  // namespace
}  // namespace flyball
