#include "roofs/known_layers.h"

#include <fmt/format.h>

namespace flyball {

Result<LayerTable> known_layers(const KnownNetwork& network, Phase phase, double batch_size,
                                CountRules rules) {
  auto layers = network_layers(network.name, phase, batch_size, network.input, rules);
  if (layers || is_known_network(network.name)) return layers;
  return Error{Code::not_found,
               fmt::format("the FLOP and bytes of '{}' are not known", network.name),
               layers.error().hint};
}

}  // namespace flyball
