// The layers of a network by its name.
#pragma once

#include <optional>
#include <string>

#include "cost/layer_table.h"

namespace flyball {

/// Error: a workload whose work is not known.
Result<LayerTable> known_layers(const std::string& workload, Phase phase, double batch_size,
                                CountRules rules);

}  // namespace flyball
