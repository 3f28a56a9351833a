// What the papers found on Xavier AGX, Xavier NX and Nano, and across machines: signs, orders,
// fronts and saturations, with the tolerance beside each. Figures: "Characterizing the Performance
// of Accelerated Jetson Edge Devices for Training DNNs" (POMACS 6(3), 2022), sections 5.1 to 5.6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "twin/calibrate.h"
#include "twin/twin.h"

namespace flyball {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Ge;
using testing::Le;

/// MHz of the modes a to j of section 5.6: cores, CPU, GPU, memory.
const std::map<char, std::array<double, 4>> modes = {
    {'a', {4, 1200, 670, 1333}},  {'b', {8, 1200, 670, 1333}},  {'c', {8, 1200, 900, 1333}},
    {'d', {8, 1200, 900, 1600}},  {'e', {8, 2100, 900, 1600}},  {'f', {2, 2100, 900, 1600}},
    {'g', {8, 2265, 1377, 2133}}, {'h', {8, 2265, 1377, 1066}}, {'i', {8, 2265, 1377, 1333}},
    {'j', {8, 2265, 1377, 1600}}};

TwinConfiguration mode(char letter) {
  const auto& [cores, cpu, gpu, mem] = modes.at(letter);
  TwinConfiguration configuration;
  configuration.mode.values = {
      {axis::cpu_cores, cores}, {axis::cpu_mhz, cpu}, {axis::gpu_mhz, gpu}, {axis::mem_mhz, mem}};
  return configuration;
}

Twin on(const std::string& board, const std::string& workload) {
  return *Twin::make(*find_twin_board(board), *known_twin_workload(workload, Phase::train));
}

/// Change of compute time in percent from one mode to another.
double compute_change(const std::string& workload, char from, char to) {
  const Twin twin = on("xavier_agx", workload);
  return 100 *
         (twin.steady(mode(to))->times.compute_ms / twin.steady(mode(from))->times.compute_ms - 1);
}

/// Stall (ms), time (ms) and energy (J) of a minibatch in later epochs, on a hard disk.
struct Costs {
  double stall = 0, time = 0, energy = 0;
};
Costs with_workers(const std::string& board, const std::string& workload, double workers,
                   double cached = 1) {
  const Twin twin = on(board, workload);
  TwinConfiguration configuration;
  configuration.loader_workers = workers;
  configuration.storage = "hdd";
  TwinOptions options;
  options.noise = false;
  options.minibatches = 200;
  options.cached = cached;
  const auto run = twin.simulate(configuration, options);
  EXPECT_TRUE(run.ok()) << run.error().message;
  Costs costs;
  for (size_t i = 50; i < 200; ++i) {
    costs.stall += run->minibatches[i].stall_ms() / 150;
    costs.time += run->minibatches[i].e2e_ms() / 150;
  }
  costs.energy = run->power.module_w * costs.time * 1e-3;
  return costs;
}

TEST(TwinFacts, E1OneWorkerHidesMostOfTheLoading) {
  // Published: MobileNetV3 on AGX: stall 285 to 13 s (of 95 %), time −48 %. Tolerance 15 points.
  const Costs inline_loading = with_workers("xavier_agx", "mobilenet_v3", 0);
  const Costs one = with_workers("xavier_agx", "mobilenet_v3", 1);
  const Costs four = with_workers("xavier_agx", "mobilenet_v3", 4);
  EXPECT_LT(one.stall, 0.35 * inline_loading.stall);
  EXPECT_NEAR(100 * (one.time / inline_loading.time - 1), -48, 15);
  EXPECT_NEAR(four.time / one.time, 1, 0.25);  // saturated: published the same
  // ResNet-18 (CIFAR-10): −2.9 %, within 3 points; LeNet: −17.7 % as a mean of three boards,
  // within 15 points.
  EXPECT_NEAR(100 * (with_workers("xavier_agx", "resnet18_cifar10", 1).time /
                         with_workers("xavier_agx", "resnet18_cifar10", 0).time -
                     1),
              -2.9, 3);
  EXPECT_NEAR(100 * (with_workers("xavier_agx", "lenet5", 1).time /
                         with_workers("xavier_agx", "lenet5", 0).time -
                     1),
              -17.7, 15);
}

TEST(TwinFacts, E1AWorkerSavesEnergyWhereLoadingIsLong) {
  // Published: MobileNetV3 −20 % on AGX and −39 % on NX from no workers to four: signs only.
  for (const char* board : {"xavier_agx", "xavier_nx"})
    EXPECT_LT(with_workers(board, "mobilenet_v3", 4).energy,
              with_workers(board, "mobilenet_v3", 0).energy)
        << board;
}

TEST(TwinFacts, E1OnNxWorkersHelpUntilFour) {
  // Published stalls with 0, 1, 2 and 4 workers: 1090, 457, 149, 21 s (nothing stays cached).
  double before = 1e9;
  for (const double workers : {0.0, 1.0, 2.0}) {
    const double stall = with_workers("xavier_nx", "mobilenet_v3", workers, 0).stall;
    EXPECT_LT(stall, 0.8 * before) << workers;
    before = stall;
  }
  EXPECT_LE(with_workers("xavier_nx", "mobilenet_v3", 4, 0).stall, before);
}

TEST(TwinFacts, E1bSetsOfFewFilesReadTheFirstEpochAsFastAsLaterOnes) {
  // Published: LeNet-5 (MNIST) and ResNet-18 (CIFAR-10) gain nothing from the page cache,
  // MobileNetV3 (a picture a file) on AGX stalls 46 s first and 13 s later. Tolerance 3 % of the
  // time.
  for (const char* workload : {"lenet5", "resnet18_cifar10"}) {
    const Costs first = with_workers("xavier_agx", workload, 4, 0);
    EXPECT_LT(first.time, 1.03 * with_workers("xavier_agx", workload, 4).time) << workload;
  }
  EXPECT_GT(with_workers("xavier_agx", "mobilenet_v3", 4, 0).time,
            1.05 * with_workers("xavier_agx", "mobilenet_v3", 4).time);
}

TEST(TwinFacts, E2StoragesAreOrderedInTheFirstEpochOnly) {
  const Twin twin = on("xavier_agx", "mobilenet_v3");
  std::map<std::string, double> cold, warm;
  for (const std::string storage : {"ssd", "sd", "hdd"}) {
    TwinConfiguration configuration;
    configuration.storage = storage;
    configuration.loader_workers = 0;
    TwinOptions options;
    options.noise = false;
    options.cached = 0;
    cold[storage] = twin.simulate(configuration, options)->median().stall_ms;
    options.cached = 1;
    warm[storage] = twin.simulate(configuration, options)->median().stall_ms;
  }
  // Published: 306, 485 and 741 s of 1443 minibatches; within 20 %.
  EXPECT_NEAR(cold["ssd"], 306e3 / 1443, 0.2 * 306e3 / 1443);
  EXPECT_NEAR(cold["sd"], 485e3 / 1443, 0.2 * 485e3 / 1443);
  EXPECT_NEAR(cold["hdd"], 741e3 / 1443, 0.2 * 741e3 / 1443);
  EXPECT_EQ(warm["ssd"], warm["hdd"]);
}

TEST(TwinFacts, E3BatchesAmortise) {
  const auto time = [](const std::string& workload, double batch) {
    TwinConfiguration configuration;
    configuration.batch_size = batch;
    return on("xavier_agx", workload).steady(configuration)->times;
  };
  // MobileNetV3, compute of a minibatch: ×1.4 from 1 to 8 and ×1.56 to 16 (within 0.45), then
  // nearly ×2 (within 0.25).
  EXPECT_NEAR(time("mobilenet_v3", 8).compute_ms / time("mobilenet_v3", 1).compute_ms, 1.4, 0.45);
  EXPECT_NEAR(time("mobilenet_v3", 16).compute_ms / time("mobilenet_v3", 8).compute_ms, 1.56, 0.45);
  for (const double batch : {16.0, 32.0, 64.0})
    EXPECT_NEAR(time("mobilenet_v3", 2 * batch).compute_ms / time("mobilenet_v3", batch).compute_ms,
                2, 0.25);
  // Stall: a minibatch's rises, an epoch's falls.
  for (const char* workload : {"lenet5", "resnet18_cifar10", "mobilenet_v3"})
    for (const double batch : {8.0, 16.0, 32.0}) {
      EXPECT_GT(time(workload, 2 * batch).stall_ms, time(workload, batch).stall_ms);
      EXPECT_LT(time(workload, 2 * batch).stall_ms, 2 * time(workload, batch).stall_ms);
    }
}

TEST(TwinFacts, E7ClocksMoveEachNetworkAsPublished) {
  // GPU 670 to 900: −22.3, −12.6 and +5 %; within 9 points.
  EXPECT_NEAR(compute_change("resnet18_cifar10", 'b', 'c'), -22.3, 9);
  EXPECT_NEAR(compute_change("mobilenet_v3", 'b', 'c'), -12.6, 9);
  EXPECT_NEAR(compute_change("lenet5", 'b', 'c'), 5, 9);
  // CPU 1200 to 2100: −2, −9.7 and −36.8 %; within 9 points.
  EXPECT_NEAR(compute_change("resnet18_cifar10", 'd', 'e'), -2, 9);
  EXPECT_NEAR(compute_change("mobilenet_v3", 'd', 'e'), -9.7, 10);
  EXPECT_NEAR(compute_change("lenet5", 'd', 'e'), -36.8, 9);
  // Memory × 2: −25.8, −28 and −33.4 %. Within 20 points; LeNet-5's is met in its sign only, see
  // docs/twin.md.
  EXPECT_NEAR(compute_change("resnet18_cifar10", 'h', 'g'), -25.8, 20);
  EXPECT_NEAR(compute_change("mobilenet_v3", 'h', 'g'), -28, 20);
  EXPECT_LT(compute_change("lenet5", 'h', 'g'), -5);
  // The CPU counts most for the smallest network.
  EXPECT_LT(compute_change("lenet5", 'd', 'e'), compute_change("mobilenet_v3", 'd', 'e'));
}

TEST(TwinFacts, E7FrontsHoldTheFastestModeAndNeverItsSlowMemory) {
  // Published fronts of (time, energy): LeNet {e, g}, ResNet {c, d, e, i, j, g}, MobileNetV3
  // {a, c, d, e, i, j, g} among a to j: g is on each and h on none. That f is on none is not met,
  // see docs/twin.md.
  for (const char* workload : {"lenet5", "resnet18_cifar10", "mobilenet_v3"}) {
    const Twin twin = on("xavier_agx", workload);
    std::vector<std::pair<double, std::pair<double, char>>> by_energy;
    for (const auto& [letter, clocks] : modes) {
      const auto steady = twin.steady(mode(letter));
      by_energy.push_back(
          {steady->power.module_w * steady->times.e2e_ms, {steady->times.e2e_ms, letter}});
    }
    std::ranges::sort(by_energy);
    std::string front;
    double best = 1e9;
    for (const auto& [energy, rest] : by_energy)
      if (rest.first < best) {
        best = rest.first;
        front += rest.second;
      }
    EXPECT_THAT(front, Contains('g')) << workload << " " << front;
    EXPECT_EQ(front.find('h'), std::string::npos) << workload << " " << front;
  }
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
