// The networks of the papers' tables as PyTorch runs them operator by operator: nothing is fused,
// weights are zeroed and stepped one tensor after the other. The twin's tables are of that stack;
// Flyball's own networks, which networks/ has the traces of (cost/networks.h), fuse more.
// Parameters and arithmetic of both agree (eager_test.cc), kernels and bytes do not, and with
// traced training steps the twin explains the tables worse (docs/twin.md): hence both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/layer_table.h"

namespace flyball {

/// Layers of one minibatch of a network by its own name ("bert-large"; case and punctuation do not
/// matter; what tables call it, cost/tabled_networks.h knows). Nothing when it is not known.
std::optional<LayerTable> eager_layers(const std::string& workload, Phase phase, int64_t batch);
/// The names that eager_layers() knows.
std::vector<std::string> eager_networks();

}  // namespace flyball
