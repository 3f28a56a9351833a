#include "twin/twin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "boards/capacity.h"

namespace flyball {
namespace {

using testing::HasSubstr;

Twin make_twin(const std::string& workload = "resnet18", Phase phase = Phase::train,
               const std::string& board = "orin_agx") {
  return *Twin::make(*find_twin_board(board), *known_twin_workload(workload, phase));
}

TwinConfiguration in_mode(double cores, double cpu, double gpu, double mem, double batch = 16) {
  TwinConfiguration configuration;
  configuration.mode.values = {
      {axis::cpu_cores, cores}, {axis::cpu_mhz, cpu}, {axis::gpu_mhz, gpu}, {axis::mem_mhz, mem}};
  configuration.batch_size = batch;
  return configuration;
}

TwinOptions quiet(int minibatches = 40) {
  TwinOptions options;
  options.minibatches = minibatches;
  options.noise = false;
  return options;
}

TEST(Twin, EnergyOfRailsIsPowerOverTime) {
  const Twin twin = make_twin();
  const auto run = twin.simulate(in_mode(4, 729.6, 930.75, 2133), TwinOptions{});
  ASSERT_TRUE(run.ok()) << run.error().message;
  TwinRailPower energy{};
  for (const TwinMinibatch& one : run->minibatches)
    for (size_t rail = 0; rail < energy.size(); ++rail)
      energy[rail] += one.rail_w[rail] * (one.end_s - one.begin_s);
  const double length = run->minibatches.back().end_s;
  double module = 0, monitor = 0;
  for (size_t rail = 0; rail < twin.board().rails.size(); ++rail) {
    EXPECT_NEAR(energy[rail], run->power.rail_w[rail] * length, 1e-9 * energy[rail]);
    EXPECT_GT(energy[rail], 0);
    monitor += run->power.rail_w[rail];
    if (twin.board().rails[rail].module) module += run->power.rail_w[rail];
  }
  EXPECT_DOUBLE_EQ(run->power.monitor_w, monitor);
  EXPECT_DOUBLE_EQ(run->power.module_w, module);
  EXPECT_LT(module, monitor);  // the monitor of this board counts its memory twice
}

// Bursts of three workers: 30, 3, 3 ms. A mean over one and a half of them tells less than it
// takes.
TEST(Twin, MeansAreOverWholeRoundsOfWorkers) {
  TwinRun run;
  EXPECT_EQ(run.mean_ms(3), 0);
  double now = 0;
  for (const double ms : {500.0, 30.0, 3.0, 3.0, 30.0, 3.0, 3.0, 30.0}) {
    TwinMinibatch& one = run.minibatches.emplace_back();
    one.begin_s = now;
    one.end_s = now = now + 1e-3 * ms;
  }
  EXPECT_EQ(run.whole_rounds(3), 6u);
  EXPECT_NEAR(run.mean_ms(3), 12, 1e-9);
  EXPECT_EQ(run.whole_rounds(0), 7u);
  EXPECT_EQ(run.whole_rounds(8), 7u);
}

TEST(Twin, EventsTakeAndDrawWhatTheSteadyStateSays) {
  // Two ways to the same figures: sums over rails of events, and the closed form of calibration.
  for (const char* network : {"resnet18", "mobilenet_v3", "lstm"})
    for (const auto& [cpu, gpu] : {std::pair{2201.6, 1300.5}, {729.6, 420.75}, {268.8, 930.75}}) {
      const Twin twin = make_twin(network);
      const TwinConfiguration configuration = in_mode(8, cpu, gpu, 2133);
      const auto run = twin.simulate(configuration, quiet(400));
      const auto steady = twin.steady(configuration);
      const double mean_ms = run->minibatches.back().end_s * 1e3 / 400;
      EXPECT_NEAR(mean_ms / steady->times.e2e_ms, 1, 0.03) << network << cpu;
      EXPECT_NEAR(run->power.monitor_w / steady->power.monitor_w, 1, 0.03) << network << cpu;
      EXPECT_NEAR(run->power.module_w / steady->power.module_w, 1, 0.03) << network << cpu;
    }
}

TEST(Twin, HigherClocksAndMoreCoresNeverDrawLess) {
  for (const char* network : {"resnet18", "mobilenet_v3", "lstm", "bert"}) {
    const Twin twin = make_twin(network);
    const auto watts = [&](const TwinConfiguration& c) { return twin.steady(c)->power.module_w; };
    const auto idle = [&](const TwinConfiguration& c) {
      return idle_power(twin.board(), c.mode)->module_w;
    };
    const double cores[] = {2, 4, 8, 12}, cpu[] = {268.8, 729.6, 1344, 2201.6},
                 gpu[] = {114.75, 420.75, 930.75, 1300.5}, mem[] = {204, 665.6, 2133, 3199};
    for (int i = 0; i < 3; ++i)
      for (const auto& [low, high] :
           {std::pair{in_mode(cores[i], 1344, 930.75, 2133),
                      in_mode(cores[i + 1], 1344, 930.75, 2133)},
            std::pair{in_mode(8, cpu[i], 930.75, 2133), in_mode(8, cpu[i + 1], 930.75, 2133)},
            std::pair{in_mode(8, 1344, gpu[i], 2133), in_mode(8, 1344, gpu[i + 1], 2133)},
            std::pair{in_mode(8, 1344, 930.75, mem[i]), in_mode(8, 1344, 930.75, mem[i + 1])}}) {
        EXPECT_LE(watts(low), watts(high)) << network;
        EXPECT_LT(idle(low), idle(high)) << network;
        EXPECT_LT(idle(low), watts(low)) << network;
      }
  }
}

TEST(Twin, NothingFinishesBeforeItsInputs) {
  for (const double workers : {0.0, 1.0, 4.0}) {
    auto configuration = in_mode(4, 422.4, 1300.5, 3199);
    configuration.loader_workers = workers;
    const auto run = make_twin().simulate(configuration, TwinOptions{});
    ASSERT_TRUE(run.ok());
    double end = 0;
    for (const TwinMinibatch& one : run->minibatches) {
      EXPECT_EQ(one.begin_s, end);
      EXPECT_GE(one.ready_s, one.begin_s);
      EXPECT_GE(one.end_s, one.ready_s);
      EXPECT_NEAR(one.e2e_ms(), one.stall_ms() + one.compute_ms, 1e-6);
      end = one.end_s;
    }
  }
}

TEST(Twin, TheSameSeedGivesTheSameRunAndAnotherDoesNot) {
  const Twin twin = make_twin();
  const auto times = [&](uint64_t seed) {
    TwinOptions options;
    options.seed = seed;
    std::vector<double> ends;
    const auto run = twin.simulate(in_mode(8, 1344, 930.75, 2133), options);
    for (const TwinMinibatch& one : run->minibatches) ends.push_back(one.end_s);
    return ends;
  };
  EXPECT_EQ(times(1), times(1));
  EXPECT_NE(times(1), times(2));
}

TEST(Twin, HigherClocksAndMoreCoresNeverTakeLonger) {
  for (const char* network : {"resnet18", "mobilenet_v3", "lstm", "bert"}) {
    const Twin twin = make_twin(network);
    const auto time = [&](const TwinConfiguration& c) { return twin.steady(c)->times.e2e_ms; };
    const double cores[] = {2, 4, 8, 12}, cpu[] = {268.8, 729.6, 1344, 2201.6},
                 gpu[] = {114.75, 420.75, 930.75, 1300.5}, mem[] = {204, 665.6, 2133, 3199};
    for (int i = 0; i < 3; ++i) {
      EXPECT_GE(time(in_mode(cores[i], 1344, 930.75, 2133)) * 1.001,
                time(in_mode(cores[i + 1], 1344, 930.75, 2133)))
          << network << " cores";
      EXPECT_GE(time(in_mode(8, cpu[i], 930.75, 2133)), time(in_mode(8, cpu[i + 1], 930.75, 2133)))
          << network << " cpu";
      EXPECT_GE(time(in_mode(8, 1344, gpu[i], 2133)), time(in_mode(8, 1344, gpu[i + 1], 2133)))
          << network << " gpu";
      EXPECT_GE(time(in_mode(8, 1344, 930.75, mem[i])), time(in_mode(8, 1344, 930.75, mem[i + 1])))
          << network << " mem";
    }
  }
}

// MobileNetV3's many small kernels of a step cannot all be launched while the GPU is still behind,
// so it follows the CPU's clock; ResNet-18's can.
TEST(Twin, LaunchesRunAheadOfTheGpuByAQueue) {
  const auto minibatch_s = [](const std::string& workload, double queue, double cpu) {
    TwinBoard board = *find_twin_board("xavier_agx");
    board.constants.queue = queue;
    const Twin twin = *Twin::make(board, *known_twin_workload(workload, Phase::train));
    return twin.steady(in_mode(8, cpu, 905.25, 1600))->times.compute_ms;
  };
  for (const char* workload : {"resnet18", "mobilenet_v3"}) {
    double last = 0;
    for (const double queue : {1e6, 1000.0, 400.0, 200.0, 50.0, 1.0}) {
      const double now = minibatch_s(workload, queue, 2112);
      EXPECT_GE(now, last) << workload << ' ' << queue;  // fewer ahead never take less
      last = now;
    }
    EXPECT_GT(last, 1.1 * minibatch_s(workload, 1e6, 2112)) << workload;
  }
  const auto gain = [&](const std::string& workload, double queue) {
    return minibatch_s(workload, queue, 1190.4) / minibatch_s(workload, queue, 2112) - 1;
  };
  EXPECT_LT(gain("mobilenet_v3", 1e6), 0.01);
  EXPECT_GT(gain("mobilenet_v3", 400), 0.03);
  EXPECT_LT(gain("resnet18", 400), 0.02);
}

TEST(Twin, BiggerBatchesTakeLongerAndLessForEachSample) {
  const Twin twin = make_twin("resnet50", Phase::infer);
  double before = 0, each_before = INFINITY;
  for (const double batch : {1, 4, 16, 32, 64}) {
    const double time = twin.steady(in_mode(12, 2201.6, 1300.5, 3199, batch))->times.compute_ms;
    EXPECT_GT(time, before) << batch;
    EXPECT_LT(time / batch, each_before) << batch;
    before = time;
    each_before = time / batch;
  }
}

TEST(Twin, WithoutBytesOrPreparationNothingIsWaitedFor) {
  TwinWorkload workload = *known_twin_workload("resnet18", Phase::train);
  workload.data.preprocess_mcycles = workload.data.sample_bytes = workload.data.input_bytes = 0;
  TwinBoard board = *find_twin_board("orin_agx");
  board.constants.fetch_kcycles = board.constants.sample_kcycles = 0;
  auto options = quiet();
  options.cached = 0;
  for (TwinStorage& storage : board.storages) storage.latency_ms = 0;
  const auto run =
      Twin::make(board, workload)->simulate(in_mode(12, 2201.6, 1300.5, 3199), options);
  ASSERT_TRUE(run.ok());
  for (const TwinMinibatch& one : run->minibatches) EXPECT_EQ(one.stall_ms(), 0);
}

TEST(Twin, AnInfinitelyFastMemoryLeavesArithmetic) {
  TwinBoard board = *find_twin_board("orin_agx");
  board.constants.traffic.fill(1e-12);
  board.constants.kernel_us = board.constants.kernel_cycles = board.constants.fill = 0;
  board.constants.op_kcycles = board.constants.backward_kcycles = 0;
  board.constants.kernel_kcycles = board.constants.step_kcycles = 0;
  board.constants.efficiency.fill(1);
  const auto steady = Twin::make(board, *known_twin_workload("resnet18", Phase::train))
                          ->steady(in_mode(12, 2201.6, 1300.5, 3199));
  // All that is left is FLOP over the peak: three passes of 1.8 GFLOP (multiply-adds) a sample.
  const double peak = 2.0 * 2048 * 1300.5e6;
  EXPECT_NEAR(steady->times.compute_ms, 3 * 16 * 3.63e9 / peak * 1e3, 2);
  EXPECT_NEAR(steady->use.gpu_math, steady->times.compute_ms / steady->times.e2e_ms, 0.01);
}

TEST(Twin, MemoryIsFinite) {
  const Twin small = make_twin("vgg11", Phase::train, "nano");
  auto configuration = TwinConfiguration{};
  configuration.batch_size = 128;
  const auto run = small.simulate(configuration, TwinOptions{});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, Code::infeasible);
  EXPECT_THAT(run.error().message,
              HasSubstr("vgg11 does not fit nano: batch_size 128 with 4 loader_workers needs "));
  EXPECT_TRUE(make_twin("vgg11").simulate(configuration, quiet(2)).ok());
}

TEST(Twin, TheFirstEpochReadsStorageAndLaterOnesTheCache) {
  TwinWorkload workload = *known_twin_workload("mobilenet_v3", Phase::train);
  workload.data.samples = 320;
  const Twin twin = *Twin::make(*find_twin_board("xavier_agx"), workload);
  auto options = quiet(40);
  options.cached = 0;
  const auto stall = [&](const char* storage) {
    TwinConfiguration configuration;
    configuration.storage = storage;
    configuration.loader_workers = 0;
    const auto run = twin.simulate(configuration, options);
    EXPECT_TRUE(run->minibatches[19].cold);
    EXPECT_FALSE(run->minibatches[20].cold);
    EXPECT_EQ(run->cached, 1);
    return std::pair(run->minibatches[10].stall_ms(), run->minibatches[30].stall_ms());
  };
  const auto ssd = stall("ssd"), sd = stall("sd"), hdd = stall("hdd");
  EXPECT_LT(ssd.first, sd.first);
  EXPECT_LT(sd.first, hdd.first);
  EXPECT_NEAR(ssd.second, hdd.second, 1e-6);
  EXPECT_LT(hdd.second, ssd.first);
}

TEST(Twin, AnEpochLeavesWhatItReadInTheCacheAsFarAsThereIsRoom) {
  TwinWorkload workload = *known_twin_workload("mobilenet_v3", Phase::train);
  workload.data.samples = 330;  // not a whole number of batches
  const Twin twin = *Twin::make(*find_twin_board("xavier_agx"), workload);
  const auto cached_after = [&](double most, int batches) {
    auto options = quiet();
    options.cached = 0;
    options.most_cached = most;
    auto stream = *twin.stream(TwinConfiguration{}, options);
    for (int i = 0; i < batches; ++i) EXPECT_TRUE(stream.next().cold) << i;
    stream.end_epoch();
    return stream.cached();
  };
  EXPECT_NEAR(cached_after(1, 20), 320.0 / 330, 1e-12);
  EXPECT_NEAR(cached_after(1, 5), 80.0 / 330, 1e-12);
  EXPECT_NEAR(cached_after(0.25, 20), 0.25, 1e-12);
  EXPECT_EQ(cached_after(1, 0), 0);
}

// What was read last is kept, and each epoch takes another order: c + (1 − c)·ln(1 − c), which is
// what drawing the orders gives (`caches.md`).
TEST(Twin, APageCacheThatDoesNotHoldTheSetHitsLessThanItHolds) {
  const Twin twin = make_twin("mobilenet_v3", Phase::train, "xavier_agx");
  for (const auto& [room, hits] : {std::pair{0.75, 0.403}, {0.5, 0.153}, {0.25, 0.034}}) {
    auto options = quiet();
    options.cached = 0;
    options.most_cached = room;
    auto stream = *twin.stream(TwinConfiguration{}, options);
    EXPECT_EQ(stream.hits(), 0) << "it was dropped";
    const double samples = twin.workload().data.samples;
    for (double seen = 0; seen < samples; seen += 16) stream.next();
    EXPECT_NEAR(stream.cached(), room, 1e-12);
    EXPECT_NEAR(stream.hits(), hits, 1e-3);
    EXPECT_TRUE(stream.next().cold);
  }
}

// The figures are those of `describe` (boards/capacity.h), and the system has its part beside one
// role and beside two.
TEST(Twin, MemoryIsThatOfTheBoardsCapacity) {
  for (const std::string& id : twin_boards()) {
    const TwinBoard board = *find_twin_board(id);
    const BoardCapacity capacity = *board_capacity(id);
    EXPECT_EQ(board.capacity.left_bytes(), capacity.left_bytes()) << id;
  }
  const Twin train = make_twin("mobilenet_v3", Phase::train, "orin_nano");
  const Twin serve = make_twin("mobilenet_v3", Phase::infer, "orin_nano");
  TwinBoard small = *find_twin_board("orin_nano");
  // Each process has LibTorch.
  const double both = train.memory({}).needed_bytes + serve.memory({}).needed_bytes +
                      2 * small.capacity.libtorch_bytes;
  for (const double left : {-1e6, 1e6}) {
    small.capacity.memory_bytes = both + small.capacity.system_bytes + left;
    const Twin one = *Twin::make(small, train.workload()),
               other = *Twin::make(small, serve.workload());
    EXPECT_TRUE(one.steady({}).ok());
    EXPECT_EQ(simulate_pair(one, {}, other, {}, {.seconds = 1}).ok(), left > 0) << left;
  }
}

// Not a power of two, and whoever asks: the last that runs.
TEST(Twin, TheLargestBatchIsTheLastThatRuns) {
  for (const char* network : {"resnet18", "bert_base", "yolo_v8n"}) {
    const Twin twin = make_twin(network, Phase::train, "orin_nano");
    TwinConfiguration configuration;
    const int64_t largest = twin.memory(configuration).largest_batch;
    ASSERT_GT(largest, 0) << network;
    configuration.batch_size = static_cast<double>(largest);
    EXPECT_TRUE(twin.steady(configuration).ok()) << network;
    EXPECT_TRUE(twin.memory(configuration).fits()) << network;
    configuration.batch_size += 1;
    EXPECT_FALSE(twin.memory(configuration).fits()) << network;
    EXPECT_THAT(twin.steady(configuration).error().message,
                HasSubstr(twin.memory(configuration)
                              .text_of(configuration.batch_size, twin.workload().loader_workers)))
        << network;
  }
}

TEST(Twin, WithoutAGpuAllCoresComputeAndDraw) {
  const Twin twin = make_twin("resnet18", Phase::train, "rpi5");
  TwinConfiguration one, all;
  one.mode.values[axis::cpu_cores] = 1;
  const auto alone = twin.steady(one), together = twin.steady(all);
  EXPECT_NEAR(alone->use.cpu_cores, 1, 0.05);
  EXPECT_NEAR(together->use.cpu_cores, 4, 0.4);
  EXPECT_LT(together->times.e2e_ms, 0.5 * alone->times.e2e_ms);
  const double busy_w = twin.board().constants.cpu_busy_w;
  EXPECT_GT(together->power.monitor_w, alone->power.monitor_w + 2.5 * busy_w);
}

TEST(Twin, BadUseIsNamed) {
  const Twin twin = make_twin();
  const auto complaint = [&](const TwinConfiguration& configuration) {
    const auto run = twin.simulate(configuration, TwinOptions{});
    return run.ok() ? std::string() : run.error().message;
  };
  EXPECT_EQ(complaint(TwinConfiguration{}), "");
  EXPECT_THAT(complaint(in_mode(13, 2201.6, 1300.5, 3199)), HasSubstr("cpu_cores 13"));
  EXPECT_THAT(complaint(in_mode(12, 5000, 1300.5, 3199)), HasSubstr("cpu_mhz 5000"));
  EXPECT_THAT(complaint(in_mode(12, 2201.6, 1300.5, 3199, 0.5)), HasSubstr("0.5 samples"));
  auto configuration = TwinConfiguration{};
  configuration.storage = "tape";
  EXPECT_THAT(complaint(configuration), HasSubstr("tape"));
  configuration = {};
  configuration.mode.values["power_limit_w"] = 30;
  EXPECT_THAT(complaint(configuration), HasSubstr("power_limit_w"));
  EXPECT_EQ(known_twin_workload("gpt", Phase::train).error().code, Code::not_found);
  EXPECT_FALSE(Twin::make(twin.board(), TwinWorkload{}).ok());
}

TEST(Twin, OneTableServesItsOwnBatchSize) {
  TwinWorkload workload = *known_twin_workload("resnet18", Phase::train);
  workload.layers.pop_back();
  const Twin twin = *Twin::make(*find_twin_board("orin_agx"), workload);
  TwinConfiguration configuration;
  configuration.batch_size = 8;
  EXPECT_TRUE(twin.steady(configuration).ok());
  configuration.batch_size = 16;
  EXPECT_THAT(twin.steady(configuration).error().message, HasSubstr("batch size 8 only"));
}

TEST(Twin, HeatAddsLeakageUntilItSettles) {
  const Twin twin = make_twin();
  auto options = quiet(2000);
  options.thermal = true;
  const auto cold = twin.simulate(TwinConfiguration{}, options);
  const auto watts = [&](const TwinRun& run, size_t minibatch) {
    return twin_power(twin.board(), run.minibatches[minibatch].rail_w).module_w;
  };
  EXPECT_GT(watts(*cold, 1999), 1.05 * watts(*cold, 10));
  // Once it is warm it draws what it does where heat is not followed: that is what was measured.
  options = quiet(10000);
  const auto warm = twin.simulate(TwinConfiguration{}, options);
  options.thermal = true;
  const auto warmed = twin.simulate(TwinConfiguration{}, options);
  EXPECT_NEAR(watts(*warmed, 9999) / watts(*warm, 9999), 1, 0.002);
  options.ambient_c = 45;
  const auto hot = twin.simulate(TwinConfiguration{}, options);
  EXPECT_GT(watts(*hot, 9999), 1.01 * watts(*warm, 9999));
}

TEST(TwinPair, InterleavedTimesAddUpAndPowerIsTheHungrierRoles) {
  const Twin train = make_twin("resnet18"), serve = make_twin("lstm", Phase::infer);
  TwinConfiguration training, serving;
  serving.batch_size = 32;
  TwinPairOptions options;
  options.noise = false;
  options.arrival_per_s = 60;
  const auto pair = simulate_pair(train, training, serve, serving, options);
  ASSERT_TRUE(pair.ok()) << pair.error().message;
  const auto alone = train.steady(training), served = serve.steady(serving);
  // What is left of a window of 32 requests for whole training minibatches.
  const double window_ms = 32 / 60.0 * 1e3;
  const double most = (window_ms - served->times.e2e_ms) / alone->times.e2e_ms;
  EXPECT_LE(pair->train_per_s, most / window_ms * 1e3 + 0.2);
  EXPECT_GT(pair->train_per_s, (most - 2) / window_ms * 1e3);
  ASSERT_FALSE(pair->latency_ms.empty());
  // The oldest request waits for the other 31, then for the answer.
  for (const double latency : pair->latency_ms) EXPECT_GT(latency, 31 / 60.0 * 1e3);
  EXPECT_NEAR(pair->peak.monitor_w, alone->power.monitor_w, 0.1 * alone->power.monitor_w);
  EXPECT_LT(pair->peak.module_w, pair->peak.monitor_w);
  EXPECT_LT(pair->power.monitor_w, pair->peak.monitor_w);
}

// A cold first minibatch takes longer than a whole window; those after it fit.
TEST(TwinPair, AColdStartDoesNotStarveTheTraining) {
  const Twin train = make_twin("resnet18"), serve = make_twin("mobilenet_v3", Phase::infer);
  TwinConfiguration training, serving;
  serving.batch_size = 8;
  TwinPairOptions options;
  options.noise = false;
  options.arrival_per_s = 60;
  const auto pair = simulate_pair(train, training, serve, serving, options);
  ASSERT_TRUE(pair.ok()) << pair.error().message;
  const double window_s = 8 / 60.0;
  EXPECT_GT(pair->train.minibatches.front().e2e_ms() * 1e-3, window_s);
  EXPECT_GT(pair->train_per_s, 0.9 / window_s) << "one in each window at least";
}

TEST(TwinPair, LoadersGoOnWhileTheOtherRoleComputes) {
  // MobileNetV3's batches take longer to load than to be answered; between two there is time
  // enough.
  const Twin train = make_twin("lstm"), serve = make_twin("mobilenet_v3", Phase::infer);
  TwinPairOptions options;
  options.noise = false;
  options.arrival_per_s = 60;
  const auto pair = simulate_pair(train, TwinConfiguration{}, serve, TwinConfiguration{}, options);
  const auto alone = serve.simulate(TwinConfiguration{}, quiet(100));
  const double mean_ms = alone->minibatches.back().end_s * 1e3 / 100;
  const double compute_ms = serve.steady(TwinConfiguration{})->times.compute_ms;
  EXPECT_LT(pair->serve.minibatches[5].e2e_ms(), 0.8 * mean_ms);
  EXPECT_GE(pair->serve.minibatches[5].e2e_ms(), compute_ms);
}

TEST(TwinPair, RequestsThatComeTooFastAreLateAndOthersAreNot) {
  const Twin train = make_twin("resnet18"), serve = make_twin("resnet50", Phase::infer);
  const auto late = [&](double per_s) {
    TwinPairOptions options;
    options.noise = false;
    options.arrival_per_s = per_s;
    return simulate_pair(train, TwinConfiguration{}, serve, TwinConfiguration{}, options)->late;
  };
  const double most = 16e3 / serve.steady(TwinConfiguration{})->times.e2e_ms;
  EXPECT_EQ(late(0.3 * most), 0);
  // Within 10 s a third of those above what can be served stays behind.
  EXPECT_NEAR(late(1.5 * most), 0.5 * most * 10, 0.15 * most * 10);
}

TEST(TwinPair, SharedRolesSlowEachOther) {
  const Twin train = make_twin("resnet18"), serve = make_twin("resnet50", Phase::infer);
  TwinConfiguration training, serving;
  TwinPairOptions options;
  options.noise = false;
  options.sharing = TwinSharing::shared;
  const auto pair = simulate_pair(train, training, serve, serving, options);
  ASSERT_TRUE(pair.ok());
  EXPECT_LT(pair->train_per_s, 1e3 / train.steady(training)->times.e2e_ms);
  EXPECT_GT(pair->serve.minibatches.size(), 10u);
  const double served = serve.steady(serving)->times.e2e_ms;
  EXPECT_GT(pair->serve.minibatches[5].e2e_ms(), served);
}

TEST(TwinPair, BothNeedMemoryTogether) {
  const Twin train = make_twin("mobilenet_v3", Phase::train, "orin_nano");
  const Twin serve = make_twin("resnet50", Phase::infer, "orin_nano");
  TwinConfiguration training, serving;
  training.batch_size = 64;
  EXPECT_TRUE(train.steady(training).ok());
  EXPECT_TRUE(serve.steady(serving).ok());
  const auto pair = simulate_pair(train, training, serve, serving, TwinPairOptions{});
  ASSERT_FALSE(pair.ok());
  EXPECT_EQ(pair.error().code, Code::infeasible);
}

}  // namespace
}  // namespace flyball
