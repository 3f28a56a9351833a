#include "workload/script.h"

#include <fmt/format.h>
#include <torch/script.h>

#include <algorithm>
#include <filesystem>

#include "workload/runtime.h"
#include "workload/workload.h"

namespace flyball {
namespace {

// What a module answers, as one tensor of logits.
torch::Tensor logits(const torch::IValue& answer) {
  if (answer.isTensor()) return answer.toTensor();
  if (answer.isTuple() && !answer.toTupleRef().elements().empty())
    return logits(answer.toTupleRef().elements()[0]);
  if (answer.isGenericDict() && answer.toGenericDict().size() == 1)
    return logits(answer.toGenericDict().begin()->value());
  TORCH_CHECK(false, "the script's forward gives ", answer.tagKind(),
              " where a tensor of N×classes logits is wanted");
}

bool wants_gradient(const torch::Tensor& parameter) {
  return parameter.requires_grad();
}

class ScriptNetwork final : public Classifier {
 public:
  ScriptNetwork(const torch::jit::Module& module, const NetworkShape& shape)
      : Classifier(shape), module_(module), classes_(shape.classes) {
    // The same tensors under plain names, so that parameters() finds them.
    int64_t index = 0;
    for (const torch::Tensor& parameter : module_.parameters())
      if (parameter.is_leaf())
        register_parameter(fmt::format("p{}", index++), parameter, parameter.requires_grad());
  }

  torch::Tensor forward(const torch::Tensor& samples) override {
    torch::Tensor answer = logits(module_.forward({samples}));
    TORCH_CHECK(answer.dim() == 2 && answer.size(0) == samples.size(0),
                "the script's forward gives a tensor of shape ", answer.sizes(), " for ",
                samples.size(0), " samples; N×classes logits are wanted");
    TORCH_CHECK(!is_training() || answer.size(1) >= classes_, "the script answers ", answer.size(1),
                " classes and the data has ", classes_,
                ": give the module an output for each class, or data of its classes");
    return answer;
  }
  void train(bool on) override {
    torch::nn::Module::train(on);
    module_.train(on);
  }
  using torch::nn::Module::to;
  void to(torch::Device device, bool non_blocking) override { module_.to(device, non_blocking); }

 private:
  torch::jit::Module module_;
  int64_t classes_;  ///< of the data
};

}  // namespace

Result<std::shared_ptr<Network>> load_script(const std::string& workload, const NetworkShape& shape,
                                             bool training) {
  const std::string file = script_file(workload);
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file, problem))
    return Error{Code::not_found, fmt::format("there is no TorchScript file '{}'", file),
                 "write one in Python: torch.jit.script(model).save(\"model.pt\")"};
  try {
    auto network = std::make_shared<ScriptNetwork>(torch::jit::load(file), shape);
    if (training && std::ranges::none_of(network->parameters(), &wants_gradient))
      return Error{Code::invalid_argument, fmt::format("'{}' has no parameters to train", file),
                   "was it frozen? Save it without torch.jit.freeze(), or use --phase infer"};
    return std::shared_ptr<Network>(network);
  } catch (const std::exception& failure) {
    const Error error = from_torch(failure);
    return Error{Code::corrupt, fmt::format("'{}' is no TorchScript: {}", file, error.message),
                 "write it in Python: torch.jit.script(model).save(\"model.pt\"); torch.save() "
                 "writes another format"};
  }
}

}  // namespace flyball
