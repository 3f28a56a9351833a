#include "cli/script_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "workload/workload.h"

namespace flyball::cli {
namespace {

Result<std::vector<DrawnTensor>> parse_tensors(const std::vector<std::string>& texts,
                                               const char* option, const std::string& name) {
  std::vector<DrawnTensor> tensors;
  for (const std::string& text : texts) {
    auto tensor = parse_drawn_tensor(
        text, tensors.empty() ? name : fmt::format("{}_{}", name, tensors.size()));
    if (!tensor) return tensor.error().within(option);
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

Error says_nothing(const char* option, const std::string& to, const std::string& hint) {
  return {Code::invalid_argument, fmt::format("{} says nothing to {}", option, to), hint};
}

}  // namespace

void add_script_options(CLI::App& command, ScriptOptions& options) {
  command
      .add_option("--input", options.inputs,
                  "of script:FILE: [NAME:][DTYPE:]SHAPE of what forward takes, such as 3x224x224 "
                  "or ids:int64..30521:128 (then numbers are drawn), or NAME in the dataset")
      ->allow_extra_args(false);
  command
      .add_option("--target", options.targets,
                  "of script:FILE without a dataset: what its loss takes, likewise, such as "
                  "label:int64..9:scalar")
      ->allow_extra_args(false);
  command.add_option(
      "--loss", options.loss,
      "of script:FILE: TorchScript whose forward gives the loss; else cross-entropy");
}

Result<ScriptRequest> read_script_options(const ScriptOptions& options, const std::string& workload,
                                          const std::string& data) {
  ScriptRequest request;
  if (script_file(workload).empty()) {
    const std::pair<const char*, bool> given[] = {{"--input", !options.inputs.empty()},
                                                  {"--target", !options.targets.empty()},
                                                  {"--loss", !options.loss.empty()}};
    for (const auto& [option, is_given] : given)
      if (is_given)
        return says_nothing(option, fmt::format("'{}'", workload),
                            "it is for script:FILE; Flyball's networks know their own");
    return request;
  }
  request.loss = options.loss;
  if (!data.empty()) {
    if (!options.targets.empty())
      return says_nothing("--target", "a script with a dataset",
                          "name the arguments of the loss's forward as the dataset's tensors");
    request.inputs = options.inputs;
    return request;
  }
  if (options.inputs.empty() && !options.targets.empty())
    return Error{Code::invalid_argument, "--target without --input",
                 "say with --input what the script's forward takes"};
  FLYBALL_ASSIGN(request.drawn, parse_tensors(options.inputs, "--input", "input"));
  for (const DrawnTensor& tensor : request.drawn) request.inputs.push_back(tensor.spec.name);
  FLYBALL_ASSIGN(const auto targets, parse_tensors(options.targets, "--target", "label"));
  request.drawn.insert(request.drawn.end(), targets.begin(), targets.end());
  return request;
}

}  // namespace flyball::cli
