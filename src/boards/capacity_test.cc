#include "boards/capacity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "boards/spec.h"

namespace flyball {
namespace {

using testing::HasSubstr;

TEST(BoardCapacity, EveryBoardHasOneWithItsSources) {
  for (const BoardSpec& spec : board_specs()) {
    const auto capacity = board_capacity(spec.id);
    ASSERT_TRUE(capacity.ok()) << capacity.error().message;
    EXPECT_GT(capacity->left_bytes(), 1e9) << spec.id;
    EXPECT_GE(capacity->sources.size(), 3u) << spec.id;
  }
  EXPECT_EQ(board_capacity("orin_agx")->memory_bytes, 64 * 1024.0 * 1024 * 1024);
}

TEST(BoardCapacity, NamesWhatItRefuses) {
  EXPECT_THAT(board_capacity("toaster").error().hint, HasSubstr("orin_agx"));
  const auto complaint = [](const std::string& text) {
    const auto capacity = parse_board_capacity(text, "x.toml");
    return capacity.ok() ? "" : capacity.error().message;
  };
  const std::string figures = "[capacity]\nmemory_gib = 4\nsystem_gib = 1\nlibtorch_gib = 1\n";
  EXPECT_EQ(complaint(figures + "sources = [\"a data sheet\"]\n"), "");
  EXPECT_THAT(complaint(figures), HasSubstr("x.toml:1: sources are missing"));
  EXPECT_THAT(complaint(""), HasSubstr("[capacity] is missing"));
  EXPECT_THAT(complaint("[capacity]\nmemory_gib = -1\n"),
              HasSubstr("memory_gib is out of range or no number"));
  EXPECT_THAT(complaint("[capacity]\nmemory_gib = 1\nsystem_gib = 1\nlibtorch_gib = 1\n"),
              HasSubstr("more is taken"));
  EXPECT_THAT(complaint("[[\n"), HasSubstr("x.toml"));
}

}  // namespace
}  // namespace flyball
