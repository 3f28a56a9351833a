// Which network tables of measurements mean by a name: those of papers call it in their own way,
// and fed some networks with other samples than Flyball's usual ones. Whoever reads a name from a
// table asks here; whoever runs a network knows its input (cost/networks.h).
#pragma once

#include <optional>
#include <string>

#include "cost/networks.h"

namespace flyball {

/// "mobnet" is mobilenet_v3, "bert" in training bert_base with rows of 384 tokens. Case and
/// punctuation do not matter; an input of "" is the network's usual one. A name that no table is
/// known to use stands for itself.
KnownNetwork tabled_network(const std::string& name, Phase phase);
/// What a minibatch of it takes, by the rules `exact`; nothing where that is not known.
std::optional<Cost> tabled_cost(const std::string& name, Phase phase);

}  // namespace flyball
