#include "space/axis_choice.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

WorkloadTable clocks() {
  WorkloadTable table;
  table.device = "board";
  table.workload = "net";
  table.space = Space({named_axis("cpu_cores"), named_axis("gpu_mhz")});
  for (double cores : {4.0, 8.0})
    for (double gpu : {300.0, 612.5, 930.0})
      if (cores == 8 || gpu < 900) table.add(std::vector<double>{cores, gpu}, 10, 5);
  return table;
}

Result<WorkloadTable> narrow(const std::vector<std::string>& texts) {
  FLYBALL_ASSIGN(const auto choices, parse_axis_choices(texts));
  return narrowed(clocks(), choices);
}

TEST(AxisChoice, IsValuesOrARange) {
  EXPECT_THAT(parse_axis_choice("batch_size=32,8,16,8")->values, ElementsAre(8, 16, 32));
  const auto range = parse_axis_choice("gpu_mhz=600..1300.5");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(*range->range, std::make_pair(600.0, 1300.5));
  EXPECT_EQ(range->text(), "gpu_mhz=600..1300.5");
  EXPECT_EQ(parse_axis_choice("n=8,4")->text(), "n=4,8");
  for (const char* bad : {"", "x", "=3", "x=", "x=3,", "x=nan", "x=inf", "x=..", "x=3..", "x=..4",
                          "x=5..4", "x=a..b", "x=1..2..3"})
    EXPECT_FALSE(parse_axis_choice(bad).ok()) << bad;
  EXPECT_THAT(parse_axis_choices(std::vector<std::string>{"x=1", "x=2"}).error().message,
              HasSubstr("given twice"));
}

TEST(AxisChoice, NarrowsATable) {
  const auto one = narrow({"cpu_cores=8"});
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one->size(), 3u);
  const auto both = narrow({"gpu_mhz=301..930", "cpu_cores=4,8"});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->size(), 3u);
  for (size_t i = 0; i < both->size(); ++i) EXPECT_GT(both->space.row(i)[1], 600);
}

TEST(AxisChoice, WhatATableLacksIsRefusedWithTheTwoNearest) {
  const auto value = narrow({"gpu_mhz=600,930"});
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().message, "the table has no gpu_mhz 600");
  EXPECT_EQ(value.error().hint, "the nearest: 300 and 612.5");
  EXPECT_EQ(narrow({"cpu_cores=16"}).error().hint, "the nearest: 8");
  EXPECT_EQ(narrow({"gpu_mhz=310..500"}).error().hint, "the nearest: 300 and 612.5");
  const auto axis = narrow({"mem_mhz=1"});
  EXPECT_THAT(axis.error().message, HasSubstr("no axis 'mem_mhz'"));
  EXPECT_EQ(axis.error().hint, "it has: cpu_cores, gpu_mhz");
  EXPECT_THAT(narrow({"cpu_cores=4", "gpu_mhz=930"}).error().message, HasSubstr("no row"));
}

TEST(AxisChoice, WhatAFileSaysCountsAsFarAsATableHasIt) {
  const auto kept = [](const std::string& text) {
    const auto all = as_far_as_there(parse_axis_choices(std::vector{text}).value(),
                                     {"gpu_mhz", "loader_workers"}, clocks());
    return all.empty() ? "" : all.front().text();
  };
  EXPECT_EQ(kept("gpu_mhz=300,500,930"), "gpu_mhz=300,930");
  EXPECT_EQ(kept("gpu_mhz=500"), "");
  EXPECT_EQ(kept("gpu_mhz=200..400"), "gpu_mhz=200..400");
  EXPECT_EQ(kept("gpu_mhz=400..500"), "");
  EXPECT_EQ(kept("loader_workers=2"), "");
  EXPECT_EQ(kept("cpu_cores=3"), "cpu_cores=3") << "which was typed";
}

TEST(AxisChoice, ARangeOpensThoseValuesOfTheBoardThatLieInIt) {
  const std::vector<Axis> board = {named_axis("cpu_cores", {1, 2, 4, 8})};
  const auto open = [&](const std::vector<std::string>& texts) -> Result<std::vector<Axis>> {
    FLYBALL_ASSIGN(const auto choices, parse_axis_choices(texts));
    return opened_axes(choices, board, OtherAxes::none);
  };
  const auto axes = open({"cpu_cores=2..7", "batch_size=8,16"});
  ASSERT_TRUE(axes.ok()) << axes.error().message;
  EXPECT_THAT((*axes)[0].values, ElementsAre(2, 4));
  EXPECT_THAT((*axes)[1].values, ElementsAre(8, 16));
  EXPECT_THAT(open({"batch_size=8..16"}).error().hint, HasSubstr("batch_size=VALUE"));
}

TEST(AxisChoice, ARangeOfNoAxisIsHintedAtByWhatWouldDo) {
  const std::vector<Axis> board = {named_axis("cpu_cores", {1, 2}), named_axis("gpu_mhz", {306})};
  const auto hint = [](std::span<const Axis> axes, OtherAxes others) {
    return opened_axes(*parse_axis_choices(std::vector<std::string>{"gpu=1..2"}), axes, others)
        .error()
        .hint;
  };
  EXPECT_EQ(hint(board, OtherAxes::none), "the board has: cpu_cores, gpu_mhz");
  EXPECT_EQ(hint(board, OtherAxes::program),
            "the board has: cpu_cores, gpu_mhz; of a setting of the program name them: "
            "--axis gpu=VALUE,VALUE,…");
  EXPECT_EQ(hint({}, OtherAxes::program), "name them: --axis gpu=VALUE,VALUE,…");
  EXPECT_THAT(hint({}, OtherAxes::none), HasSubstr("leave it out"));
}

TEST(AxisChoice, NearestAreThoseOnBothSidesOrTheOnlyOne) {
  const std::vector<double> values = {408, 510, 612.5};
  EXPECT_EQ(nearest_two(600, values), "510 and 612.5");
  EXPECT_EQ(nearest_two(100, values), "408");
  EXPECT_EQ(nearest_two(700, values), "612.5");
  EXPECT_EQ(nearest_two(700, {}), "");
}

}  // namespace
}  // namespace flyball
