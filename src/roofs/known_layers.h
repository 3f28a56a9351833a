// The layers of a network by its name.
#pragma once

#include <optional>
#include <string>

#include "cost/layer_table.h"

namespace flyball {

/// Layer by layer where the network is known so, else as one layer with the totals that Pagoda's
/// rules count (predict/roofline/known_cost.h), whatever rules were asked for: `rules` of the table
/// says which. Error: a workload whose work is not known.
Result<LayerTable> known_layers(const std::string& workload, Phase phase, double batch_size,
                                CountRules rules);

}  // namespace flyball
