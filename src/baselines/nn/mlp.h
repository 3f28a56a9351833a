// A multilayer perceptron for regression: ReLU, dropout, Adam, best-validation checkpoint.
// Its passes run on LibTorch, which comes with the module (mlp_kernel.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flyball {

class MlpKernel;

enum class Loss { mse, mape };

/// Defaults: PowerTrain's network and training (FGCS 2024).
struct MlpOptions {
  std::vector<int64_t> hidden = {256, 128, 64};
  std::vector<double> dropout = {0.4, 0.3, 0.0};  ///< after each hidden layer
  Loss loss = Loss::mse;
  double learning_rate = 1e-3;
  int epochs = 100;
  int64_t batch = 32;
  uint64_t seed = 1;
};

/// Rows for training or validation.
struct MlpRows {
  std::vector<float> x;  ///< row-major, y.size() × inputs
  std::vector<float> y;
  int repeats = 1;  ///< how often an epoch shows each row
};

/// How a training went.
struct MlpTraining {
  int64_t steps = 0;
  int best_epoch = 0;          ///< from 1; the last one when there are no validation rows
  double validation_loss = 0;  ///< at the best epoch; 0 without validation rows
};

/// The network as plain numbers; copying it copies the weights.
class Mlp {
 public:
  /// Fresh weights: Glorot uniform, biases zero.
  Mlp(const MlpKernel& kernel, int64_t inputs, const MlpOptions& options);

  /// Continues from the present weights with a new optimizer; keeps the epoch with the least
  /// validation loss. Equal seeds give equal weights. Changes no thread settings of others.
  MlpTraining train(const MlpRows& training, const MlpRows& validation, const MlpOptions& options);
  /// One value for each row of `x`.
  std::vector<float> predict(std::span<const float> x) const;
  /// Forgets the last layer: new weights there, all others kept (PowerTrain's transfer).
  void renew_head(uint64_t seed);

  int64_t inputs() const { return sizes_.front(); }
  /// All weights: for each layer its matrix (in × out, row-major), then its biases.
  const std::vector<float>& weights() const { return weights_; }

 private:
  const MlpKernel* kernel_;
  std::vector<int64_t> sizes_;  ///< inputs, hidden…, 1
  std::vector<float> weights_;
};

}  // namespace flyball
