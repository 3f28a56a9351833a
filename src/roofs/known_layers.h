// The layers of a network by its name and input.
#pragma once

#include <optional>
#include <string>

#include "cost/tabled_networks.h"

namespace flyball {

/// Error: a network whose work is not known. What a table means by a name: tabled_network().
Result<LayerTable> known_layers(const KnownNetwork& network, Phase phase, double batch_size,
                                CountRules rules);

}  // namespace flyball
