#include "boards/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball {
namespace {

using testing::HasSubstr;

TEST(BoardSpec, EveryFileThatWasBuiltInReads) {
  for (const BoardText& text : board_texts()) {
    const auto spec = parse_board_spec(text.text, text.file);
    ASSERT_TRUE(spec.ok()) << spec.error().message;
    EXPECT_EQ(spec->id + ".toml", text.file);
  }
  EXPECT_EQ(board_specs().size(), board_texts().size());
  EXPECT_EQ(find_board_spec("orin_agx")->module_rails.size(), 3u);
  EXPECT_FALSE(find_board_spec("host"));
}

TEST(BoardSpec, NamesWhatItRefuses) {
  const auto complaint = [](const std::string& text) {
    const auto spec =
        parse_board_spec("id = \"x\"\nname = \"X\"\nmodules = [\"p1\"]\n" + text, "x.toml");
    return spec.ok() ? "" : spec.error().message;
  };
  EXPECT_EQ(complaint(""), "");
  EXPECT_THAT(complaint("colour = 1\n"), HasSubstr("x.toml:4: unknown key 'colour'"));
  EXPECT_THAT(complaint("models = 1\n"), HasSubstr("x.toml:4: this is no list"));
  EXPECT_THAT(complaint("last_cores = [\"a\"]\n"), HasSubstr("does not belong"));
  EXPECT_THAT(complaint("[gpu]\nfolders = [\"/sys/gpu\"]\n"), HasSubstr("no path below the root"));
  EXPECT_THAT(complaint("[memory]\nrate = \"sys/../etc\"\n"), HasSubstr("no path below the root"));
  EXPECT_THAT(complaint("[nvpmodel]\ncores = 0\n"), HasSubstr("x.toml:5: this is no number"));
  EXPECT_THAT(complaint("[nvpmodel]\ncpu = \"CPU_\"\ncores = 4\n"),
              HasSubstr("x.toml:4: cpu, cores or cores_per_cluster is missing"));
  EXPECT_THAT(complaint("[[\n"), HasSubstr("x.toml:4"));
  EXPECT_THAT(parse_board_spec("", "x.toml").error().message, HasSubstr("missing"));
}

}  // namespace
}  // namespace flyball
