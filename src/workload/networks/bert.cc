#include "workload/networks/bert.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include "data/text/question_collate.h"
#include "workload/networks.h"
#include "workload/networks/attention.h"
#include "workload/networks/dropout.h"

namespace flyball {
namespace {

namespace nn = torch::nn;

constexpr const char *start_logits = "start_logits", *end_logits = "end_logits";

nn::LayerNorm layer_norm(int64_t width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}).eps(1e-12));
}

// Attention and two dense layers, each with dropout, the sum with what went in, and a norm.
class EncoderLayer final : public nn::Module {
 public:
  explicit EncoderLayer(const BertShape& shape) : dropout_(shape.dropout) {
    attention_ = register_module(
        "attention", std::make_shared<SelfAttention>(shape.width, shape.heads, shape.dropout));
    attended_ = register_module("attended", layer_norm(shape.width));
    up_ = register_module("up", nn::Linear(shape.width, shape.hidden));
    down_ = register_module("down", nn::Linear(shape.hidden, shape.width));
    done_ = register_module("done", layer_norm(shape.width));
  }

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& padding) {
    const double p = is_training() ? dropout_ : 0;
    const torch::Tensor y = attended_->forward(add_dropout(x, attention_->forward(x, padding), p));
    const torch::Tensor wide = at::gelu(up_->forward(y));
    return done_->forward(add_dropout(y, down_->forward(wide), p));
  }

 private:
  double dropout_;
  std::shared_ptr<SelfAttention> attention_;
  nn::Linear up_{nullptr}, down_{nullptr};
  nn::LayerNorm attended_{nullptr}, done_{nullptr};
};

class Bert final : public Network {
 public:
  explicit Bert(const BertShape& shape)
      : Network({{ids_tensor, DType::int64, {-1}},
                 {types_tensor, DType::int64, {-1}},
                 {mask_tensor, DType::int64, {-1}}},
                {{start_tensor, DType::int64, {}}, {end_tensor, DType::int64, {}}}),
        shape_(shape) {
    words_ = register_module("words", nn::Embedding(shape.vocabulary, shape.width));
    places_ = register_module("places", nn::Embedding(bert_places, shape.width));
    types_ = register_module("types", nn::Embedding(2, shape.width));
    norm_ = register_module("norm", layer_norm(shape.width));
    nn::ModuleList layers;
    for (int64_t i = 0; i < shape.layers; ++i) {
      layers_.push_back(std::make_shared<EncoderLayer>(shape));
      layers->push_back(layers_.back());
    }
    register_module("layers", layers);
    marks_ = register_module("marks", nn::Linear(shape.width, 2));
    initialise_weights();
  }

  Status check(const BatchView& batch, bool training) const override {
    const TensorShape& ids = batch.find(ids_tensor)->shape;
    for (const char* name : {types_tensor, mask_tensor})
      if (batch.find(name)->shape != ids)
        return misfit(fmt::format("'{}' is {} where 'ids' is {}", name,
                                  batch.find(name)->shape.text(), ids.text()));
    if (ids[1] < 1 || ids[1] > bert_places)
      return misfit(fmt::format("rows of {} tokens, and BERT has {} places", ids[1], bert_places));
    FLYBALL_CHECK(check_range(batch, ids_tensor, shape_.vocabulary));
    FLYBALL_CHECK(check_range(batch, types_tensor, 2));
    if (!training) return {};
    FLYBALL_CHECK(check_range(batch, start_tensor, ids[1]));
    return check_range(batch, end_tensor, ids[1]);
  }

  void answer(const Tensors& batch, Tensors& outputs) override {
    const torch::Tensor& ids = batch[ids_tensor];
    const torch::Tensor places = at::arange(ids.size(1), ids.options());
    torch::Tensor x = words_->forward(ids) + types_->forward(batch[types_tensor]);
    x = norm_->forward(x.add_(places_->forward(places)));
    x = dropout(x, is_training() ? shape_.dropout : 0);
    const torch::Tensor padding = padding_scores(batch[mask_tensor], shape_.heads);
    for (const auto& layer : layers_) x = layer->forward(x, padding);
    const torch::Tensor marks = marks_->forward(x);
    outputs.add(start_logits, marks.select(2, 0));
    outputs.add(end_logits, marks.select(2, 1));
  }

  void losses(const Tensors& outputs, const Tensors& batch, Tensors& losses) override {
    const torch::Tensor start = at::cross_entropy_loss(outputs[start_logits], batch[start_tensor]);
    const torch::Tensor end = at::cross_entropy_loss(outputs[end_logits], batch[end_tensor]);
    losses.add("loss", (start + end) / 2);
    losses.add("start_loss", start);
    losses.add("end_loss", end);
  }

 private:
  static Error misfit(const std::string& what) {
    return {Code::invalid_argument, what, "the collate of a workload makes what its network takes"};
  }
  static Status check_range(const BatchView& batch, const char* name, int64_t below) {
    for (const int64_t value : batch.values<int64_t>(name))
      if (value < 0 || value >= below)
        return misfit(
            fmt::format("'{}' holds {}, which is not in 0 to {}", name, value, below - 1));
    return {};
  }

  // Normal with deviation 0.02; biases 0. Norms are made as 1 and 0.
  void initialise_weights() {
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& weight : parameters())
      if (weight.dim() > 1) weight.normal_(0, 0.02);
    for (const auto& module : modules(false))
      if (auto* dense = module->as<nn::Linear>()) dense->bias.zero_();
  }

  BertShape shape_;
  nn::Embedding words_{nullptr}, places_{nullptr}, types_{nullptr};
  nn::LayerNorm norm_{nullptr};
  std::vector<std::shared_ptr<EncoderLayer>> layers_;
  nn::Linear marks_{nullptr};
};

}  // namespace

std::shared_ptr<Network> make_bert(const BertShape& shape) {
  return std::make_shared<Bert>(shape);
}

std::shared_ptr<Network> make_bert_base(const NetworkShape& shape) {
  return make_bert({.vocabulary = shape.classes});
}

std::shared_ptr<Network> make_bert_large(const NetworkShape& shape) {
  return make_bert(
      {.vocabulary = shape.classes, .layers = 24, .width = 1024, .heads = 16, .hidden = 4096});
}

}  // namespace flyball
