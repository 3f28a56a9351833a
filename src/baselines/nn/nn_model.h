// One figure (time or power) learned by one perceptron: scaling, split, training, intervals.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "baselines/nn/mlp_kernel.h"
#include "baselines/nn/nn.h"

namespace flyball {

/// Rows of one figure: `x` row-major over the axes, one group for each distinct mode.
class NnRows {
 public:
  size_t dimensions = 0;
  std::vector<double> x, y;
  std::vector<size_t> group;  ///< of each row, 0 to groups() − 1

  std::span<const double> row(size_t i) const {
    return std::span(x).subspan(i * dimensions, dimensions);
  }
  void add(std::span<const double> row, double value);
  size_t groups() const { return known_.size(); }

 private:
  std::map<std::vector<double>, size_t> known_;
};

/// z-score of each input; one that does not vary is only centred.
struct NnScaler {
  std::vector<double> centre, scale;
  std::vector<float> apply(std::span<const double> rows) const;
};

/// A trained network with its scaling.
struct NnModel {
  Mlp network;
  NnScaler scaler;
  bool log_target = false;
  double least = 0;       ///< predictions below are raised to it
  double half_width = 0;  ///< of the 90 % interval, in logarithms
  int repeats = 1;        ///< as trained

  /// Predictions for rows of raw axis values; `raised` counts those below `least`.
  std::vector<double> predict(std::span<const double> rows, size_t& raised) const;
};

/// Trains on rows that hold at least 3 groups; `base` is the network to start from, whose last
/// layer is renewed.
NnModel fit_nn(const MlpKernel& kernel, const NnRows& rows, const Mlp* base,
               const NnOptions& options, int repeats, uint64_t seed);

}  // namespace flyball
