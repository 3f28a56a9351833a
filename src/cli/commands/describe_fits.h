// `describe --fits`: which networks which kinds of boards have the memory for.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "cost/layer_table.h"

namespace flyball::cli {

struct FitsQuestion {
  std::string network;  ///< "": all that are known
  Phase phase = Phase::train;
  std::optional<int64_t> batch_size;  ///< does this one fit? Nothing: the largest alone
  bool json = false;
};

/// Errors: a network that is not known, an impossible file of a board.
Status describe_fits(const FitsQuestion& question);

}  // namespace flyball::cli
