// A language model: words embedded, two LSTM layers of 256, and the embedding again as the output
// (Zaremba et al. 2014, without dropout; tied as Press, Wolf 2017; names as in PyTorch's example
// word_language_model). Trained by truncated backpropagation: each window of text begins with the
// state in which the window before it ended.
#include <ATen/Functions.h>
#include <fmt/format.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/rnn.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/text/text_dataset.h"
#include "workload/networks.h"
#include "workload/networks/recurrence.h"

namespace flyball {
namespace {

namespace nn = torch::nn;

constexpr int64_t kWidth = 256, kLayers = 2;
constexpr const char *logits = "logits", *hidden = "hidden";

/// Cell and hidden state, layers × rows × width.
struct State {
  torch::Tensor h, c;
};

// States by the window of text that goes on from each row. A row whose window comes after none that
// was seen begins with zeros: at the begin of an epoch, or where a sample was left out.
class CarriedStates {
 public:
  void clear() { kept_.clear(); }

  State take(std::vector<int64_t> windows, const torch::Tensor& like) {
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
      if (kept->windows != windows) continue;
      State state = std::move(kept->state);
      kept_.erase(kept);
      return state;
    }
    return gather(windows, like);
  }

  void put(std::vector<int64_t> windows, const State& state) {
    kept_.push_back({std::move(windows), {state.h.detach(), state.c.detach()}});
    if (kept_.size() > kMost) kept_.erase(kept_.begin());
  }

  std::vector<NamedTensor> tensors() const {
    std::vector<NamedTensor> all;
    for (size_t i = 0; i < kept_.size(); ++i) {
      all.emplace_back(fmt::format("{} windows", i), torch::tensor(kept_[i].windows));
      all.emplace_back(fmt::format("{} h", i), kept_[i].state.h);
      all.emplace_back(fmt::format("{} c", i), kept_[i].state.c);
    }
    return all;
  }
  void set(const std::vector<NamedTensor>& tensors) {
    clear();
    TORCH_CHECK(tensors.size() % 3 == 0, "the carried states are not whole");
    for (size_t i = 0; i < tensors.size(); i += 3) {
      const torch::Tensor windows = tensors[i].second.cpu();
      TORCH_CHECK(windows.scalar_type() == torch::kInt64 && windows.dim() == 1,
                  "the carried states are not whole");
      for (const size_t state : {i + 1, i + 2})
        TORCH_CHECK(
            tensors[state].second.sizes() == at::IntArrayRef({kLayers, windows.size(0), kWidth}),
            "the carried states are not whole");
      const auto* const first = windows.data_ptr<int64_t>();
      kept_.push_back({std::vector<int64_t>(first, first + windows.numel()),
                       {tensors[i + 1].second, tensors[i + 2].second}});
    }
  }

 private:
  struct Kept {
    std::vector<int64_t> windows;  ///< that go on from its rows
    State state;
  };
  static constexpr size_t kMost = 1024;  ///< parts of a minibatch each keep their own

  // Row by row, where rows come otherwise than they went.
  State gather(const std::vector<int64_t>& windows, const torch::Tensor& like) {
    const auto rows = static_cast<int64_t>(windows.size());
    State state{at::zeros({kLayers, rows, kWidth}, like.options()),
                at::zeros({kLayers, rows, kWidth}, like.options())};
    const torch::NoGradGuard no_grad;
    for (int64_t row = 0; row < rows; ++row)
      for (Kept& kept : kept_) {
        const auto found = std::ranges::find(kept.windows, windows[static_cast<size_t>(row)]);
        if (found == kept.windows.end()) continue;
        const int64_t from = found - kept.windows.begin();
        state.h.select(1, row).copy_(kept.state.h.select(1, from));
        state.c.select(1, row).copy_(kept.state.c.select(1, from));
        *found = -1;  // taken
      }
    std::erase_if(kept_, [](const Kept& kept) {
      return std::ranges::all_of(kept.windows, [](int64_t window) { return window < 0; });
    });
    return state;
  }

  std::vector<Kept> kept_;
};

class Lstm final : public Network {
 public:
  explicit Lstm(const NetworkShape& shape)
      : Network({{ids_tensor, DType::int64, {-1}}, {window_tensor, DType::int64, {}}},
                {{next_tensor, DType::int64, {-1}}}),
        words_(shape.classes) {
    encoder_ = register_module("encoder", nn::Embedding(words_, kWidth));
    rnn_ = register_module("rnn", nn::LSTM(nn::LSTMOptions(kWidth, kWidth).num_layers(kLayers)));
    weights_ = rnn_->all_weights();
    const auto decoder = register_module("decoder", std::make_shared<nn::Module>());
    bias_ = decoder->register_parameter("bias", torch::zeros({words_}));
    const torch::NoGradGuard no_grad;
    encoder_->weight.uniform_(-0.1, 0.1);
  }

  Status check(const BatchView& batch, bool training) const override {
    FLYBALL_CHECK(check_words(batch.values<int64_t>(ids_tensor)));
    if (!training) return {};
    if (batch.find(next_tensor)->shape == batch.find(ids_tensor)->shape)
      return check_words(batch.values<int64_t>(next_tensor));
    return Error{Code::invalid_argument,
                 fmt::format("'{}' has another shape than '{}'", next_tensor, ids_tensor), ""};
  }

  // In training what the loss is made of; the logits of every place otherwise.
  void answer(const Tensors& batch, Tensors& outputs) override {
    const torch::Tensor& ids = batch[ids_tensor];
    const torch::Tensor windows = batch[window_tensor].cpu().contiguous();
    const auto* const first = windows.data_ptr<int64_t>();
    std::vector<int64_t> now(first, first + windows.numel());
    CarriedStates& carried = is_training() ? training_ : serving_;
    State state = carried.take(now, encoder_->weight);
    const torch::Tensor above = read(encoder_->forward(ids.t().contiguous()), state);
    for (int64_t& window : now) ++window;
    carried.put(std::move(now), state);
    if (is_training())
      outputs.add(hidden, above);
    else
      outputs.add(logits, at::linear(above.transpose(0, 1).contiguous(), encoder_->weight, bias_));
  }

  void losses(const Tensors& outputs, const Tensors& batch, Tensors& losses) override {
    const torch::Tensor rows = outputs[hidden].reshape({-1, kWidth});
    const torch::Tensor next = batch[next_tensor].t().reshape(-1);
    losses.add("loss",
               fused_recurrence(rows)
                   ? word_cross_entropy(rows, encoder_->weight, bias_, next)
                   : at::cross_entropy_loss(at::linear(rows, encoder_->weight, bias_), next));
  }

  void show(Scalars& figures) const override {
    figures.emplace_back("perplexity", std::exp(figures.front().second));
  }

  void begin_epoch() override {
    training_.clear();
    serving_.clear();
  }
  std::vector<NamedTensor> carried() const override { return training_.tensors(); }
  void carry(const std::vector<NamedTensor>& tensors) override { training_.set(tensors); }

 private:
  // What the upper layer gives for a sequence (steps × rows × width); the state moves on.
  torch::Tensor read(torch::Tensor sequence, State& state) {
    if (!fused_recurrence(sequence)) {
      const auto [above, after] = rnn_->forward(sequence, std::make_tuple(state.h, state.c));
      state = {std::get<0>(after), std::get<1>(after)};
      return above;
    }
    State after{at::empty_like(state.h), at::empty_like(state.c)};
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      const auto weight = weights_.begin() + 4 * layer;
      const Recurrence done = lstm_layer(sequence, state.h[layer], state.c[layer],
                                         {weight[0], weight[1], weight[2], weight[3]});
      after.h[layer].copy_(done.h);
      after.c[layer].copy_(done.c);
      sequence = done.above;
    }
    state = after;
    return sequence;
  }

  Status check_words(std::span<const int64_t> ids) const {
    const auto bad =
        std::ranges::find_if(ids, [this](int64_t id) { return id < 0 || id >= words_; });
    if (bad == ids.end()) return {};
    return Error{Code::invalid_argument, fmt::format("word {} is not in 0 to {}", *bad, words_ - 1),
                 "give the stepper the classes of the dataset: its words"};
  }

  int64_t words_;
  nn::Embedding encoder_{nullptr};
  nn::LSTM rnn_{nullptr};
  std::vector<torch::Tensor> weights_;  ///< of the layers, four each
  torch::Tensor bias_;                  ///< of the decoder, whose weight is the encoder's
  CarriedStates training_, serving_;
};

}  // namespace

std::shared_ptr<Network> make_lstm(const NetworkShape& shape) {
  return std::make_shared<Lstm>(shape);
}

}  // namespace flyball
