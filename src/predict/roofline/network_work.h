// A network's work by what boards are differently good at, from its layer table.
#pragma once

#include "cost/layer_table.h"
#include "space/table.h"

namespace flyball {

/// Figures of one minibatch.
struct MinibatchWork {
  double dense_flop = 0;      ///< convolution, matrix, attention, recurrent
  double depthwise_flop = 0;  ///< of depthwise convolutions, which fill few of a GPU's units
  double bytes = 0;           ///< read and written by all layers
  double kernels = 0;         ///< launches
};

/// Affine in the batch size, as every figure of a layer table is.
class NetworkWork {
 public:
  /// Of the workload and phase of a table, by the name of the network. Error: nothing of that name.
  static Result<NetworkWork> of(const WorkloadTable& table);
  NetworkWork(const LayerTable& a, const LayerTable& b);  ///< at two different batch sizes

  MinibatchWork at(double batch) const;

 private:
  double first_ = 1, second_ = 2;  // batch sizes
  MinibatchWork at_first_, at_second_;
};

}  // namespace flyball
