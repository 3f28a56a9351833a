// This machine as a board: with its CPU, or with one of its NVIDIA GPUs.
#include <fmt/format.h>

#include "base/text.h"
#include "device/helper/helper_device.h"
#include "device/host/cuda_device.h"
#include "device/host/host.h"
#include "device/registry/board.h"

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

Result<size_t> cuda_index(const BoardName& name) {
  if (name.argument.empty()) return size_t{0};
  const auto index = parse_integer(name.argument);
  if (index && *index >= 0) return static_cast<size_t>(*index);
  return Error{Code::invalid_argument, fmt::format("there is no GPU '{}'", name.argument),
               "GPUs are counted from 0: cuda:0"};
}

Result<std::unique_ptr<Board>> open_cuda_board(const BoardName& name, const fs::path& root) {
  FLYBALL_ASSIGN(const size_t index, cuda_index(name));
  return std::unique_ptr<Board>(std::make_unique<CudaBoard>(name, index, root));
}

}  // namespace flyball
