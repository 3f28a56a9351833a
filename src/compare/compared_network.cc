#include "compare/compared_network.h"

#include <cmath>

#include "twin/twin.h"

namespace flyball {

std::string canonical_network(const std::string& name) {
  return compared_network(name, 0).name;
}

double ComparedNetwork::minibatches(double batch_size) const {
  return std::ceil(samples / batch_size);
}

ComparedNetwork compared_network(const std::string& name, double samples) {
  const auto known = known_twin_workload(name, Phase::train);
  if (!known) return {name, samples};
  return {known->layers.front().workload, samples > 0 ? samples : known->data.samples};
}

}  // namespace flyball
