#include "twin/individual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/statistics.h"
#include "twin/twin.h"

namespace flyball {
namespace {

struct Boards {
  std::vector<double> ms, w, ratio;  ///< ratio: time at the lowest GPU clock by that at the highest
};

Boards steady_boards(size_t count) {
  Boards boards;
  const TwinBoard kind = *find_twin_board("orin_nano");
  for (size_t number = 1; number <= count; ++number) {
    const Twin twin =
        *Twin::make(individual_board(kind, number), *known_twin_workload("resnet18", Phase::train));
    TwinConfiguration slow;
    slow.mode.values[axis::gpu_mhz] = find_axis(kind.axes, axis::gpu_mhz)->values.front();
    const auto high = *twin.steady({}), low = *twin.steady(slow);
    boards.ms.push_back(high.times.e2e_ms);
    boards.w.push_back(twin_total_w(kind, high.power));
    boards.ratio.push_back(low.times.e2e_ms / high.times.e2e_ms);
  }
  return boards;
}

double spread(const std::vector<double>& values) {
  return standard_deviation(values) / mean(values);
}

TEST(IndividualBoard, IsAlwaysTheSameAndAnotherForEachNumber) {
  const TwinBoard kind = *find_twin_board("orin_nano");
  const auto text = [&](uint64_t number) {
    return format_twin_constants(individual_board(kind, number).constants);
  };
  EXPECT_EQ(text(0), format_twin_constants(kind.constants));
  EXPECT_EQ(text(17), text(17));
  EXPECT_NE(text(17), text(18));
  EXPECT_NE(text(17), text(0));
}

TEST(IndividualBoard, SpreadIsThatOfTheStudyAndNotOneFactor) {
  const Boards boards = steady_boards(60);
  EXPECT_GT(spread(boards.ms), 0.01);
  EXPECT_LT(spread(boards.ms), 0.08);
  EXPECT_GT(spread(boards.w), 0.01);
  EXPECT_LT(spread(boards.w), 0.09);
  // Were it one factor, the ratio between two modes would be that of the kind on each of them.
  EXPECT_GT(spread(boards.ratio), 0.002);
}

TEST(IndividualBoard, NamesAreReadStrictly) {
  EXPECT_EQ(parse_individual("orin_nano@17")->number, 17u);
  EXPECT_EQ(parse_individual("orin_nano@17")->kind, "orin_nano");
  EXPECT_EQ(parse_individual("orin_nano")->number, 0u);
  for (const char* wrong : {"orin_nano@", "orin_nano@0", "orin_nano@-1", "orin_nano@1000001",
                            "orin_nano@1x", "orin_nano@1@2"})
    EXPECT_FALSE(parse_individual(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace flyball
