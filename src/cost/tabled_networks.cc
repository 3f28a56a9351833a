#include "cost/tabled_networks.h"

#include "space/published_names.h"

namespace flyball {

KnownNetwork tabled_network(const std::string& name, Phase phase) {
  KnownNetwork network{network_named(name, phase), ""};
  // SQuAD's rows as BERT's authors cut them; pictures of CIFAR-10, on which BoFL trained its ViT.
  for (const char* bert : {"bert_base", "bert_large"})
    if (same_network(network.name, bert)) network.input = "384";
  if (same_network(network.name, "vit_b16")) network.input = "3x32x32";
  if (same_network(network.name, "lstm")) network.input = "8";  // words of WikiText
  return network;
}

std::optional<Cost> tabled_cost(const std::string& name, Phase phase) {
  const KnownNetwork network = tabled_network(name, phase);
  return network_cost(network.name, phase, network.input);
}

}  // namespace flyball
