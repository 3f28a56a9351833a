// A network of a comparison: its name as everywhere in Flyball, and how long its epoch is.
#pragma once

#include <string>

namespace flyball {

/// The name that the twin knows a network by which tables may call otherwise ("bert_squad" trains
/// bert_base); of others as it is.
std::string canonical_network(const std::string& name);

struct ComparedNetwork {
  std::string name;    ///< canonical
  double samples = 0;  ///< of an epoch; 0: not known

  /// Of an epoch, the last one included where it is not full; 0: not known.
  double minibatches(double batch_size) const;
};

/// `samples`: of an epoch; 0: those of its usual data set.
ComparedNetwork compared_network(const std::string& name, double samples);

}  // namespace flyball
