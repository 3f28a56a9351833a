#include "workload/networks/recurrence.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>

#include "base/simd.h"
#include "workload/announce.h"
#include "workload/autocast.h"
#include "workload/networks/gate_math.h"

namespace flyball {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// One row of a step: gates in (as sums), gates out (as activations), and the new state.
FLYBALL_WIDE void cell_forward(float* __restrict gates, const float* __restrict before,
                               float* __restrict cell, float* __restrict hidden, int64_t width) {
  float* __restrict in = gates;
  float* __restrict forget = gates + width;
  float* __restrict candidate = gates + 2 * width;
  float* __restrict out = gates + 3 * width;
  for (int64_t i = 0; i < width; ++i) {
    in[i] = fast_sigmoid(in[i]);
    forget[i] = fast_sigmoid(forget[i]);
    candidate[i] = fast_tanh(candidate[i]);
    out[i] = fast_sigmoid(out[i]);
    cell[i] = forget[i] * before[i] + in[i] * candidate[i];
    hidden[i] = out[i] * fast_tanh(cell[i]);
  }
}

// The same backwards: gates become the gradients of their sums; `d_cell` that of the cell before.
FLYBALL_WIDE void cell_backward(const float* __restrict gates, const float* __restrict before,
                                const float* __restrict cell, const float* __restrict d_hidden,
                                float* __restrict d_cell, float* __restrict d_gates,
                                int64_t width) {
  for (int64_t i = 0; i < width; ++i) {
    const float in = gates[i], forget = gates[width + i], candidate = gates[2 * width + i],
                out = gates[3 * width + i];
    const float squashed = fast_tanh(cell[i]);
    const float d = d_cell[i] + d_hidden[i] * out * (1 - squashed * squashed);
    d_gates[i] = d * candidate * in * (1 - in);
    d_gates[width + i] = d * before[i] * forget * (1 - forget);
    d_gates[2 * width + i] = d * in * (1 - candidate * candidate);
    d_gates[3 * width + i] = d_hidden[i] * squashed * out * (1 - out);
    d_cell[i] = d * forget;
  }
}

class LstmLayer : public torch::autograd::Function<LstmLayer> {
 public:
  static tensor_list forward(AutogradContext* context, const torch::Tensor& sequence,
                             const torch::Tensor& h, const torch::Tensor& c,
                             const torch::Tensor& w_input, const torch::Tensor& w_hidden,
                             const torch::Tensor& b_input, const torch::Tensor& b_hidden) {
    const int64_t steps = sequence.size(0), rows = sequence.size(1), width = h.size(1);
    const torch::Tensor input = sequence.contiguous();
    torch::Tensor gates = at::addmm(b_input + b_hidden, input.view({steps * rows, -1}), w_input.t())
                              .view({steps, rows, 4 * width});
    torch::Tensor above = at::empty({steps, rows, width}, input.options());
    // Before each step and after the last.
    torch::Tensor cell = at::empty({steps + 1, rows, width}, input.options());
    cell[0].copy_(c);
    const torch::Tensor across = w_hidden.t();
    for (int64_t t = 0; t < steps; ++t) {
      torch::Tensor now = gates[t];
      now.addmm_(t == 0 ? h : above[t - 1], across);
      float* const g = now.data_ptr<float>();
      const float* const before = cell[t].data_ptr<float>();
      float* const after = cell[t + 1].data_ptr<float>();
      float* const out = above[t].data_ptr<float>();
      for (int64_t row = 0; row < rows; ++row)
        cell_forward(g + row * 4 * width, before + row * width, after + row * width,
                     out + row * width, width);
    }
    context->save_for_backward({input, h, above, gates, cell, w_input, w_hidden});
    const torch::Tensor last_h = above[steps - 1].clone(), last_c = cell[steps].clone();
    context->mark_non_differentiable({last_h, last_c});
    return {above, last_h, last_c};
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &input = saved[0], &h = saved[1], &above = saved[2], &gates = saved[3],
                        &cell = saved[4], &w_input = saved[5], &w_hidden = saved[6];
    const int64_t steps = input.size(0), rows = input.size(1), width = above.size(2);
    const torch::Tensor d_above = gradients[0].contiguous();
    torch::Tensor d_gates = at::empty_like(gates);
    torch::Tensor d_cell = at::zeros({rows, width}, input.options());
    torch::Tensor d_hidden = at::empty({rows, width}, input.options());
    for (int64_t t = steps; t-- > 0;) {
      if (t + 1 == steps)
        d_hidden.copy_(d_above[t]);
      else
        at::addmm_out(d_hidden, d_above[t], d_gates[t + 1], w_hidden);
      const float* const g = gates[t].data_ptr<float>();
      const float* const before = cell[t].data_ptr<float>();
      const float* const after = cell[t + 1].data_ptr<float>();
      float* const d = d_gates[t].data_ptr<float>();
      for (int64_t row = 0; row < rows; ++row)
        cell_backward(g + row * 4 * width, before + row * width, after + row * width,
                      d_hidden.data_ptr<float>() + row * width,
                      d_cell.data_ptr<float>() + row * width, d + row * 4 * width, width);
    }
    const torch::Tensor flat = d_gates.view({steps * rows, 4 * width});
    const torch::Tensor d_bias = flat.sum(0);
    torch::Tensor d_across = d_gates[0].t().mm(h);
    d_across.addmm_(flat.slice(0, rows).t(), above.view({steps * rows, width}).slice(0, 0, -rows));
    return {flat.mm(w_input).view({steps, rows, -1}),
            {},
            {},
            flat.t().mm(input.view({steps * rows, -1})),
            d_across,
            d_bias,
            d_bias.clone()};
  }
};

// Scores of a row become the gradient of `share` times its cross-entropy, which is returned.
FLYBALL_WIDE double row_cross_entropy(float* __restrict scores, int64_t words, int64_t next,
                                      float share) {
  // Several at a time, or the additions wait for each other.
  constexpr int64_t lanes = 16;
  float largest = scores[0];
  for (int64_t i = 1; i < words; ++i) largest = scores[i] > largest ? scores[i] : largest;
  const float wanted = scores[next];
  float sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= words; i += lanes)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const float e = fast_exp(scores[i + lane] - largest);
      scores[i + lane] = e;
      sums[lane] += e;
    }
  double sum = 0;
  for (; i < words; ++i) sum += scores[i] = fast_exp(scores[i] - largest);
  for (const float lane : sums) sum += lane;
  const float scale = share / static_cast<float>(sum);
  for (i = 0; i < words; ++i) scores[i] *= scale;
  scores[next] -= share;
  return std::log(sum) + largest - wanted;
}

class WordCrossEntropy : public torch::autograd::Function<WordCrossEntropy> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& hidden,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const torch::Tensor& next) {
    torch::Tensor scores = at::addmm(bias, hidden, weight.t());
    const int64_t rows = scores.size(0), words = scores.size(1);
    const torch::Tensor wanted = next.contiguous();
    torch::Tensor each = at::empty({rows}, scores.options().dtype(torch::kFloat64));
    float* const all = scores.data_ptr<float>();
    double* const nats = each.data_ptr<double>();
    const auto* const targets = wanted.data_ptr<int64_t>();
    const float share = 1.0f / static_cast<float>(rows);
    at::parallel_for(0, rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        nats[row] = row_cross_entropy(all + row * words, words, targets[row], share);
    });
    context->save_for_backward({hidden, weight, scores});
    return each.mean().to(torch::kFloat32);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &hidden = saved[0], &weight = saved[1], &scores = saved[2];
    // A number for the whole: 1, or the share of this part of a minibatch.
    const double by = gradients[0].item<double>();
    torch::Tensor d_hidden = scores.mm(weight), d_weight = scores.t().mm(hidden),
                  d_bias = scores.sum(0);
    if (by != 1)
      for (torch::Tensor* gradient : {&d_hidden, &d_weight, &d_bias}) gradient->mul_(by);
    return {d_hidden, d_weight, d_bias, {}};
  }
};

}  // namespace

bool fused_recurrence(const torch::Tensor& like) {
  return like.is_cpu() && like.scalar_type() == torch::kFloat32 && !autocast_on_cpu();
}

Recurrence lstm_layer(const torch::Tensor& sequence, const torch::Tensor& h, const torch::Tensor& c,
                      const RecurrentWeights& weights) {
  const auto all = announced(
      "flyball::lstm_layer",
      [&] {
        return LstmLayer::apply(sequence, h, c, weights.input, weights.hidden, weights.input_bias,
                                weights.hidden_bias);
      },
      sequence, h, c, weights.input, weights.hidden, weights.input_bias, weights.hidden_bias);
  return {all[0], all[1], all[2]};
}

torch::Tensor word_cross_entropy(const torch::Tensor& hidden, const torch::Tensor& weight,
                                 const torch::Tensor& bias, const torch::Tensor& next) {
  return announced(
      "flyball::word_cross_entropy",
      [&] { return WordCrossEntropy::apply(hidden, weight, bias, next); }, hidden, weight, bias,
      next);
}

}  // namespace flyball
