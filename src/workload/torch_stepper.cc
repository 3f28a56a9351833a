#include "workload/torch_stepper.h"

#include <ATen/Functions.h>
#include <torch/autograd.h>
#include <torch/cuda.h>

#include "workload/autocast.h"
#include "workload/host_tensors.h"
#include "workload/optimizer.h"
#include "workload/runtime.h"

namespace flyball {
namespace {

class TorchStepper final : public Stepper {
 public:
  TorchStepper(std::shared_ptr<Network> network, StepOptions options, torch::Device device)
      : network_(std::move(network)),
        options_(std::move(options)),
        device_(device),
        layout_(options_.channels_last ? torch::MemoryFormat::ChannelsLast
                                       : torch::MemoryFormat::Contiguous),
        optimizer_(place_parameters(), options_) {}

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
    for (const torch::Tensor& parameter : network_->parameters()) count += parameter.numel();
    return count;
  }
  const std::vector<TensorSpec>& inputs() const override { return network_->inputs(); }
  const std::vector<TensorSpec>& targets() const override { return network_->targets(); }
  const StepOptions& options() const override { return options_; }

 private:
  std::vector<torch::Tensor> place_parameters() {
    network_->to(device_);
    if (!options_.channels_last) return trainable();
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& parameter : network_->parameters())
      if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(layout_));
    return trainable();
  }

  std::vector<torch::Tensor> trainable() {
    return options_.phase == Phase::train ? network_->parameters() : std::vector<torch::Tensor>{};
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
    {
      const Autocast autocast(device_, options_.precision == Precision::bf16);
      place(batch, network_->inputs());
      network_->answer(batch_, outputs_);
      place(batch, network_->targets());
      network_->losses(outputs_, batch_, losses_);
    }
    outputs_.clear();
    batch_.clear();
    TORCH_CHECK(losses_.size() > 0, "the network gives no loss");
    losses_.begin()->second.backward();
    optimizer_.step();
    const BatchView shown = host_.take_numbers(losses_);
    losses_.clear();
    finish();
    return {shown.tensors.front().values<double>().front(), shown};
  }

  StepResult answer(const BatchView& batch) {
    set_training(false);
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
  FusedOptimizer optimizer_;
  Tensors batch_, outputs_, losses_;  ///< of the step in hand; outputs stay until the next
  HostTensors host_;
};

}  // namespace

std::unique_ptr<Stepper> make_torch_stepper(std::shared_ptr<Network> network,
                                            const StepOptions& options, c10::Device device) {
  return std::make_unique<TorchStepper>(std::move(network), options, device);
}

}  // namespace flyball
