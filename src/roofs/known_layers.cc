#include "roofs/known_layers.h"

#include <fmt/format.h>

#include "cost/networks.h"

namespace flyball {

Result<LayerTable> known_layers(const std::string& workload, Phase phase, double batch_size,
                                CountRules rules) {
  auto layers = network_layers(workload, phase, batch_size, "", rules);
  if (layers || is_known_network(workload)) return layers;
  return Error{Code::not_found, fmt::format("the FLOP and bytes of '{}' are not known", workload),
               layers.error().hint};
}

}  // namespace flyball
