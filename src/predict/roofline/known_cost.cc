#include "predict/roofline/known_cost.h"

#include <algorithm>

#include "cost/networks.h"

namespace flyball {

std::optional<Cost> known_cost(const std::string& workload) {
  const auto one = network_layers(workload, Phase::infer, 1, "", CountRules::pagoda);
  const auto two = network_layers(workload, Phase::infer, 2, "", CountRules::pagoda);
  if (!one || !two) return {};
  const auto cost = cost_of(*one, *two);
  return cost ? std::optional(*cost) : std::nullopt;
}

std::vector<std::string> costed_workloads() {
  std::vector<std::string> names;
  for (const KnownNetwork& network : known_networks())
    if (std::ranges::find(names, network.name) == names.end()) names.push_back(network.name);
  return names;
}

}  // namespace flyball
