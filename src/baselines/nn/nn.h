// PowerTrain's predictors (FGCS 2024): two perceptrons, one for the minibatch
// time in ms and one for the power in mW, from scratch (`nn`) or fine-tuned from those of another
// workload (`transfer-nn`).
#pragma once

#include <memory>

#include "baselines/nn/mlp.h"
#include "predict/predictor.h"

namespace flyball {

/// What the paper fixed or varied. Seeds come from FitOptions.
struct NnOptions {
  MlpOptions network;       ///< `network.loss` is MAPE in the paper's Orin Nano runs
  bool log_target = false;  ///< learn logarithms; the paper learns the figures as they are
  int repeats = 40;         ///< how often each median stands for a measured minibatch
  double validation = 0.2;  ///< share of the modes; whole modes, so that no row leaks
  /// Learn all modes again, for as many epochs as were best on the validation modes. The paper's
  /// rows are split within modes, so its networks see every mode too.
  bool refit = true;
  size_t reference_modes = 0;  ///< modes of the reference that are learned, 0: all
  int reference_repeats = 40;  ///< as `repeats`, for the reference
};

/// Options by name, as a predictor's name carries them: "mape" (loss), "log" (target), "norefit",
/// "reference=N" (modes of the reference), "epochs=N", "repeats=N". Error: any other.
Result<NnOptions> parse_nn_options(std::span<const std::string> words);

/// Named "nn"; ignores references. Fits at least 3 distinct modes. Intervals come from the errors
/// on the validation modes. fit() loads LibTorch, and fails where there is none (mlp_kernel.h).
std::unique_ptr<Predictor> make_nn(const NnOptions& options);
std::unique_ptr<Predictor> make_nn();

/// Named "transfer-nn". Of the references that share all varying axes it takes the one with the
/// widest range of power, as the paper advises; without any it is `nn` and says so. Networks of
/// references are kept in memory for later fits.
std::unique_ptr<Predictor> make_transfer_nn(const NnOptions& options);
std::unique_ptr<Predictor> make_transfer_nn();

}  // namespace flyball
