// What a TorchScript module takes and how it is trained, as options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "profile/trials/run_data.h"

namespace flyball::cli {

struct ScriptOptions {
  std::vector<std::string> inputs, targets;
  std::string loss;
};

/// Adds --input, --target and --loss.
void add_script_options(CLI::App& command, ScriptOptions& options);

/// Reads them for a workload, with the data set that is named ("" none). Errors name the option: it
/// says nothing to this workload, its text is wrong, no such file.
Result<ScriptRequest> read_script_options(const ScriptOptions& options, const std::string& workload,
                                          const std::string& data);

}  // namespace flyball::cli
