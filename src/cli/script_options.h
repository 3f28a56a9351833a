// What a TorchScript module takes and how it is trained, as options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/option_scope.h"
#include "profile/trials/run_data.h"

namespace flyball::cli {

struct ScriptOptions {
  std::vector<std::string> inputs, targets;
  std::string loss;
};

inline constexpr const char* only_scripts =
    "it is for script:FILE; Flyball's networks know their own";

/// Adds --input, --target and --loss, in this order.
AddedOptions add_script_options(CLI::App& command, ScriptOptions& options);
/// The same for a command that runs script:FILE on this machine.
void add_script_options(CLI::App& command, ScriptOptions& options, OptionScope& scope);

/// Reads them for a workload, with the data set that is named ("" none). Errors name the option:
/// its text is wrong, no such file.
Result<ScriptRequest> read_script_options(const ScriptOptions& options, const std::string& workload,
                                          const std::string& data);

}  // namespace flyball::cli
