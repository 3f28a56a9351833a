// Steps on LibTorch: the module's side of stepper.h.
#include "workload/stepper.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cmath>

#include "workload/autocast.h"
#include "workload/network.h"
#include "workload/networks.h"
#include "workload/optimizer.h"
#include "workload/runtime.h"
#include "workload/script.h"
#include "workload/step_maker.h"
#include "workload/workload.h"

namespace flyball {
namespace {

Status check_options(const StepOptions& options) {
  const auto bad = [](const std::string& message, const std::string& hint) {
    return Error{Code::invalid_argument, message, hint};
  };
  if (options.batch_size < 1)
    return bad(fmt::format("batch size {} is not above zero", options.batch_size), "");
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate))
    return bad(fmt::format("learning rate {} is not above zero", options.learning_rate), "");
  if (!(options.momentum >= 0 && options.momentum < 1))
    return bad(fmt::format("momentum {} is not in [0, 1)", options.momentum), "");
  if (options.threads < 0) return bad(fmt::format("{} threads are too few", options.threads), "");
  if (options.classes < 1) return bad(fmt::format("{} classes are too few", options.classes), "");
  if (*std::ranges::min_element(options.shape) < 1)
    return bad(fmt::format("input shape {}×{}×{} is empty", options.shape[0], options.shape[1],
                           options.shape[2]),
               "give channels, height and width");
  if (options.precision == Precision::bf16 && !has_bf16_autocast)
    return Error{Code::unavailable, "this LibTorch is too old for bf16", "use fp32"};
  return {};
}

class TorchStepper final : public Stepper {
 public:
  TorchStepper(std::shared_ptr<Network> network, StepOptions options, torch::Device device)
      : network_(std::move(network)),
        options_(std::move(options)),
        device_(device),
        layout_(options_.channels_last ? torch::MemoryFormat::ChannelsLast
                                       : torch::MemoryFormat::Contiguous),
        optimizer_(place_parameters(), options_) {}

  Result<double> step(const BatchView& batch) override {
    FLYBALL_CHECK(check(batch));
    return guarded([&] { return options_.phase == Phase::train ? train(batch) : infer(batch); });
  }

  Result<int64_t> correct(const BatchView& batch) override {
    FLYBALL_CHECK(check(batch));
    return guarded([&] {
      set_training(false);
      const torch::NoGradGuard no_grad;
      const Autocast autocast(device_, options_.precision == Precision::bf16);
      const auto answers = network_->forward(samples(batch)).argmax(1);
      return answers.eq(labels(batch)).sum().template item<int64_t>();
    });
  }

  int64_t parameter_count() const override {
    int64_t count = 0;
    for (const torch::Tensor& parameter : network_->parameters()) count += parameter.numel();
    return count;
  }
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

  template <class Body>
  auto guarded(const Body& body) -> Result<decltype(body())> {
    try {
      adopt_threads();
      return body();
    } catch (const std::exception& failure) {
      return from_torch(failure);
    }
  }

  Status check(const BatchView& batch) const {
    const auto bad = [](const std::string& message) {
      return Error{Code::invalid_argument, message, "give the stepper the shape of the dataset"};
    };
    const auto [channels, height, width] = options_.shape;
    if (batch.shape != options_.shape)
      return bad(fmt::format("samples of {}×{}×{} do not fit a network for {}×{}×{}",
                             batch.shape[0], batch.shape[1], batch.shape[2], channels, height,
                             width));
    const int64_t wanted = batch.count() * channels * height * width;
    if (batch.count() < 1 || static_cast<int64_t>(batch.samples.size()) != wanted)
      return bad(fmt::format("{} numbers do not make {} samples of {}×{}×{}", batch.samples.size(),
                             batch.count(), channels, height, width));
    for (int64_t label : batch.labels)
      if (label < 0 || label >= options_.classes)
        return bad(fmt::format("label {} is not in 0 to {}", label, options_.classes - 1));
    return {};
  }

  // LibTorch only reads through the pointer.
  torch::Tensor samples(const BatchView& batch) const {
    const auto [channels, height, width] = options_.shape;
    const torch::Tensor host =
        torch::from_blob(const_cast<float*>(batch.samples.data()),
                         {batch.count(), channels, height, width}, torch::kFloat32);
    const torch::Tensor there = device_.is_cpu() ? host : host.to(device_, true);
    return options_.channels_last ? there.contiguous(layout_) : there;
  }

  torch::Tensor labels(const BatchView& batch) const {
    const torch::Tensor host =
        torch::from_blob(const_cast<int64_t*>(batch.labels.data()), {batch.count()}, torch::kInt64);
    return device_.is_cpu() ? host : host.to(device_, true);
  }

  // Walking all modules costs more than a small network's layer.
  void set_training(bool training) {
    if (network_->is_training() != training) network_->train(training);
  }

  double train(const BatchView& batch) {
    set_training(true);
    torch::Tensor loss;
    {
      const Autocast autocast(device_, options_.precision == Precision::bf16);
      loss = at::cross_entropy_loss(network_->forward(samples(batch)), labels(batch));
    }
    loss.backward();
    optimizer_.step();
    const double value = loss.item<double>();
    finish();
    return value;
  }

  double infer(const BatchView& batch) {
    set_training(false);
    const torch::NoGradGuard no_grad;
    const Autocast autocast(device_, options_.precision == Precision::bf16);
    network_->forward(samples(batch));
    finish();
    return 0;
  }

  void finish() const {
    if (!device_.is_cpu()) torch::cuda::synchronize(device_.index());
  }

  std::shared_ptr<Network> network_;
  StepOptions options_;
  torch::Device device_;
  torch::MemoryFormat layout_;
  FusedOptimizer optimizer_;
};

// What the workload itself says where the options leave it open.
Result<StepOptions> completed(const std::string& network, StepOptions options) {
  if (script_file(network).empty()) {
    FLYBALL_ASSIGN(const Workload* workload, find_workload(network));
    if (options.classes == 0) options.classes = workload->shape.classes;
    if (options.shape == std::array<int64_t, 3>{}) options.shape = workload->shape.input;
  }
  FLYBALL_CHECK(check_options(options));
  return options;
}

Result<std::shared_ptr<Network>> make_network(const std::string& network,
                                              const StepOptions& options) {
  if (!script_file(network).empty()) return load_script(network, options.phase == Phase::train);
  return make_network(network, NetworkShape{options.shape, options.classes});
}

class TorchSteps final : public StepMaker {
 public:
  Result<std::unique_ptr<Stepper>> make_stepper(const std::string& network,
                                                const StepOptions& options) const override {
    FLYBALL_ASSIGN(const StepOptions complete, completed(network, options));
    FLYBALL_ASSIGN(const torch::Device device, find_device(complete.device));
    if (complete.threads > 0) set_threads(complete.threads);
    try {
      torch::manual_seed(complete.seed);
      FLYBALL_ASSIGN(auto module, make_network(network, complete));
      return std::unique_ptr<Stepper>(
          std::make_unique<TorchStepper>(std::move(module), complete, device));
    } catch (const std::exception& failure) {
      return from_torch(failure).within(network);
    }
  }
  std::function<std::shared_ptr<float>(size_t)> batch_allocator() const override {
    return &pinned_memory;
  }
};

}  // namespace
}  // namespace flyball

extern "C" const flyball::StepMaker* flyball_step_maker() {
  static const flyball::TorchSteps steps;
  return &steps;
}
