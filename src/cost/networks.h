// Layer tables of the networks that papers and tables name, known without running anything: the
// files of networks/, which scripts/networks makes with `flyball describe`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/layer_table.h"
#include "cost/memory.h"

namespace flyball {

/// The table of a network by name; case and punctuation do not matter. `input` is the shape of a
/// sample as in known_networks(), "" the one that is listed first. Errors: no such network, none
/// with that input, a batch size below 1.
Result<LayerTable> network_layers(const std::string& name, Phase phase, double batch_size,
                                  const std::string& input = "",
                                  CountRules rules = CountRules::exact);
/// What its steps hold in memory (fp32, SGD with momentum), and the bytes of one sample as it takes
/// them. Errors as network_layers().
struct NetworkMemory {
  MemoryModel model;
  double sample_bytes = 0;

  /// A process with one minibatch of this size, in bytes.
  double needed(double batch_size) const {
    return model.kept(batch_size) + batch_size * sample_bytes;
  }
  /// As MemoryModel's, a minibatch counted in.
  int64_t largest_batch(double bytes) const { return model.largest_batch(bytes, sample_bytes); }
  MemoryNeed need(double batch_size, double available_bytes) const {
    return {needed(batch_size), available_bytes, largest_batch(available_bytes)};
  }
};
Result<NetworkMemory> network_memory(const std::string& name, Phase phase,
                                     const std::string& input = "");
bool is_known_network(const std::string& name);
/// What a minibatch of it takes in this phase, by the rules `exact`. For those who read a name from
/// a file and know no more; a predictor takes what its tables say.
std::optional<Cost> network_cost(const std::string& name, Phase phase,
                                 const std::string& input = "");

/// Do two names mean one network? Case and punctuation do not matter.
bool same_network(const std::string& a, const std::string& b);

struct KnownNetwork {
  std::string name;
  std::string input;  ///< "3x224x224", of text its tokens: "128"
};
std::vector<KnownNetwork> known_networks();

/// A file of networks/ as it travels in the program.
struct NetworkText {
  const char* file;
  const char* text;
};
const std::vector<NetworkText>& network_texts();

}  // namespace flyball
