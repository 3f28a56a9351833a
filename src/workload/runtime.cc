// Process-wide settings of LibTorch and the allocator.
#include "workload/runtime.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <malloc.h>
#include <torch/cuda.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/text.h"
#include "workload/stepper.h"

namespace flyball {
namespace {

std::atomic<int> wanted{0};

}  // namespace

void set_threads(int threads) {
  wanted = std::max(1, threads);
  adopt_threads();
}

int threads() {
  return at::get_num_threads();
}

// OpenMP keeps its number of threads for each calling thread: hand the wish on to this one.
void adopt_threads() {
  thread_local int adopted = 0;
  const int now = wanted;
  if (now == adopted || now == 0) return;
  at::set_num_threads(now);
  adopted = now;
}

Error from_torch(const std::exception& failure) {
  const auto* c10_failure = dynamic_cast<const c10::Error*>(&failure);
  const std::string text = c10_failure ? c10_failure->what_without_backtrace() : failure.what();
  const bool memory = text.find("memory") != std::string::npos;
  return {Code::internal, "LibTorch: " + text.substr(0, text.find('\n')),
          memory ? "take a smaller batch size" : ""};
}

Result<c10::Device> find_device(const std::string& name) {
  if (name == "cpu") return c10::Device(c10::kCPU);
  long long index = name == "cuda" ? 0 : -1;
  if (name.rfind("cuda:", 0) == 0) index = parse_integer(name.substr(5)).value_or(-1);
  if (index < 0)
    return Error{Code::invalid_argument, fmt::format("there is no device '{}'", name),
                 "use cpu, cuda or cuda:N"};
  const auto count = static_cast<long long>(torch::cuda::device_count());
  if (count == 0)
    return Error{Code::unavailable, "LibTorch finds no CUDA device here",
                 "use --device cpu, or build with a LibTorch that has CUDA"};
  if (index >= count)
    return Error{Code::not_found, fmt::format("there are {} CUDA devices, no '{}'", count, name),
                 fmt::format("use cuda:0 to cuda:{}", count - 1)};
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
}

std::function<std::shared_ptr<float>(size_t)> batch_allocator(const std::string& device) {
  if (device == "cpu") return {};
  return [](size_t count) -> std::shared_ptr<float> {
    try {
      const auto options = at::TensorOptions().dtype(at::kFloat).pinned_memory(true);
      at::Tensor tensor = at::empty({static_cast<int64_t>(count)}, options);
      float* const data = tensor.data_ptr<float>();
      return {data, [tensor](float*) {}};
    } catch (const std::exception&) {
      return nullptr;
    }
  };
}

void keep_freed_memory() {
  static std::once_flag once;
  std::call_once(once, [] {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_TOP_PAD, 64 << 20);
    // Only the main arena grows without bound; the others would give large blocks back.
    mallopt(M_ARENA_MAX, 1);
#endif
  });
}

}  // namespace flyball
