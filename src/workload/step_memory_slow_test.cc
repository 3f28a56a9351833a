// Memory of whole networks, told beforehand, against what the allocator and the kernel count.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "workload/step_memory.h"
#include "workload/step_memory_testing.h"
#include "workload/workload.h"

namespace flyball {
namespace {

struct Case {
  const char* network;
  int64_t samples;
};

// Bytes of a line of /proc/self/status.
double status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":")) return 1024 * std::atof(line.c_str() + key.size() + 1);
  return 0;
}

// Two steps; the bytes of the minibatch, or nothing.
double run(const Case& what, double* peak) {
  StepOptions options;
  options.batch_size = what.samples;
  const auto stepper = make_stepper(what.network, options);
  if (!stepper.ok()) return 0;
  BatchMaker draw = drawn_batches();
  BatchView batch;
  CountedMemory counted;
  for (int step = 0; step < 2; ++step) {
    batch = *draw(**stepper, what.samples);
    counted.forget_peak();
    if (!(*stepper)->step(batch).ok()) return 0;
  }
  if (peak) *peak = counted.peak() - counted.live();
  double bytes = 0;
  for (const TensorView& tensor : batch.tensors)
    bytes +=
        static_cast<double>(tensor.shape.elements() * (tensor.dtype == DType::float32 ? 4 : 8));
  return bytes;
}

// In a process of its own: what LibTorch takes for itself is there after a step of a small network.
[[noreturn]] void compare(const Case& what) {
  const auto small = run({"lenet5", 4}, nullptr);
  const double before = status_bytes("VmRSS");
  double counted = 0;
  const double minibatch = run(what, &counted);
  const double resident = status_bytes("VmHWM") - before;
  const auto model = measure_memory(what.network, {}, drawn_batches());
  if (small == 0 || minibatch == 0 || !model.ok()) std::_Exit(1);
  const MemoryUse peak = model->peak(static_cast<double>(what.samples));
  // The weights were there when counting began.
  const double during = peak.total() - model->smaller().at(0).total();
  const double told = model->kept(static_cast<double>(what.samples)) + minibatch;
  std::fprintf(stderr,
               "%s at %d: peak %.1f MB; told %.1f MB, resident %.1f MB (%+.1f %%); beside weights "
               "told %.1f MB, "
               "allocator %.1f MB (%+.1f %%)%s\n",
               what.network, static_cast<int>(what.samples), peak.total() / 1e6, told / 1e6,
               resident / 1e6, 100 * (told / resident - 1), during / 1e6, counted / 1e6,
               100 * (during / counted - 1), model->by_block() ? "" : ", by parts");
  const bool near = std::abs(during / counted - 1) <= 0.05 && resident > 500e6 &&
                    std::abs(told / resident - 1) <= 0.15;
  std::_Exit(near ? 0 : 2);
}

class StepMemoryDeathTest : public testing::TestWithParam<Case> {};

TEST_P(StepMemoryDeathTest, IsToldWithinFivePercentOfTheAllocatorAndFifteenOfTheKernel) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a child begun anew, without our heap
  EXPECT_EXIT(compare(GetParam()), testing::ExitedWithCode(0), "told");
}

INSTANTIATE_TEST_SUITE_P(Networks, StepMemoryDeathTest,
                         testing::Values(Case{"resnet18", 24}, Case{"mobilenet_v3", 16},
                                         Case{"vgg11", 8}, Case{"lstm", 96}, Case{"bert_base", 8},
                                         Case{"yolo_v8n", 8}),
                         [](const auto& each) { return std::string(each.param.network); });

// What `flyball workloads` shows without building a network.
class ListedMemory : public testing::TestWithParam<std::string> {};

TEST_P(ListedMemory, IsWhatStepsTakeWithinFivePercent) {
  const Workload& workload = **find_workload(GetParam());
  const auto model = measure_memory(workload.name, {}, drawn_batches());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const MemoryUse peak = model->peak(16);
  const double weights = peak[MemoryPart::weights], training = peak.total();
  std::printf("%s: weights %.0f, training on 16 samples %.0f bytes\n", workload.name.c_str(),
              weights, training);
  EXPECT_NEAR(static_cast<double>(workload.weight_bytes) / weights, 1, 0.05);
  EXPECT_NEAR(static_cast<double>(workload.training_bytes) / training, 1, 0.05);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Workload& workload : workloads()) all.push_back(workload.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Workloads, ListedMemory, testing::ValuesIn(names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace flyball
