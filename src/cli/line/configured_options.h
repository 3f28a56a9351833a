// Options of a command whose defaults come from configuration files.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/line/configuration.h"
#include "cli/line/renamed.h"

namespace flyball::cli {

/// An option that an environment variable stands for, too: that one comes before the files.
struct OptionVariable {
  const char* option;
  const char* variable;
};
std::span<const OptionVariable> option_variables();
/// The variable that stands for the option in this environment, or null.
const char* variable_in_place_of(const std::string& option);

/// Error: a value names no option that there is, or one that is said each time: what gives a right
/// (`--apply`, `--force`), what is written, what runs; or its value is taken by none of the
/// commands that it is meant for.
Status check_configuration(CLI::App& app, std::span<const ConfiguredValue> values);

/// Those that count for the command, one for each option, in the command's order.
std::vector<const ConfiguredValue*> values_of(const NamedCommand& named,
                                              std::span<const ConfiguredValue> values);

/// Makes the values the defaults of the command's options, but of those that the words give, and of
/// those that exclude one that they give. Error: a value that the option refuses.
Status configure(const NamedCommand& named, std::span<const ConfiguredValue> values,
                 const std::vector<std::string>& words);

}  // namespace flyball::cli
