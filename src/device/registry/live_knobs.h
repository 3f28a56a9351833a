// The knobs of a live board by its name.
#pragma once

#include "device/host/board_device.h"
#include "device/registry/board.h"

namespace flyball {

/// "host": this machine's own, "cuda:N": that GPU's, any other name or none: those of the board
/// that `identity` is. Error: N is no number.
Result<std::unique_ptr<BoardDevice>> open_live_knobs(const BoardName& name,
                                                     const BoardIdentity& identity,
                                                     const std::filesystem::path& root);

}  // namespace flyball
