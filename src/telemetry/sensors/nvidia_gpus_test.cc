#include "telemetry/sensors/nvidia_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

std::vector<NvidiaGpu> gpus(const std::vector<std::string>& models) {
  std::vector<NvidiaGpu> list;
  for (const std::string& model : models) {
    const auto index = static_cast<unsigned>(list.size());
    list.push_back({.index = index, .uuid = "GPU-" + std::to_string(index) + "abc", .name = model});
  }
  return list;
}

// What is found, by index; -1: an error.
int found(const std::vector<NvidiaGpu>& list, size_t n, const CudaOrder& order) {
  const auto gpu = find_cuda_gpu(list, n, order);
  return gpu ? static_cast<int>(gpu->index) : -1;
}

TEST(NvidiaGpus, CudaCountsThoseThatItSees) {
  const auto alike = gpus({"A", "A", "A"});
  EXPECT_EQ(found(alike, 0, {}), 0);
  EXPECT_EQ(found(alike, 2, {}), 2);
  EXPECT_EQ(found(alike, 3, {}), -1);
  EXPECT_EQ(found(alike, 0, {.visible = "2,0"}), 2);
  EXPECT_EQ(found(alike, 1, {.visible = "2, 0"}), 0);
  EXPECT_EQ(found(alike, 2, {.visible = "2,0"}), -1);
  EXPECT_EQ(found(alike, 0, {.visible = "GPU-1a"}), 1);
  EXPECT_EQ(found(alike, 0, {.visible = ""}), -1);
  EXPECT_EQ(found(alike, 0, {.visible = "7"}), -1);
  EXPECT_EQ(found({}, 0, {}), -1);
  EXPECT_THAT(find_cuda_gpu(alike, 0, {.visible = "MIG-1"}).error().message, HasSubstr("a slice"));
}

// Then a number may mean another GPU than the library's: nothing is guessed.
TEST(NvidiaGpus, SeveralModelsNeedAnOrder) {
  const auto mixed = gpus({"Slow", "Fast"});
  const auto unknown = find_cuda_gpu(mixed, 0, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().hint, HasSubstr("CUDA_DEVICE_ORDER=PCI_BUS_ID"));
  EXPECT_EQ(found(mixed, 0, {.visible = "0"}), -1);
  EXPECT_EQ(found(mixed, 1, {.by_pci_bus = true}), 1);
  EXPECT_EQ(found(mixed, 0, {.visible = "GPU-1"}), 1);
}

TEST(NvidiaGpus, SensorsAreFoundWhereverANetworkComputes) {
  const TestTree tree;
  EXPECT_EQ(sensor_number(tree.root(), "cpu"), 0u);
  EXPECT_EQ(sensor_number(tree.root(), "cuda:0"), 0u);  // a Jetson's own GPU
  EXPECT_FALSE(sensor_number(tree.root(), "cuda:1"));
  const auto library = tree.root() / "usr/lib/libnvidia-ml.so.1";
  std::filesystem::permissions(tree.root(), std::filesystem::perms(0755));
  std::filesystem::create_directories(library.parent_path());
  std::filesystem::copy_file(FLYBALL_BIN_DIR "/libflyball_fake_nvml.so", library);
  std::filesystem::permissions(library, std::filesystem::perms(0755));
  EXPECT_EQ(sensor_number(tree.root(), "cpu"), 0u);
  EXPECT_EQ(sensor_number(tree.root(), "cuda:1"), 1u);
  EXPECT_FALSE(sensor_number(tree.root(), "cuda:7"));
}

}  // namespace
}  // namespace flyball
