// What a network takes of memory, and whether it fits: for people and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "cost/networks.h"

namespace flyball::cli {

/// The memory that a question is about.
struct MemoryRoom {
  double bytes = 0;                  ///< for the network and its minibatches
  std::string what;                  ///< "4.00 GB", "orin_nano"
  std::vector<std::string> sources;  ///< of the figures behind it
};

struct MemoryAnswer {
  NetworkMemory network;
  double batch_size = 1;
  std::optional<MemoryRoom> room{};  ///< nothing: nobody asked whether it fits

  double minibatch_bytes() const { return batch_size * network.sample_bytes; }
  double needed() const { return network.needed(batch_size); }
};

std::string memory_text(const MemoryAnswer& answer);
/// `peak_memory_bytes`, `memory` by part, and `fit` where somebody asked.
void add_memory_json(Json& document, const MemoryAnswer& answer);

}  // namespace flyball::cli
