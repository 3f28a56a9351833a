// How operators count. Multiply and add are two FLOP in both sets of rules; element-wise functions
// count as Pagoda's table has them: ReLU 1, sigmoid and hard sigmoid 4, tanh and (hard) swish 5,
// softmax 7, erf 8.
//
// exact: an operator reads each tensor that it takes and writes each that it gives once, whatever
// is fused in it; a view costs nothing; a gather reads what it gives; the second operand of a
// batched product is read whole; an LSTM layer is 8·b·S·H(E + H) and its gates. What no rule knows
// is of kind `other`: its bytes count, its FLOP are 0.
//
// pagoda (arXiv 2509.20189): fp32, the forward pass at batch size 1 as exported for inference, with
// BatchNorm folded into the convolution before it. A convolution always adds a bias whose bytes do
// not count, products add none; the second operand of a product counts once, unbatched; GELU and
// SiLU are exported as several operators; an LSTM layer is counted as the authors' code does it: a
// multiply-add is one FLOP, and the batch size does not scale it. Flattening and transposing
// what is computed move it, copies that LibTorch makes of it then do not. Layer norms, gathers and
// resampling count as nothing. A detector's boxes and classes are joined and decoded as the
// exported graph has it ("detector_decode", which follows what ran in its place and says how many
// they were). Training is three forward passes. At batch size b all but the second operands of
// products is b times that of 1.
#pragma once

#include "cost/layer_table.h"
#include "cost/operation.h"

namespace flyball {

/// Has `exact` a rule for this operator? What runs within one that has is part of it.
bool is_counted(std::string_view op);
/// Is it one that moves no number at all, such as making an empty tensor?
bool is_free(std::string_view op);

/// By the rules `exact`; views are left out.
std::vector<Layer> count_exact(const Graph& graph);
/// By the rules `pagoda`, of a forward pass at batch size 1.
std::vector<Layer> count_pagoda(const Graph& graph, Phase phase, double batch_size);

/// The multiply-accumulates of convolutions, linear layers and matrix products.
double multiply_accumulates(const Graph& graph);

}  // namespace flyball
