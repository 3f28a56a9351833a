#include "workload/torch_stepper.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/cuda.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "base/text.h"
#include "data/batch_slice.h"
#include "workload/autocast.h"
#include "workload/checkpoint_names.h"
#include "workload/host_tensors.h"
#include "workload/memory_recorder.h"
#include "workload/optimizer.h"
#include "workload/runtime.h"

namespace flyball {
namespace {

constexpr const char *rate_fact = "learning rate", *decay_fact = "weight decay";

class TorchStepper final : public Stepper {
 public:
  TorchStepper(std::shared_ptr<Network> network, StepOptions options, torch::Device device)
      : network_(std::move(network)),
        options_(std::move(options)),
        device_(device),
        layout_(options_.channels_last ? torch::MemoryFormat::ChannelsLast
                                       : torch::MemoryFormat::Contiguous),
        trained_(place_parameters()),
        optimizer_(tensors_of(trained_), options_) {
    tell_stage(StepStage::making);
  }

  Result<StepResult> step(const BatchView& batch) override {
    if (options_.phase == Phase::infer) return infer(batch);
    FLYBALL_CHECK(check(batch, true));
    return guarded([&] { return train(batch); });
  }

  Result<StepResult> infer(const BatchView& batch) override {
    FLYBALL_CHECK(check(batch, false));
    return guarded([&] { return answer(batch); });
  }

  void begin_epoch() override { network_->begin_epoch(); }

  int64_t parameter_count() const override {
    int64_t count = 0;
    for (const NamedTensor& weight : distinct_weights())
      if (options_.phase == Phase::infer || weight.second.requires_grad())
        count += weight.second.numel();
    return count;
  }
  const std::vector<TensorSpec>& inputs() const override { return network_->inputs(); }
  const std::vector<TensorSpec>& targets() const override { return network_->targets(); }
  const StepOptions& options() const override { return options_; }

  Result<Checkpoint> checkpoint() override {
    try {
      Checkpoint all;
      all.facts = facts();
      all.facts["optimizer steps"] = std::to_string(optimizer_.steps());
      all.facts[rate_fact] = fmt::format("{}", learning_rate(options_));
      all.facts[decay_fact] = fmt::format("{}", weight_decay(options_));
      for (const NamedTensor& item : state())
        all.tensors.push_back(stored(item.first, item.second));
      for (const NamedTensor& item : network_->carried())
        all.tensors.push_back(stored(std::string(carried_prefix) + item.first, item.second));
      return all;
    } catch (const std::exception& failure) {
      return from_torch(failure);
    }
  }

  Status restore(const Checkpoint& checkpoint) override {
    FLYBALL_CHECK(checkpoint.agrees(facts()));
    FLYBALL_ASSIGN(const int64_t steps, checkpoint.number("optimizer steps"));
    try {
      const auto own = state();
      for (const NamedTensor& item : own) FLYBALL_CHECK(check_stored(checkpoint, item));
      const torch::NoGradGuard no_grad;
      std::vector<NamedTensor> carried;
      for (const StoredTensor& tensor : checkpoint.tensors)
        if (tensor.name.starts_with(carried_prefix))
          carried.emplace_back(tensor.name.substr(carried_prefix.size()),
                               loaded(tensor).to(device_));
      for (const NamedTensor& item : own) {
        const torch::Tensor there = loaded(*checkpoint.find(item.first));
        if (item.first == random_name)
          set_random_state(there);
        else
          torch::Tensor(item.second).copy_(there);
      }
      network_->carry(carried);
      optimizer_.set_steps(steps);
      take_rates(checkpoint);
    } catch (const std::exception& failure) {
      return from_torch(failure);
    }
    return {};
  }

 private:
  // What was asked for holds, else what the training had; earlier versions did not keep it.
  void take_rates(const Checkpoint& checkpoint) {
    const auto take = [&](const char* fact, std::optional<double>& own) {
      const auto had = checkpoint.facts.find(fact);
      if (!own && had != checkpoint.facts.end()) own = parse_double(had->second);
    };
    take(rate_fact, options_.learning_rate);
    take(decay_fact, options_.weight_decay);
    optimizer_.set_rates(options_);
  }

  // What must be equal where a training goes on. All parameters count there, whether or not they
  // are trained, as in the checkpoints of earlier versions.
  std::map<std::string, std::string> facts() const {
    int64_t count = 0;
    for (const torch::Tensor& parameter : network_->parameters()) count += parameter.numel();
    return {{"optimizer", optimizer_name(options_.optimizer)},
            {"parameters", std::to_string(count)}};
  }

  // Each parameter once, by its first name, where a script uses one in several places.
  std::vector<NamedTensor> distinct_weights() const {
    std::vector<NamedTensor> all;
    std::set<const c10::TensorImpl*> seen;
    for (const auto& item : network_->named_parameters())
      if (seen.insert(item.value().unsafeGetTensorImpl()).second)
        all.emplace_back(item.key(), item.value());
    return all;
  }

  // Everything with numbers, by name; the tensors themselves, but for the random state.
  std::vector<NamedTensor> state() {
    std::vector<NamedTensor> all;
    for (const NamedTensor& weight : distinct_weights())
      all.emplace_back(std::string(parameter_prefix) + weight.first, weight.second);
    for (const auto& item : network_->named_buffers())
      all.emplace_back(std::string(buffer_prefix) + item.key(), item.value());
    for (size_t i = 0; i < optimizer_.first().size(); ++i)
      all.emplace_back("first moment of " + trained_[i].first, optimizer_.first()[i]);
    for (size_t i = 0; i < optimizer_.second().size(); ++i)
      all.emplace_back("second moment of " + trained_[i].first, optimizer_.second()[i]);
    all.emplace_back(random_name, random_state());
    return all;
  }

  torch::Tensor random_state() const {
    at::Generator generator = at::globalContext().defaultGenerator(device_);
    const std::lock_guard lock(generator.mutex());
    return generator.get_state();
  }
  void set_random_state(const torch::Tensor& state) const {
    at::Generator generator = at::globalContext().defaultGenerator(device_);
    const std::lock_guard lock(generator.mutex());
    generator.set_state(state);
  }

  static Status check_stored(const Checkpoint& checkpoint, const NamedTensor& own) {
    const StoredTensor* const there = checkpoint.find(own.first);
    const auto bad = [&own](const char* what) {
      return Error{Code::conflict, fmt::format("the checkpoint has {} '{}'", what, own.first),
                   "go on with the network and the settings that it was made with"};
    };
    if (!there) return bad("no");
    const torch::Tensor stored = loaded(*there);
    if (stored.scalar_type() != own.second.scalar_type() || stored.sizes() != own.second.sizes())
      return bad("another shape or type of");
    return {};
  }
  std::vector<NamedTensor> place_parameters() {
    network_->to(device_);
    if (!options_.channels_last) return trained();
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& parameter : network_->parameters())
      if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(layout_));
    return trained();
  }

  std::vector<NamedTensor> trained() const {
    if (options_.phase == Phase::infer) return {};
    std::vector<NamedTensor> all = distinct_weights();
    std::erase_if(all, [](const NamedTensor& weight) { return !weight.second.requires_grad(); });
    return all;
  }

  static std::vector<torch::Tensor> tensors_of(const std::vector<NamedTensor>& named) {
    std::vector<torch::Tensor> tensors;
    for (const NamedTensor& item : named) tensors.push_back(item.second);
    return tensors;
  }

  Status check(const BatchView& batch, bool training) const {
    for (const TensorSpec& input : network_->inputs()) FLYBALL_CHECK(check_tensor(batch, input));
    if (training)
      for (const TensorSpec& target : network_->targets())
        FLYBALL_CHECK(check_tensor(batch, target));
    return network_->check(batch, training);
  }

  // Whatever went wrong, no memory of the minibatch is held afterwards.
  template <class Body>
  Result<StepResult> guarded(const Body& body) {
    release();
    try {
      adopt_threads();
      return body();
    } catch (const std::exception& failure) {
      release();
      return from_torch(failure);
    }
  }

  void release() {
    batch_.clear();
    outputs_.clear();
    losses_.clear();
    host_.clear();
    if (options_.phase == Phase::train) drop_gradients();
  }

  // Of a step that failed half way.
  void drop_gradients() {
    for (const NamedTensor& weight : trained_) weight.second.mutable_grad().reset();
  }

  void place(const BatchView& batch, const std::vector<TensorSpec>& wanted) {
    for (const TensorSpec& spec : wanted) {
      const TensorView& view = *batch.find(spec.name);
      batch_.add(spec.name, placed(view));
      if (spec.rows != RowLayout::packed) continue;
      const TensorView& offsets = *batch.find(offsets_name(spec.name));
      batch_.add(offsets.name, placed(offsets));
    }
  }

  torch::Tensor placed(const TensorView& view) const {
    const torch::Tensor host = on_host(view);
    const torch::Tensor there = device_.is_cpu() ? host : host.to(device_, true);
    return options_.channels_last && there.dim() == 4 ? there.contiguous(layout_) : there;
  }

  // Walking all modules costs more than a small network's layer.
  void set_training(bool training) {
    if (network_->is_training() != training) network_->train(training);
  }

  StepResult train(const BatchView& batch) {
    set_training(true);
    figures_.clear();
    const int64_t samples = batch.count(), parts = std::min(options_.accumulate, samples);
    if (parts == 1) {
      add_gradient(batch, true);
    } else {
      double weights = 0;
      for (int64_t part = 0; part < parts; ++part) {
        const int64_t first = samples * part / parts, last = samples * (part + 1) / parts;
        weights += add_gradient(slice_.take(batch, first, last - first), false);
      }
      take_mean(weights);
    }
    tell_stage(StepStage::optimizer);
    optimizer_.step();
    tell_stage(StepStage::end);
    network_->show(figures_);
    const BatchView shown = host_.take_numbers(figures_);
    finish();
    return {shown.tensors.front().values<double>().front(), shown};
  }

  // Of all of a minibatch, or of a part times its weight, which is returned.
  double add_gradient(const BatchView& part, bool all) {
    tell_stage(StepStage::forward);
    {
      const Autocast autocast(device_, options_.precision == Precision::bf16);
      place(part, network_->inputs());
      network_->answer(batch_, outputs_);
      place(part, network_->targets());
      network_->losses(outputs_, batch_, losses_);
    }
    outputs_.clear();
    batch_.clear();
    TORCH_CHECK(losses_.size() > 0, "the network gives no loss");
    const torch::Tensor& loss = losses_.begin()->second;
    tell_stage(StepStage::backward);
    const double weight = all ? 1 : network_->weight(part.count());
    (all ? loss : loss * weight).backward();
    size_t place = 0;
    for (const auto& [name, value] : losses_) {
      if (place == figures_.size()) figures_.emplace_back(name, 0);
      figures_[place++].second += weight * value.item<double>();
    }
    losses_.clear();
    return weight;
  }

  // What the parts added up to by their weights becomes that of the whole minibatch.
  void take_mean(double weights) {
    const torch::NoGradGuard no_grad;
    for (const NamedTensor& weight : trained_)
      if (torch::Tensor& gradient = weight.second.mutable_grad(); gradient.defined())
        gradient.mul_(1 / weights);
    for (auto& [name, value] : figures_) value /= weights;
  }

  StepResult answer(const BatchView& batch) {
    set_training(false);
    tell_stage(StepStage::forward);
    const torch::NoGradGuard no_grad;
    {
      const Autocast autocast(device_, options_.precision == Precision::bf16);
      place(batch, network_->inputs());
      network_->answer(batch_, outputs_);
    }
    const BatchView answers = host_.take(outputs_, batch_, batch.count());
    batch_.clear();
    finish();
    return {0, answers};
  }

  void finish() const {
    if (!device_.is_cpu()) torch::cuda::synchronize(device_.index());
  }

  std::shared_ptr<Network> network_;
  StepOptions options_;
  torch::Device device_;
  torch::MemoryFormat layout_;
  std::vector<NamedTensor> trained_;
  FusedOptimizer optimizer_;
  Tensors batch_, outputs_, losses_;  ///< of the step in hand; outputs stay until the next
  Scalars figures_;                   ///< of the last minibatch
  BatchSlice slice_;
  HostTensors host_;
};

}  // namespace

std::unique_ptr<Stepper> make_torch_stepper(std::shared_ptr<Network> network,
                                            const StepOptions& options, c10::Device device) {
  return std::make_unique<TorchStepper>(std::move(network), options, device);
}

}  // namespace flyball
