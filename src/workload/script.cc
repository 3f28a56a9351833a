#include "workload/script.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "data/pictures/picture_collate.h"
#include "workload/classifier.h"
#include "workload/runtime.h"
#include "workload/script_file.h"
#include "workload/workload.h"

namespace flyball {
namespace {

// What a module answers, as one tensor of logits.
torch::Tensor logits_of(const torch::IValue& answer) {
  if (answer.isTensor()) return answer.toTensor();
  if (answer.isTuple() && !answer.toTupleRef().elements().empty())
    return logits_of(answer.toTupleRef().elements()[0]);
  if (answer.isGenericDict() && answer.toGenericDict().size() == 1)
    return logits_of(answer.toGenericDict().begin()->value());
  TORCH_CHECK(false, "the script's forward gives ", answer.tagKind(),
              " where a tensor of N×classes logits is wanted");
}

bool wants_gradient(const torch::Tensor& parameter) {
  return parameter.requires_grad();
}

Result<torch::jit::Module> load_module(const std::string& file) {
  FLYBALL_CHECK(check_script_file(file));
  try {
    return torch::jit::load(file);
  } catch (const std::exception& failure) {
    return Error{Code::corrupt,
                 fmt::format("'{}' is no TorchScript: {}", file, from_torch(failure).message),
                 "write it in Python: torch.jit.script(model).save(\"model.pt\"); torch.save() "
                 "writes another format"};
  }
}

// Names of forward's arguments that have to be given.
std::vector<std::string> arguments_of(const torch::jit::Module& module) {
  std::vector<std::string> names;
  const auto& all = module.get_method("forward").function().getSchema().arguments();
  for (size_t i = 1; i < all.size(); ++i)
    if (!all[i].default_value()) names.push_back(all[i].name());
  return names;
}

const TensorSpec* find(const std::vector<TensorSpec>& specs, const std::string& name) {
  const auto found = std::ranges::find(specs, name, &TensorSpec::name);
  return found == specs.end() ? nullptr : &*found;
}

// The specs of these names.
Result<std::vector<TensorSpec>> chosen(const std::vector<TensorSpec>& batch,
                                       const std::vector<std::string>& names,
                                       const std::string& whose) {
  std::vector<TensorSpec> specs;
  std::vector<std::string> known;
  for (const TensorSpec& spec : batch) known.push_back(spec.name);
  for (const std::string& name : names) {
    const TensorSpec* const spec = find(batch, name);
    if (!spec)
      return Error{Code::invalid_argument,
                   fmt::format("{} takes '{}', which is not in the data", whose, name),
                   fmt::format("it has {}; name the arguments of forward as these, or say with "
                               "--input what it takes",
                               join(known, ", "))};
    specs.push_back(*spec);
  }
  return specs;
}

// What a script takes and what its loss takes besides.
struct Parts {
  torch::jit::Module module;
  std::optional<torch::jit::Module> loss;
  std::vector<TensorSpec> inputs, targets;
};

Result<std::vector<TensorSpec>> inputs_of(const torch::jit::Module& module,
                                          const StepOptions& options) {
  if (options.batch.empty())
    return std::vector<TensorSpec>{{image_tensor, DType::float32, options.shape}};
  if (!options.inputs.empty()) return chosen(options.batch, options.inputs, "the script");
  const auto names = arguments_of(module);
  if (names.size() == 1 && !find(options.batch, names.front()))
    return std::vector<TensorSpec>{options.batch.front()};
  return chosen(options.batch, names, "the script's forward");
}

Result<Parts> load_parts(const std::string& file, const StepOptions& options) {
  Parts parts;
  FLYBALL_ASSIGN(parts.module, load_module(file));
  FLYBALL_ASSIGN(parts.inputs, inputs_of(parts.module, options));
  const auto wanted = arguments_of(parts.module);
  if (parts.inputs.size() < wanted.size())
    return Error{Code::invalid_argument,
                 fmt::format("the forward of '{}' takes {} tensors ({}) and gets {}", file,
                             wanted.size(), join(wanted, ", "), parts.inputs.size()),
                 "give --input once for each of them"};
  const TensorSpec label{label_tensor, DType::int64, {}};
  if (options.loss.empty()) {
    const TensorSpec* const found = find(options.batch, label_tensor);
    const bool there = options.batch.empty() || (found && found->dtype == DType::int64);
    if (!there && options.phase == Phase::train)
      return Error{Code::invalid_argument, "the data has no 'label' for the cross-entropy",
                   "give a loss of your own: --loss FILE, a second TorchScript module"};
    parts.targets = {label};
    return parts;
  }
  FLYBALL_ASSIGN(parts.loss, load_module(options.loss));
  std::vector<std::string> names = arguments_of(*parts.loss);
  if (names.empty())
    return Error{Code::invalid_argument,
                 fmt::format("the forward of '{}' takes nothing", options.loss),
                 "its first argument is what the script answers"};
  names.erase(names.begin());
  FLYBALL_ASSIGN(parts.targets, chosen(options.batch, names, "the loss"));
  return parts;
}

class ScriptNetwork final : public Network {
 public:
  ScriptNetwork(Parts parts, int64_t classes)
      : Network(parts.inputs, parts.targets),
        module_(parts.module),
        loss_(std::move(parts.loss)),
        classes_(classes) {
    // The same tensors under plain names, so that parameters() and buffers() find them.
    int64_t index = 0;
    for (const torch::Tensor& parameter : module_.parameters())
      if (parameter.is_leaf())
        register_parameter(fmt::format("p{}", index++), parameter, parameter.requires_grad());
    for (const torch::Tensor& buffer : module_.buffers())
      register_buffer(fmt::format("b{}", index++), buffer);
  }

  Status check(const BatchView& batch, bool training) const override {
    return training && !loss_ ? check_labels(batch, classes_) : Status();
  }

  void answer(const Tensors& batch, Tensors& outputs) override {
    std::vector<torch::IValue> taken;
    for (const TensorSpec& input : inputs()) taken.emplace_back(batch[input.name]);
    const torch::IValue answer = module_.forward(taken);
    if (loss_) {
      answer_ = answer;
      names_.clear();
      name_outputs(answer, "output");
      for (const auto& [name, tensor] : names_) outputs.add(name, tensor);
      return;
    }
    const torch::Tensor scores = logits_of(answer);
    const int64_t samples = taken.front().toTensor().size(0);
    TORCH_CHECK(scores.dim() == 2 && scores.size(0) == samples,
                "the script's forward gives a tensor of shape ", scores.sizes(), " for ", samples,
                " samples; N×classes logits are wanted");
    TORCH_CHECK(!is_training() || scores.size(1) >= classes_, "the script answers ", scores.size(1),
                " classes and the data has ", classes_,
                ": give the module an output for each class, or data of its classes");
    outputs.add("logits", scores);
  }

  void losses(const Tensors& outputs, const Tensors& batch, Tensors& losses) override {
    if (!loss_) {
      losses.add("loss", at::cross_entropy_loss(outputs["logits"], batch[label_tensor]));
      return;
    }
    std::vector<torch::IValue> taken = {std::exchange(answer_, torch::IValue())};
    for (const TensorSpec& target : targets()) taken.emplace_back(batch[target.name]);
    const torch::IValue loss = loss_->forward(taken);
    TORCH_CHECK(loss.isTensor() && loss.toTensor().numel() == 1,
                "the loss module gives no tensor of one number");
    TORCH_CHECK(loss.toTensor().requires_grad(),
                "what the loss module gives does not depend on what is trained");
    losses.add("loss", loss.toTensor().reshape({}));
  }

  std::vector<NamedTensor> weights() const {
    std::vector<NamedTensor> all;
    for (const auto& item : module_.named_parameters()) all.emplace_back(item.name, item.value);
    return all;
  }

  void train(bool on) override {
    torch::nn::Module::train(on);
    module_.train(on);
  }
  using torch::nn::Module::to;
  void to(torch::Device device, bool non_blocking) override {
    module_.to(device, non_blocking);
    if (loss_) loss_->to(device, non_blocking);
  }

 private:
  // Tensors of an answer, however deep: "output", "output_0", or as a dict names them.
  void name_outputs(const torch::IValue& answer, const std::string& name) {
    if (answer.isTensor()) {
      names_.emplace_back(name, answer.toTensor());
    } else if (answer.isTuple()) {
      size_t index = 0;
      for (const torch::IValue& item : answer.toTupleRef().elements())
        name_outputs(item, fmt::format("{}_{}", name, index++));
    } else if (answer.isGenericDict()) {
      for (const auto& item : answer.toGenericDict())
        name_outputs(item.value(), item.key().isString() ? item.key().toStringRef() : name);
    }
  }

  torch::jit::Module module_;
  std::optional<torch::jit::Module> loss_;
  int64_t classes_;  ///< of the data
  torch::IValue answer_;
  std::vector<NamedTensor> names_;  ///< of the last answer
};

}  // namespace

std::vector<NamedTensor> script_weights(const Network& network) {
  const auto* const script = dynamic_cast<const ScriptNetwork*>(&network);
  return script ? script->weights() : std::vector<NamedTensor>{};
}

PlainScripts::PlainScripts() : before_(torch::jit::getGraphExecutorOptimize()) {
  torch::jit::setGraphExecutorOptimize(false);
}
PlainScripts::~PlainScripts() {
  torch::jit::setGraphExecutorOptimize(before_);
}

Result<std::shared_ptr<Network>> load_script(const std::string& workload,
                                             const StepOptions& options) {
  const std::string file = script_file(workload);
  FLYBALL_ASSIGN(Parts parts, load_parts(file, options));
  auto network = std::make_shared<ScriptNetwork>(std::move(parts), options.classes);
  if (options.phase == Phase::train && std::ranges::none_of(network->parameters(), &wants_gradient))
    return Error{Code::invalid_argument, fmt::format("'{}' has no parameters to train", file),
                 "was it frozen? Save it without torch.jit.freeze(), or use --phase infer"};
  return std::shared_ptr<Network>(network);
}

}  // namespace flyball
