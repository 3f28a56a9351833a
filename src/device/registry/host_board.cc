// This machine as a board: with its CPU, or with one of its NVIDIA GPUs.
#include <fmt/format.h>

#include "base/text.h"
#include "device/helper/helper_device.h"
#include "device/host/host.h"
#include "device/registry/board.h"

namespace flyball {
namespace fs = std::filesystem;

namespace {

class HostBoard final : public Board {
 public:
  HostBoard(BoardInfo info, fs::path root) : info_(std::move(info)), root_(std::move(root)) {}

  const BoardInfo& info() const override { return info_; }
  Result<std::unique_ptr<Device>> knobs() const override {
    FLYBALL_ASSIGN(auto own, open_host({.root = root_, .journal = {}, .cpus = {}}));
    return with_helper(std::move(own), root_);
  }
  std::unique_ptr<PowerMeter> power() const override {
    return open_power_meter(root_, info_.compute);
  }

 private:
  BoardInfo info_;
  fs::path root_;
};

Result<std::unique_ptr<Board>> open_here(const BoardName& name, const fs::path& root,
                                         const std::string& compute) {
  BoardInfo info{name, {}, compute};
  FLYBALL_ASSIGN(const auto host, open_host({.root = root, .journal = {}, .cpus = {}}));
  info.device = host->info();
  // Numbers of another place to compute are not comparable.
  if (compute != "cpu") {
    info.device.name = compute;  // "cuda" and "cuda:0" are one
    info.device.title += ", network on " + compute;
    info.device.fingerprint += "; network on " + compute;
  }
  return std::unique_ptr<Board>(std::make_unique<HostBoard>(std::move(info), root));
}

}  // namespace

Result<std::unique_ptr<Board>> open_host_board(const BoardName& name, const fs::path& root) {
  return open_here(name, root, "cpu");
}

Result<std::unique_ptr<Board>> open_cuda_board(const BoardName& name, const fs::path& root) {
  if (!name.argument.empty()) {
    const auto index = parse_integer(name.argument);
    if (!index || *index < 0)
      return Error{Code::invalid_argument, fmt::format("there is no GPU '{}'", name.argument),
                   "GPUs are counted from 0: cuda:0"};
  }
  return open_here(name, root, "cuda:" + (name.argument.empty() ? "0" : name.argument));
}

}  // namespace flyball
