// Steps on LibTorch: the module's side of stepper.h.
#include "workload/stepper.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workload/autocast.h"
#include "workload/layer_recorder.h"
#include "workload/memory_recorder.h"
#include "workload/network.h"
#include "workload/networks.h"
#include "workload/optimizer.h"
#include "workload/pooled_allocator.h"
#include "workload/runtime.h"
#include "workload/sample_batch.h"
#include "workload/script.h"
#include "workload/step_maker.h"
#include "workload/torch_stepper.h"
#include "workload/workload.h"

namespace flyball {
namespace {

Status check_options(const StepOptions& options) {
  const auto bad = [](const std::string& message, const std::string& hint) {
    return Error{Code::invalid_argument, message, hint};
  };
  if (options.batch_size < 1)
    return bad(fmt::format("batch size {} is not above zero", options.batch_size),
               "give 1 or more, such as 16");
  const double rate = learning_rate(options);
  if (!(rate > 0) || !std::isfinite(rate))
    return bad(fmt::format("learning rate {} is not above zero", rate),
               "give a number above zero, such as 0.01");
  if (!(options.momentum >= 0 && options.momentum < 1))
    return bad(fmt::format("momentum {} is not in [0, 1)", options.momentum), "");
  if (options.weight_decay && !(*options.weight_decay >= 0 && std::isfinite(*options.weight_decay)))
    return bad(fmt::format("weight decay {} is below zero", *options.weight_decay),
               "give 0 or more, such as 0.01");
  if (options.accumulate < 1)
    return bad(fmt::format("{} parts of a minibatch are too few", options.accumulate),
               "give 1 or more, such as 4");
  if (options.threads < 0)
    return bad(fmt::format("{} threads are too few", options.threads),
               "give 1 or more, or 0 for all usable cores");
  if (options.classes < 1) return bad(fmt::format("{} classes are too few", options.classes), "");
  // A number for each sample has no shape.
  const bool scalar = options.shape.empty() && !options.batch.empty();
  if (!scalar && (options.shape.empty() || std::ranges::min(options.shape) < 1))
    return bad(fmt::format("input shape {} is empty", options.shape.text()),
               "give sizes above zero, for pictures channels, height and width");
  if (options.precision == Precision::bf16 && !has_bf16_autocast)
    return Error{Code::unavailable, "this LibTorch is too old for bf16", "use fp32"};
  return {};
}

// What the workload itself says where the options leave it open.
Result<StepOptions> completed(const std::string& network, StepOptions options) {
  if (script_file(network).empty()) {
    FLYBALL_ASSIGN(const Workload* workload, find_workload(network));
    if (options.classes == 0) options.classes = workload->shape.classes;
    if (options.shape.empty()) options.shape = workload->shape.input;
  }
  FLYBALL_CHECK(check_options(options));
  return options;
}

Result<std::shared_ptr<Network>> make_network(const std::string& network,
                                              const StepOptions& options) {
  if (!script_file(network).empty()) return load_script(network, options);
  return make_network(network, NetworkShape{options.shape, options.classes});
}

Result<StepMemory> recorded(MemoryRecording& recording, Stepper& stepper, int64_t samples,
                            const BatchMaker& batches) {
  const auto step = [&]() -> Status {
    FLYBALL_ASSIGN(const BatchView batch, batches(stepper, samples));
    const auto result = stepper.step(batch);
    return result.ok() ? Status() : result.error();
  };
  FLYBALL_CHECK(step());
  recording.begin_step();
  FLYBALL_CHECK(step());
  return recording.end_step(static_cast<double>(samples));
}

// One step of a network under the eyes of a recorder. What a first step alone does (weights folded
// for inference) is done before.
Result<Graph> trace(const std::shared_ptr<Network>& network, const std::string& name,
                    const StepOptions& options, torch::Device device) {
  std::vector<NamedTensor> weights = script_weights(*network);
  if (script_file(name).empty())
    for (const auto& item : network->named_parameters())
      weights.emplace_back(item.key(), item.value());
  const auto stepper = make_torch_stepper(network, options, device);
  FLYBALL_ASSIGN(const SampleBatch batch,
                 make_sample_batch(*stepper, options.batch_size, options.shape));
  if (options.phase == Phase::infer) FLYBALL_CHECK(stepper->step(batch.view()));
  LayerRecorder recorder(weights, options.phase == Phase::train);
  FLYBALL_CHECK(stepper->step(batch.view()));
  return recorder.take();
}

class TorchSteps final : public StepMaker {
 public:
  Result<std::unique_ptr<Stepper>> make_stepper(const std::string& network,
                                                const StepOptions& options) const override {
    FLYBALL_ASSIGN(const StepOptions complete, completed(network, options));
    FLYBALL_ASSIGN(const torch::Device device, find_device(complete.device));
    pool_host_memory();
    if (complete.threads > 0) set_threads(complete.threads);
    try {
      torch::manual_seed(complete.seed);
      FLYBALL_ASSIGN(auto module, make_network(network, complete));
      return make_torch_stepper(std::move(module), complete, device);
    } catch (const std::exception& failure) {
      const Error error = from_torch(failure);
      return error.code == Code::out_of_memory ? error : error.within(network);
    }
  }
  Result<std::vector<Result<StepMemory>>> step_memory(const std::string& network,
                                                      const StepOptions& options,
                                                      const std::vector<int64_t>& sizes,
                                                      const BatchMaker& batches) const override {
    FLYBALL_ASSIGN(const torch::Device device, find_device(options.device));
    MemoryRecording recording(device.type());
    FLYBALL_ASSIGN(const auto stepper, make_stepper(network, options));
    std::vector<Result<StepMemory>> all;
    for (const int64_t samples : sizes)
      all.push_back(recorded(recording, *stepper, samples, batches));
    return all;
  }
  Result<Graph> trace_step(const std::string& network, const StepOptions& options) const override {
    FLYBALL_ASSIGN(const StepOptions complete, completed(network, options));
    FLYBALL_ASSIGN(const torch::Device device, find_device(complete.device));
    if (complete.threads > 0) set_threads(complete.threads);
    try {
      torch::manual_seed(complete.seed);
      FLYBALL_ASSIGN(auto module, make_network(network, complete));
      const PlainScripts plain;
      return trace(module, network, complete, device);
    } catch (const std::exception& failure) {
      const Error error = from_torch(failure);
      return error.code == Code::out_of_memory ? error : error.within(network);
    }
  }
  Status check_device(const std::string& device) const override {
    FLYBALL_ASSIGN([[maybe_unused]] const torch::Device found, find_device(device));
    return {};
  }
  BatchAllocator batch_allocator() const override { return &pinned_memory; }
};

}  // namespace
}  // namespace flyball

extern "C" const flyball::StepMaker* flyball_step_maker() {
  static const flyball::TorchSteps steps;
  return &steps;
}
