#include "roofs/known_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cost/networks.h"
#include "predict/roofline/known_cost.h"

namespace flyball {

Result<LayerTable> known_layers(const std::string& workload, Phase phase, double batch_size,
                                CountRules rules) {
  if (is_known_network(workload)) return network_layers(workload, phase, batch_size, "", rules);
  const auto cost = known_cost(workload);
  if (!cost) {
    std::vector<std::string> names = costed_workloads();
    for (const KnownNetwork& network : known_networks())
      if (std::ranges::count(names, network.name) == 0) names.push_back(network.name);
    return Error{Code::not_found, fmt::format("the FLOP and bytes of '{}' are not known", workload),
                 "they are known of: " + join(names, ", ")};
  }
  const Work work = minibatch_work(*cost, phase, batch_size);
  Layer whole{.name = "whole network", .op = "all"};
  whole.flop = work.flop;
  whole.bytes = work.bytes;
  whole.kernels = 1;
  return LayerTable{workload, phase, batch_size, CountRules::pagoda, {whole}};
}

}  // namespace flyball
