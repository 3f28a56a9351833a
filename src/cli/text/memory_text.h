// What a network takes of memory, and whether it fits: for people and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "cost/networks.h"

namespace flyball::cli {

/// Does it fit into the memory that a question is about?
struct MemoryVerdict {
  MemoryNeed need;
  std::string what;                  ///< whose memory: "4.00 GB", "orin_nano"
  std::string who;                   ///< needs it: "a process of Flyball's"
  std::vector<std::string> sources;  ///< of the figures behind it
};

struct MemoryAnswer {
  NetworkMemory network;
  double batch_size = 1;
  std::optional<MemoryVerdict> verdict{};  ///< nothing: nobody asked whether it fits

  double minibatch_bytes() const { return batch_size * network.sample_bytes; }
};

std::string memory_text(const MemoryAnswer& answer);
/// `peak_memory_bytes`, `memory` by part, and `fit` where somebody asked.
void add_memory_json(Json& document, const MemoryAnswer& answer);

}  // namespace flyball::cli
