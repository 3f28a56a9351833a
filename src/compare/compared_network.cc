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
  const double usual = samples > 0 ? samples : known->data.samples;
  const std::string& layers = known->layers.front().workload;
  if (layers == name) return {name, usual};
  // By another name on data of its own it is a network of its own: "resnet18_cifar10".
  const auto same = known_twin_workload(layers, Phase::train);
  const bool own = same.ok() && same->data.sample_bytes != known->data.sample_bytes;
  return {own ? name : layers, usual};
}

}  // namespace flyball
