// Process-wide settings of LibTorch.
#include "workload/runtime.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "base/os/memory.h"
#include "space/compute_place.h"
#include "workload/autocast.h"
#include "workload/stepper.h"

namespace flyball {
namespace {

std::atomic<int> wanted{0};

// Allocators say it by type or, in older LibTorchs and on CPUs, in these words.
bool is_memory_failure(const std::exception& failure, const std::string& text) {
#if FLYBALL_TORCH_AT_LEAST(1, 13)
  if (dynamic_cast<const c10::OutOfMemoryError*>(&failure) != nullptr) return true;
#endif
  if (dynamic_cast<const std::bad_alloc*>(&failure) != nullptr) return true;
  return tells_of_no_memory(text);
}

// What went wrong within a TorchScript module is said below the trace of its lines.
std::string cause_within_script(const std::string& text) {
  const std::string before_cause = "RuntimeError: ";
  const size_t cause = text.rfind(before_cause);
  if (cause == std::string::npos) return "";
  const size_t begin = cause + before_cause.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

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
  std::string text = c10_failure ? c10_failure->what_without_backtrace() : failure.what();
  const bool script = text.find("failed in the TorchScript interpreter") != std::string::npos;
  const std::string cause = script ? cause_within_script(text) : "";
  const std::string told = cause.empty() ? text.substr(0, text.find('\n')) : cause;
  text = (cause.empty() ? "LibTorch: " : "the script: ") + told;
  if (is_memory_failure(failure, text)) return out_of_memory(text);
  return {Code::internal, text,
          cause.empty() ? "" : "does it take tensors of this shape and type?"};
}

Result<c10::Device> find_device(const std::string& name) {
  if (name == "cpu") return c10::Device(c10::kCPU);
  const auto index = cuda_number(name);
  if (!index)
    return Error{Code::invalid_argument, fmt::format("there is no device '{}'", name),
                 "use --device host, cuda or cuda:N"};
  const size_t count = torch::cuda::device_count();
  if (count == 0)
    return Error{Code::unavailable, "LibTorch finds no CUDA device here",
                 "use --device host, or build with a LibTorch that has CUDA"};
  if (*index >= count)
    return Error{Code::not_found, fmt::format("there are {} CUDA devices, no '{}'", count, name),
                 fmt::format("use cuda:0 to cuda:{}", count - 1)};
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(*index));
}

std::shared_ptr<std::byte> pinned_memory(size_t bytes) {
  try {
    const auto options = at::TensorOptions().dtype(at::kByte).pinned_memory(true);
    at::Tensor tensor = at::empty({static_cast<int64_t>(bytes)}, options);
    auto* const data = static_cast<std::byte*>(tensor.data_ptr());
    return {data, [tensor](std::byte*) {}};
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace flyball
