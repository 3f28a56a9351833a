#include "boards/preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "boards/spec.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Axis>& axes() {
  static const std::vector<Axis> all = {named_axis(axis::cpu_cores, {1, 2, 3, 4}),
                                        named_axis(axis::gpu_mhz, {306, 408, 612})};
  return all;
}

TEST(Preset, ACapIsTheHighestListedValueThatIsNotAbove) {
  EXPECT_EQ(highest_not_above({306, 408, 612}, 612), 612);
  EXPECT_EQ(highest_not_above({306, 408, 612}, 611), 408);
  EXPECT_EQ(highest_not_above({306, 408, 612}, 9000), 612);
  EXPECT_EQ(highest_not_above({306, 408, 612}, 100), 306);
}

TEST(Preset, AnAxisThatIsNotNamedIsAtItsHighest) {
  const PowerMode mode = mode_below(axes(), {{{axis::gpu_mhz, 500}, {axis::mem_mhz, 204}}});
  EXPECT_EQ(mode.values, (Settings{{axis::cpu_cores, 4}, {axis::gpu_mhz, 408}}));
}

TEST(Preset, InForceIsTheActiveOneElseTheDefault) {
  Presets presets{{{.id = 0, .name = "MAXN"},
                   {.id = 1, .name = "15W", .is_default = true},
                   {.id = 2, .name = "30W"}},
                  {}};
  EXPECT_EQ(presets.in_force()->name, "15W");
  presets.list[2].active = true;
  EXPECT_EQ(presets.in_force()->name, "30W");
  EXPECT_EQ(Presets().in_force(), nullptr);
}

TEST(Preset, BoardsSayWhatIsKnownAndWhereFrom) {
  const Presets nano = presets_of(*find_board_spec("orin_nano"), axes());
  std::vector<std::string> names;
  for (const Preset& preset : nano.list) names.push_back(preset.name);
  EXPECT_THAT(names, ElementsAre("15W", "7W"));
  EXPECT_EQ(nano.in_force()->name, "15W");
  EXPECT_EQ(nano.list[1].mode.values, (Settings{{axis::cpu_cores, 4}, {axis::gpu_mhz, 408}}));
  EXPECT_THAT(nano.source, HasSubstr("nvpmodel"));
  EXPECT_TRUE(presets_of(*find_board_spec("xavier_nx"), axes()).list.empty());
}

TEST(Preset, FilesOfBoardsAreRefusedByLine) {
  const auto complaint = [](const std::string& text) {
    const auto spec = parse_board_spec(
        "id = \"x\"\nname = \"X\"\nmodules = [\"p1\"]\n[presets]\n" + text, "x.toml");
    return spec.ok() ? "" : spec.error().message;
  };
  EXPECT_EQ(complaint("source = \"s\"\ndefault = 1\nmodes = [{id = 1, name = \"A\"}]\n"), "");
  EXPECT_THAT(complaint("modes = [{id = 1, name = \"A\"}]\n"), HasSubstr("source or modes"));
  EXPECT_THAT(complaint("source = \"s\"\nmodes = [{name = \"A\"}]\n"), HasSubstr("id and a name"));
  EXPECT_THAT(complaint("source = \"s\"\nmodes = [{id = 1, name = \"A\", batch_size = 4}]\n"),
              HasSubstr("'batch_size' is no axis of a board"));
  EXPECT_THAT(complaint("source = \"s\"\nmodes = [{id = 1, name = \"A\", gpu_mhz = 0}]\n"),
              HasSubstr("no cap"));
  EXPECT_THAT(complaint("source = \"s\"\ndefault = 2\nmodes = [{id = 1, name = \"A\"}]\n"),
              HasSubstr("the default is none of the modes"));
}

}  // namespace
}  // namespace flyball
