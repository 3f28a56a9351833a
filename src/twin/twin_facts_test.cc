// What boards draw and how machines compare: orders and ranges, with the tolerance beside each.
// What the study of Jetson training found is a file of its own (studies/, findings).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "twin/twin.h"

namespace flyball {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

Twin on(const std::string& board, const std::string& workload) {
  return *Twin::make(*find_twin_board(board), *known_twin_workload(workload, Phase::train));
}

TEST(TwinFacts, EachBoardDrawsWhatItsKindDoes) {
  // W of the module (of a card: of its GPU and memory), from the thriftiest preset, half of it at
  // rest, to the highest as sold; Xavier AGX: MAXN 36.4 W published, Orin AGX: 51.1 W by a monitor
  // that counts memory twice.
  struct Range {
    const char* board;
    double least, most;
  };
  const Range ranges[] = {{"nano", 2.5, 10},      {"xavier_nx", 5, 20}, {"xavier_agx", 5, 40},
                          {"orin_nano", 3.5, 15}, {"orin_nx", 5, 25},   {"orin_agx", 7.5, 60},
                          {"rpi5", 2, 12},        {"rtx3090", 50, 350}, {"rtx_a5000", 40, 230}};
  for (const Range& range : ranges) {
    const TwinBoard board = *find_twin_board(range.board);
    TwinConfiguration configuration;
    configuration.batch_size = 4;  // fits everywhere
    for (const char* workload : {"resnet18", "mobilenet_v3"}) {
      const auto steady = on(range.board, workload).steady(configuration);
      ASSERT_TRUE(steady.ok()) << steady.error().message;
      EXPECT_THAT(steady->power.module_w, AllOf(Ge(range.least), Le(range.most)))
          << workload << " on " << range.board;
    }
    const auto idle = idle_power(board, PowerMode());
    EXPECT_THAT(idle->module_w, AllOf(Ge(0.3 * range.least), Le(0.6 * range.most))) << range.board;
  }
}

TEST(TwinFacts, AcrossMachinesTheOrderOfEachNetworkIsRight) {
  // Logged minibatches (ms), batch 16, four workers: RTX 3090, RTX A5000, AGX Orin, Raspberry Pi 5.
  struct Logged {
    const char* workload;
    std::array<double, 4> ms;
  };
  const Logged logged[] = {{"resnet18", {15.52, 22.65, 58.64, 6369}},
                           {"mobilenet_v3", {20.06, 34.34, 97.1, 7770}},
                           {"lstm", {2.5, 5.49, 10.34, 561}}};
  const char* boards[] = {"rtx3090", "rtx_a5000", "orin_agx", "rpi5"};
  for (const Logged& one : logged) {
    double before = 0;
    for (size_t i = 0; i < 4; ++i) {
      const auto steady = on(boards[i], one.workload).steady(TwinConfiguration{});
      ASSERT_TRUE(steady.ok()) << steady.error().message;
      const double time = steady->times.e2e_ms;
      EXPECT_GT(time, before) << one.workload << " on " << boards[i];
      EXPECT_THAT(time / one.ms[i], AllOf(Ge(1 / 1.5), Le(1.5)))
          << one.workload << " on " << boards[i];
      before = time;
    }
  }
}

}  // namespace
}  // namespace flyball
