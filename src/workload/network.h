// What a step runs: a LibTorch module with its loss. Inside this room only, since LibTorch's
// headers take seconds to compile.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/batch.h"

namespace flyball {

/// A few tensors by name, in order. The names are somebody else's, who outlives it. Keeps its
/// memory when cleared.
class Tensors {
 public:
  void add(std::string_view name, torch::Tensor tensor) {
    items_.emplace_back(name, std::move(tensor));
  }
  void clear() { items_.clear(); }
  /// Throws c10::Error when there is none of that name.
  const torch::Tensor& operator[](std::string_view name) const {
    for (const auto& item : items_)
      if (item.first == name) return item.second;
    C10_THROW_ERROR(Error, "there is no tensor '" + std::string(name) + "'");
  }
  size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<std::pair<std::string_view, torch::Tensor>> items_;
};

/// Scalars of a minibatch by name; the names are somebody else's, who outlives them.
using Scalars = std::vector<std::pair<std::string_view, double>>;
using NamedTensor = std::pair<std::string, torch::Tensor>;

/// Of images, token ids, whatever a batch holds. Owns what is computed from it: outputs and loss.
class Network : public torch::nn::Module {
 public:
  /// What answer() takes from a batch, and what losses() takes besides. They are checked before.
  const std::vector<TensorSpec>& inputs() const { return inputs_; }
  const std::vector<TensorSpec>& targets() const { return targets_; }
  /// What types and shapes do not say, e.g. that labels are in range; `training`: with targets.
  virtual Status check([[maybe_unused]] const BatchView& batch,
                       [[maybe_unused]] bool training) const {
    return {};
  }
  /// Adds the outputs for a minibatch whose inputs are on the device of the parameters.
  virtual void answer(const Tensors& batch, Tensors& outputs) = 0;
  /// Adds scalars: the first is what training makes small, the others are shown beside it. All are
  /// means over samples, or over what weight() says, so that those of a minibatch's parts make up
  /// those of the whole.
  virtual void losses(const Tensors& outputs, const Tensors& batch, Tensors& losses) = 0;
  /// How much the last losses count among those of other parts: by what they are means over.
  virtual double weight(int64_t samples) const { return static_cast<double>(samples); }
  /// Adds what follows from the losses of a whole minibatch, in the order of losses().
  virtual void show([[maybe_unused]] Scalars& figures) const {}
  /// Forgets what is carried from minibatch to minibatch within an epoch.
  virtual void begin_epoch() {}
  /// What is carried in training, by name, and back: part of a checkpoint.
  virtual std::vector<NamedTensor> carried() const { return {}; }
  virtual void carry([[maybe_unused]] const std::vector<NamedTensor>& tensors) {}

 protected:
  Network(std::vector<TensorSpec> inputs, std::vector<TensorSpec> targets)
      : inputs_(std::move(inputs)), targets_(std::move(targets)) {}

 private:
  std::vector<TensorSpec> inputs_, targets_;
};

}  // namespace flyball
