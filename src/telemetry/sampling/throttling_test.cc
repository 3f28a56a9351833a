#include "telemetry/sampling/throttling.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

TEST(Throttling, IsSeenInTheWindowOnly) {
  Trace gpu, cpu;
  gpu.info = {.name = "gpu1_throttle", .unit = "bits", .throttling = Throttling::gpu_bits};
  gpu.samples = {{10, 0x20}, {20, 0x4}, {30, 0x1}, {40, 0x48}};
  cpu.info = {.name = "cpu_throttle",
              .unit = "1",
              .kind = SensorKind::counter,
              .throttling = Throttling::cpu_events};
  cpu.samples = {{10, 3}, {20, 5}, {30, 5}, {40, 5}};
  EXPECT_THAT(throttling_between({gpu, cpu}, 15, 35), Optional(IsEmpty()));
  EXPECT_THAT(throttling_between({gpu, cpu}, 0, 25),
              Optional(ElementsAre("gpu1 thermal slowdown", "cpu thermal slowdown")));
  EXPECT_THAT(throttling_between({gpu}, 0, 50), Optional(ElementsAre("gpu1 thermal slowdown")));
}

TEST(Throttling, OverCurrentIsNoHeat) {
  Trace current;
  current.info = {.name = "over_current",
                  .unit = "1",
                  .kind = SensorKind::counter,
                  .throttling = Throttling::over_current_events};
  current.samples = {{10, 0}, {20, 1}};
  EXPECT_THAT(throttling_between({current}, 0, 25), Optional(ElementsAre("over-current")));
}

TEST(Throttling, IsNotKnownWhereASensorWasNotRead) {
  Trace cpu;
  cpu.info = {.name = "cpu_throttle",
              .unit = "1",
              .kind = SensorKind::counter,
              .throttling = Throttling::cpu_events};
  EXPECT_EQ(throttling_between({}, 0, 25), std::nullopt);
  EXPECT_EQ(throttling_between({cpu}, 0, 25), std::nullopt);
  Trace gpu = cpu;
  gpu.info = {.name = "gpu0_throttle", .unit = "bits", .throttling = Throttling::gpu_bits};
  gpu.samples = {{10, 0x4}, {40, 0x40}};
  EXPECT_EQ(throttling_between({cpu, gpu}, 0, 25), std::nullopt);
  EXPECT_THAT(throttling_between({cpu, gpu}, 0, 50),
              Optional(ElementsAre("gpu0 thermal slowdown")));
}

TEST(Throttling, OfStretchesIsKnownWhereEachIsOrOneHasThrottled) {
  ThrottlingSum sum;
  EXPECT_EQ(sum.told(), std::nullopt);
  sum.add(std::vector<std::string>());
  EXPECT_THAT(sum.told(), Optional(IsEmpty()));
  sum.add(std::nullopt);
  EXPECT_EQ(sum.told(), std::nullopt);
  sum.add(std::vector<std::string>{"over-current"});
  sum.add(std::vector<std::string>{"over-current"});
  EXPECT_THAT(sum.told(), Optional(ElementsAre("over-current")));
}

}  // namespace
}  // namespace flyball
