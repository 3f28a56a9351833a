// Which options of a command apply to what it runs: declared once, where the option is added. An
// option that would change the answer, and cannot there, is refused. One that only says how to
// behave on this machine (--wait, --force, --quiet) is harmless where nothing is measured on it,
// and taken everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball::cli {

/// The options that a helper added to a command.
using AddedOptions = std::vector<CLI::Option*>;

/// What a command runs, or reads instead of running it.
enum class Target {
  network,      ///< on this machine
  script,       ///< a network of the user's own, on this machine
  program,      ///< of the user's own
  table,        ///< measured already
  twin,         ///< a simulated board
  onnx,         ///< a file that is described
  arrivals,     ///< plans that are made by simulating requests
  clockwork,    ///< plans whose requests come like clockwork
  one_mode,     ///< plans with one mode that all roles share
  no_energy,    ///< plans whose objective is not energy
  no_joules,    ///< plans whose objective is neither energy nor power
  no_training,  ///< a service without a training in its gaps
  known         ///< searches of which every configuration is known
};

struct ScopeException {
  std::function<bool()> unless{};  ///< then the options apply all the same
  std::string remedy{};            ///< instead of the target's usual one
  std::string reason{};            ///< likewise, behind the option's name
};

class OptionScope {
 public:
  /// The options mean nothing to these targets.
  void exclude(std::initializer_list<Target> targets, const AddedOptions& options,
               const ScopeException& exception = {});
  /// Error: an option was given that means nothing to the target; `named` is what the command was
  /// told to run.
  Status check(Target target, const std::string& named = "") const;

 private:
  struct Excluded {
    std::set<Target> targets;
    CLI::Option* option;
    ScopeException exception;
  };
  std::vector<Excluded> excluded_;
};

/// Did the user name the option on the command line? A default out of a file names nothing.
bool given(const CLI::Option& option);

/// Is the option just now given its default out of a file (cli/line/configured_options.h)?
bool takes_default(const CLI::Option& option);

/// A default out of a file is checked at once, so that its file and line are told; what is typed
/// the command itself refuses, with its remedy.
CLI::Option* checked_in_files(CLI::Option* option, std::function<Status(const std::string&)> check);

/// Sets `given` when the user names the option; a default out of a file names nothing.
CLI::Option* note_given(CLI::Option* option, bool& given);

}  // namespace flyball::cli
