// This machine as a board: with its CPU, or with one of its NVIDIA GPUs.
#include <fmt/format.h>

#include "boards/identity.h"
#include "device/helper/helper_device.h"
#include "device/host/cuda_device.h"
#include "device/host/host.h"
#include "device/registry/board.h"
#include "space/compute_place.h"

namespace flyball {
namespace fs = std::filesystem;

namespace {

class HostBoard final : public Board {
 public:
  HostBoard(const BoardName& name, fs::path root) : root_(std::move(root)) {
    info_.name = name;
    info_.device = open_host_knobs({.root = root_})->info();
  }

  const BoardInfo& info() const override { return info_; }
  using Board::knobs;
  Result<std::unique_ptr<Device>> knobs(ReportLeft left) const override {
    return with_helper(open_host_knobs({.root = root_}), root_, std::move(left));
  }
  std::unique_ptr<PowerMeter> power() const override {
    return open_power_meter(root_, info_.compute);
  }

 private:
  BoardInfo info_;
  fs::path root_;
};

// Numbers of another place to compute are not comparable: name and fingerprint say which GPU.
class CudaBoard final : public Board {
 public:
  CudaBoard(const BoardName& name, size_t index, fs::path root)
      : index_(index), root_(std::move(root)) {
    info_.name = name;
    info_.device = open_cuda_knobs(root_, index_)->info();
    info_.compute = info_.device.name;  // "cuda" and "cuda:0" are one
    if (const auto gpu = find_cuda_gpu(root_, index_)) info_.gpu = gpu->uuid;
  }

  const BoardInfo& info() const override { return info_; }
  using Board::knobs;
  Result<std::unique_ptr<Device>> knobs(ReportLeft left) const override {
    return with_helper(open_cuda_knobs(root_, index_), root_, std::move(left));
  }
  std::unique_ptr<PowerMeter> power() const override {
    return open_power_meter(root_, info_.compute, info_.gpu);
  }

 private:
  BoardInfo info_;
  size_t index_;
  fs::path root_;
};

}  // namespace

Result<std::unique_ptr<Board>> open_host_board(const BoardName& name, const fs::path& root) {
  return std::unique_ptr<Board>(std::make_unique<HostBoard>(name, root));
}

Status Board::check_runs_programs() const {
  if (live() && !twin()) return {};
  return Error{Code::invalid_argument,
               fmt::format("a program cannot run on {}", info().name.text()),
               "use --device host; the program itself chooses where it computes"};
}

Result<size_t> cuda_index(const BoardName& name) {
  if (const auto index = cuda_number(name.text())) return *index;
  return Error{Code::invalid_argument, fmt::format("there is no GPU '{}'", name.argument),
               "GPUs are counted from 0: cuda:0"};
}

Result<std::vector<std::string>> gpu_environment(const BoardName& name, const fs::path& root) {
  std::vector<std::string> environment;
  if (name.kind != BoardName::Kind::cuda) return environment;
  FLYBALL_ASSIGN(const size_t number, cuda_index(name));
  if (!list_nvidia_gpus(root)) return environment;
  const auto gpu = find_cuda_gpu(root, number);
  if (!gpu && gpu.error().code == Code::not_found) return gpu.error();
  if (gpu) environment.push_back("CUDA_VISIBLE_DEVICES=" + gpu->uuid);
  return environment;
}

namespace {

// Error: there is certainly no such GPU. Where NVIDIA's library is not to be seen, as in some
// containers, its driver or the module of a Jetson says that there is one.
Status check_gpu_is_here(const BoardName& name, size_t index, const fs::path& root) {
  const auto gpus = list_nvidia_gpus(root);
  std::error_code ignored;
  if (!gpus && (fs::exists(root / "proc/driver/nvidia", ignored) ||
                (index == 0 && identify_board(root).jetson())))
    return {};
  if (!gpus)
    return Error{Code::not_found,
                 fmt::format("there is no {} here: {}", name.text(), gpus.error().message),
                 "leave --device out, or install NVIDIA's driver, where there is such a GPU"};
  const auto gpu = find_cuda_gpu(root, index);
  if (!gpu && gpu.error().code == Code::not_found) return gpu.error();
  return {};
}

}  // namespace

Result<std::unique_ptr<Board>> open_cuda_board(const BoardName& name, const fs::path& root) {
  FLYBALL_ASSIGN(const size_t index, cuda_index(name));
  FLYBALL_CHECK(check_gpu_is_here(name, index, root));
  return std::unique_ptr<Board>(std::make_unique<CudaBoard>(name, index, root));
}

}  // namespace flyball
