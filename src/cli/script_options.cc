#include "cli/script_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "workload/script_file.h"
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

// Before anything is measured that would fail each time.
Status check_script_files(const std::string& workload, const ScriptOptions& options) {
  FLYBALL_CHECK(check_script_file(script_file(workload)));
  return options.loss.empty() ? Status() : check_script_file(options.loss);
}

}  // namespace

AddedOptions add_script_options(CLI::App& command, ScriptOptions& options) {
  CLI::Option* input =
      command
          .add_option("--input", options.inputs,
                      "What forward of script:FILE takes: [NAME:][DTYPE:]SHAPE, such as 3x224x224 "
                      "or ids:int64..30521:128 (then numbers are drawn), or NAME in the dataset")
          ->allow_extra_args(false);
  CLI::Option* target = command
                            .add_option("--target", options.targets,
                                        "What the loss of script:FILE takes without a dataset, as "
                                        "--input has it, such as label:int64..9:scalar")
                            ->allow_extra_args(false);
  CLI::Option* loss = command.add_option(
      "--loss", options.loss,
      "TorchScript whose forward gives the loss of script:FILE; default: cross-entropy");
  return {input, target, loss};
}

void add_script_options(CLI::App& command, ScriptOptions& options, OptionScope& scope) {
  const AddedOptions added = add_script_options(command, options);
  scope.exclude({Target::program, Target::table, Target::twin}, added);
  scope.exclude({Target::network}, added, {.remedy = only_scripts});
}

Result<ScriptRequest> read_script_options(const ScriptOptions& options, const std::string& workload,
                                          const std::string& data) {
  ScriptRequest request;
  if (script_file(workload).empty()) return request;
  request.loss = options.loss;
  if (!data.empty()) {
    if (!options.targets.empty())
      return Error{Code::invalid_argument, "--target says nothing to a script with a dataset",
                   "name the arguments of the loss's forward as the dataset's tensors"};
    FLYBALL_CHECK(check_script_files(workload, options));
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
  if (!request.drawn.empty()) FLYBALL_CHECK(check_script_files(workload, options));
  return request;
}

}  // namespace flyball::cli
