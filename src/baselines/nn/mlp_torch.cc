// The passes of a perceptron, explicit on LibTorch tensors, without autograd: a step takes a
// fraction of an eager one. The module's side of mlp.h.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "base/descent.h"
#include "base/random.h"
#include "base/simd.h"
#include "baselines/nn/mlp_kernel.h"

namespace flyball {
namespace {

// What elementwise passes over one hidden layer need.
struct Dropout {
  uint32_t threshold = 0;  // of 2³²: below it a number is dropped
  float scale = 1;         // of those that stay
};

Dropout dropout_of(double rate) {
  return {static_cast<uint32_t>(rate * 4294967296.0), static_cast<float>(1 / (1 - rate))};
}

// ReLU and dropout in one pass. Each element has its own hash, so vectors can work on many.
FLYBALL_WIDE void activate(float* __restrict values, int64_t n, Dropout dropout, uint32_t key) {
  for (int64_t i = 0; i < n; ++i) {
    uint32_t bits = (static_cast<uint32_t>(i) ^ key) * 0x9e3779b1u;  // Murmur3's finaliser
    bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
    bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
    bits ^= bits >> 16;
    const float active = values[i] > 0 ? values[i] * dropout.scale : 0.0f;
    values[i] = bits >= dropout.threshold ? active : 0.0f;
  }
}

// The gradient through both, and its sums over the rows (the gradient of the biases).
FLYBALL_WIDE void back_through(float* __restrict gradient, const float* __restrict active,
                               float* __restrict bias_gradient, int64_t rows, int64_t width,
                               float scale) {
  std::fill_n(bias_gradient, width, 0.0f);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < width; ++i) {
      const float passed = active[r * width + i] > 0 ? gradient[r * width + i] * scale : 0.0f;
      gradient[r * width + i] = passed;
      bias_gradient[i] += passed;
    }
}

at::Tensor view(float* data, at::IntArrayRef shape) {
  return at::from_blob(data, shape, at::TensorOptions().dtype(at::kFloat));
}

// One layer as views of a flat array of weights or gradients.
struct Layer {
  at::Tensor matrix, bias, transposed;
};

std::vector<Layer> layers_of(const std::vector<int64_t>& sizes, float* weights) {
  std::vector<Layer> layers;
  for (size_t l = 0; l + 1 < sizes.size(); ++l) {
    const int64_t in = sizes[l], out = sizes[l + 1];
    const at::Tensor matrix = view(weights, {in, out});
    layers.push_back({matrix, view(weights + in * out, {out}), matrix.t()});
    weights += (in + 1) * out;
  }
  return layers;
}

// Activations and their gradients of a minibatch; index 0 is the input.
struct Buffers {
  std::vector<at::Tensor> values, gradients, transposed;

  Buffers(const std::vector<int64_t>& sizes, int64_t rows) {
    for (int64_t size : sizes) {
      values.push_back(at::empty({rows, size}, at::kFloat));
      gradients.push_back(at::empty({rows, size}, at::kFloat));
      transposed.push_back(values.back().t());
    }
  }
  float* value(size_t layer) const { return values[layer].data_ptr<float>(); }
  float* gradient(size_t layer) const { return gradients[layer].data_ptr<float>(); }
};

double error_of(float predicted, float observed, Loss loss) {
  const double difference = double{predicted} - double{observed};
  return loss == Loss::mse ? difference * difference
                           : 100 * std::abs(difference) / std::abs(double{observed});
}

float slope_of(float predicted, float observed, Loss loss) {
  const float difference = predicted - observed;
  if (loss == Loss::mse) return 2 * difference;
  return (difference > 0 ? 100.0f : -100.0f) / std::abs(observed);
}

class Trainer {
 public:
  Trainer(const std::vector<int64_t>& sizes, std::vector<float>& weights, const MlpOptions& options)
      : sizes_(sizes),
        options_(options),
        weights_(weights),
        gradient_(weights.size()),
        first_(weights.size()),
        second_(weights.size()),
        layers_(layers_of(sizes, weights.data())),
        slopes_(layers_of(sizes, gradient_.data())) {
    for (size_t l = 0; l + 2 < sizes.size(); ++l)
      dropouts_.push_back(dropout_of(l < options.dropout.size() ? options.dropout[l] : 0.0));
  }

  void epoch(const MlpRows& rows, Random& random) {
    const auto shown = rows.y.size() * static_cast<size_t>(rows.repeats);
    order_.resize(shown);
    for (size_t i = 0; i < shown; ++i) order_[i] = static_cast<uint32_t>(i % rows.y.size());
    random.shuffle(std::span(order_));
    const auto batch = static_cast<size_t>(options_.batch);
    Buffers whole(sizes_, options_.batch);
    size_t begin = 0;
    for (; begin + batch <= shown; begin += batch) step(rows, begin, whole, random);
    if (begin < shown) {
      Buffers rest(sizes_, static_cast<int64_t>(shown - begin));
      step(rows, begin, rest, random);
    }
  }

  int64_t steps() const { return steps_; }

 private:
  void step(const MlpRows& rows, size_t begin, Buffers& buffers, Random& random) {
    const int64_t count = buffers.values[0].size(0), inputs = sizes_.front();
    const std::span order = std::span(order_).subspan(begin, static_cast<size_t>(count));
    float* x = buffers.value(0);
    for (uint32_t row : order) x = std::copy_n(rows.x.data() + row * inputs, inputs, x);
    forward(buffers, random);
    const size_t last = sizes_.size() - 1;
    const float* predicted = buffers.value(last);
    float* slope = buffers.gradient(last);
    float sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      const float observed = rows.y[order[static_cast<size_t>(i)]];
      slope[i] = slope_of(predicted[i], observed, options_.loss) / static_cast<float>(count);
      sum += slope[i];
    }
    *slopes_[last - 1].bias.data_ptr<float>() = sum;
    backward(buffers);
    adam_update(weights_.data(), gradient_.data(), first_.data(), second_.data(),
                static_cast<int64_t>(weights_.size()), options_.learning_rate, ++steps_);
  }

  void forward(Buffers& buffers, Random& random) {
    for (size_t l = 0; l < layers_.size(); ++l) {
      at::Tensor& out = buffers.values[l + 1];
      at::addmm_out(out, layers_[l].bias, buffers.values[l], layers_[l].matrix);
      if (l + 1 < layers_.size())
        activate(buffers.value(l + 1), out.numel(), dropouts_[l], static_cast<uint32_t>(random()));
    }
  }

  void backward(Buffers& buffers) {
    for (size_t l = layers_.size(); l-- > 0;) {
      at::mm_out(slopes_[l].matrix, buffers.transposed[l], buffers.gradients[l + 1]);
      if (l == 0) return;
      at::mm_out(buffers.gradients[l], buffers.gradients[l + 1], layers_[l].transposed);
      back_through(buffers.gradient(l), buffers.value(l), slopes_[l - 1].bias.data_ptr<float>(),
                   buffers.values[l].size(0), sizes_[l], dropouts_[l - 1].scale);
    }
  }

  const std::vector<int64_t>& sizes_;
  const MlpOptions& options_;
  std::vector<float>& weights_;
  std::vector<float> gradient_, first_, second_;
  std::vector<Layer> layers_, slopes_;
  std::vector<Dropout> dropouts_;
  std::vector<uint32_t> order_;
  int64_t steps_ = 0;
};

// Small matrices are multiplied fastest by one thread. OpenMP keeps that number for each thread, so
// the work gets a thread of its own and the caller's stays as it was.
template <class Body>
void on_one_thread(const Body& body) {
  static std::mutex mutex;
  static int holders = 0, before = 1;
  const int callers = at::get_num_threads();
  std::exception_ptr failure;  // what ends a thread would end the program
  std::thread worker([&] {
    {
      const std::lock_guard lock(mutex);
      if (holders++ == 0) before = callers;
      at::set_num_threads(1);
    }
    try {
      body();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    if (--holders == 0) at::set_num_threads(before);
  });
  worker.join();
  if (failure) std::rethrow_exception(failure);
}

std::vector<float> predict_rows(const std::vector<int64_t>& sizes,
                                const std::vector<float>& weights, std::span<const float> x) {
  const c10::AutoGradMode no_gradients(false);
  // LibTorch only reads through these pointers.
  const auto layers = layers_of(sizes, const_cast<float*>(weights.data()));
  const int64_t rows = static_cast<int64_t>(x.size()) / sizes.front();
  at::Tensor values = view(const_cast<float*>(x.data()), {rows, sizes.front()});
  for (size_t l = 0; l < layers.size(); ++l) {
    values = at::addmm(layers[l].bias, values, layers[l].matrix);
    if (l + 1 < layers.size()) values.relu_();
  }
  const float* out = values.data_ptr<float>();
  return {out, out + rows};
}

class TorchMlp final : public MlpKernel {
 public:
  MlpTraining train(const std::vector<int64_t>& sizes, std::vector<float>& weights,
                    const MlpRows& training, const MlpRows& validation,
                    const MlpOptions& options) const override {
    MlpTraining result;
    on_one_thread([&] {
      const c10::AutoGradMode no_gradients(false);
      Trainer trainer(sizes, weights, options);
      Random random(mix_seed(options.seed, 3));
      std::vector<float> best;
      double least = std::numeric_limits<double>::infinity();
      for (int epoch = 1; epoch <= options.epochs; ++epoch) {
        trainer.epoch(training, random);
        if (validation.y.empty()) continue;
        const std::vector<float> predicted = predict_rows(sizes, weights, validation.x);
        double sum = 0;
        for (size_t i = 0; i < predicted.size(); ++i)
          sum += error_of(predicted[i], validation.y[i], options.loss);
        if (sum >= least) continue;
        least = sum;
        best = weights;
        result.best_epoch = epoch;
      }
      result.steps = trainer.steps();
      if (best.empty()) {
        result.best_epoch = options.epochs;
        return;
      }
      weights = std::move(best);
      result.validation_loss = least / static_cast<double>(validation.y.size());
    });
    return result;
  }
  std::vector<float> predict(const std::vector<int64_t>& sizes, const std::vector<float>& weights,
                             std::span<const float> x) const override {
    return predict_rows(sizes, weights, x);
  }
};

}  // namespace
}  // namespace flyball

extern "C" const flyball::MlpKernel* flyball_mlp_kernel() {
  static const flyball::TorchMlp kernel;
  return &kernel;
}
