// What a language model computes, for training on CPUs: LibTorch takes a dozen small operators for
// each step of a sequence, and three passes over all scores for a cross-entropy.
#pragma once

#include <torch/types.h>

namespace flyball {

/// Can these be used for such a tensor? Otherwise use LibTorch's own.
bool fused_recurrence(const torch::Tensor& like);

/// Of one layer, as at::lstm has them (gates in the order input, forget, cell, output).
struct RecurrentWeights {
  torch::Tensor input, hidden;            ///< 4·width × inputs, 4·width × width
  torch::Tensor input_bias, hidden_bias;  ///< 4·width
};

/// What it computes for a sequence, and where that ends.
struct Recurrence {
  torch::Tensor above;  ///< steps × rows × width
  torch::Tensor h, c;   ///< rows × width
};

/// One layer over a sequence (steps × rows × inputs) from a state (rows × width), which gets no
/// gradient; h and c come detached. Gradients of the weights are products over the whole sequence.
Recurrence lstm_layer(const torch::Tensor& sequence, const torch::Tensor& h, const torch::Tensor& c,
                      const RecurrentWeights& weights);

/// Mean cross-entropy of hidden · weightᵀ + bias (rows × width, words × width, words) with `next`
/// (rows). The gradients of the scores take the place of the scores, while they are at hand.
torch::Tensor word_cross_entropy(const torch::Tensor& hidden, const torch::Tensor& weight,
                                 const torch::Tensor& bias, const torch::Tensor& next);

}  // namespace flyball
