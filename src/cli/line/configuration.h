// Defaults that a user keeps in files: `~/.config/flyball/config.toml` and a project's
// `flyball.toml`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball::cli {

struct ConfiguredValue {
  std::string command;  ///< "tune", "plan training"; "": every command that has the option
  std::string option;   ///< "--power-budget"
  std::vector<std::string> values;
  std::string file;
  int64_t line = 0;

  std::string place() const;  ///< "flyball.toml:3"
  /// Of a command's path: is it the command that is meant, or one below it?
  bool is_meant_for(const std::string& path) const;
};

/// The user's file, and the project's: the nearest `flyball.toml` in the working folder or above.
/// They need not be there.
struct ConfigurationFiles {
  std::filesystem::path user;
  std::filesystem::path project;  ///< empty: none was found
};
ConfigurationFiles configuration_files();

/// The keys of a file: options at the top are meant for every command, those of a table for the
/// command of its name. Error: no TOML, or a value that is neither text, number, truth nor a list
/// of them; it names the line.
Result<std::vector<ConfiguredValue>> parse_configuration(const std::string& text,
                                                         const std::string& name);

struct ConfiguredDefaults {
  std::vector<ConfiguredValue> values;  ///< the more important ones later
  std::vector<std::string> notes;       ///< files that were left unread, and why
};
/// Both files. What somebody else may have put into a folder above this one is left unread.
Result<ConfiguredDefaults> read_configuration(const ConfigurationFiles& files);

}  // namespace flyball::cli
