// What a network does in one minibatch, operator by operator: the noun that `describe` shows, a
// twin runs and roofs are drawn over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/axis.h"
#include "space/cost.h"

namespace flyball {

/// Kinds of operators that use hardware alike; a board's efficiencies are known by kind.
enum class LayerKind {
  convolution,
  depthwise,  ///< a convolution with as many groups as channels
  matrix,     ///< linear layers and matrix products with a weight
  attention,  ///< batched products without a weight
  recurrent,
  normalisation,
  elementwise,  ///< activations, sums, products, losses
  pooling,      ///< and other reductions
  embedding,    ///< gathers and scatters
  move,         ///< copies, concatenations, transpositions that are no view
  optimizer,
  other,
};
const char* layer_kind_name(LayerKind kind);
Result<LayerKind> parse_layer_kind(const std::string& text);

/// Whose rules the figures follow.
enum class CountRules {
  exact,   ///< multiply and add are two FLOP; fused work reads and writes once; attention batched
  pagoda,  ///< Pagoda (arXiv 2509.20189) on a graph with BatchNorm folded: see counting.h
};
const char* count_rules_name(CountRules rules);
Result<CountRules> parse_count_rules(const std::string& text);

/// One operator of one minibatch. Nothing in it is negative.
struct Layer {
  std::string
      name;  ///< where in the network: "layer1.0.conv1"; a backward operator has its forward's
  std::string op;  ///< "conv2d", "linear", "conv2d_backward"
  LayerKind kind = LayerKind::other;
  std::vector<int64_t> shape{};  ///< of its (first) output, batch included
  double parameters = 0;         ///< numbers of its weights; of a backward operator 0
  double flop = 0;
  double bytes = 0;             ///< read from and written to memory
  double kernels = 0;           ///< launches on an accelerator
  double activation_bytes = 0;  ///< its outputs that are kept for the backward pass
};

struct LayerTotals {
  double parameters = 0, flop = 0, bytes = 0, kernels = 0, activation_bytes = 0;

  double intensity() const { return bytes > 0 ? flop / bytes : 0; }  ///< FLOP per byte
};

struct LayerTable {
  std::string workload;
  Phase phase = Phase::train;
  double batch_size = 1;
  CountRules rules = CountRules::exact;
  std::vector<Layer> layers;  ///< in order of execution

  LayerTotals totals() const;
};

/// The table at another batch size, from tables of one workload, phase and set of rules at two:
/// every figure of a layer, and each dimension of its shape, is affine in the batch size. Errors:
/// tables of different workloads, phases, rules or layers; equal batch sizes.
Result<LayerTable> at_batch(const LayerTable& a, const LayerTable& b, double batch_size);
/// What predictors are told of it, from two tables likewise.
Result<Cost> cost_of(const LayerTable& a, const LayerTable& b);

}  // namespace flyball
