// The board that this machine is, or that a tree shows: its own cores, clocks and rails.
#include <fmt/format.h>

#include "device/helper/helper_device.h"
#include "device/host/board_device.h"
#include "device/modes/presets.h"
#include "device/registry/board.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

class KnownBoard final : public Board {
 public:
  KnownBoard(const BoardName& name, BoardIdentity identity, fs::path root)
      : identity_(std::move(identity)), root_(std::move(root)) {
    info_.name = name;
    info_.device = open_known_board(identity_, {.root = root_})->info();
    info_.may_compute_on_gpu = identity_.jetson();
  }

  const BoardInfo& info() const override { return info_; }
  using Board::knobs;
  Result<std::unique_ptr<Device>> knobs(ReportLeft left) const override {
    return with_helper(open_known_board(identity_, {.root = root_}), root_, std::move(left));
  }
  std::unique_ptr<PowerMeter> power() const override {
    return open_power_meter(root_, info_.compute);
  }
  Presets presets() const override {
    return read_presets(root_, *open_known_board(identity_, {.root = root_}));
  }

 private:
  BoardInfo info_;
  BoardIdentity identity_;
  fs::path root_;
};

}  // namespace

Result<std::unique_ptr<Board>> open_known_board(const BoardName& name, const fs::path& root) {
  BoardIdentity identity = identify_board(root);
  const bool fits =
      name.kind == BoardName::Kind::jetson ? identity.jetson() : identity.id != "host";
  if (!fits)
    return Error{
        Code::unavailable,
        fmt::format("{} is no {}: it is {} ({})", root.string(),
                    name.kind == BoardName::Kind::jetson ? "Jetson" : "board with a device tree",
                    identity.name, identity.id),
        "--root names the tree of another board; --device host takes this machine as it is"};
  return std::unique_ptr<Board>(std::make_unique<KnownBoard>(name, std::move(identity), root));
}

}  // namespace flyball
