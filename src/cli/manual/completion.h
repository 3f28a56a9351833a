// Completion of command lines in shells, as scripts that know every command and option.
#pragma once

#include <string>
#include <vector>

#include "cli/manual/command_list.h"

namespace flyball::cli {

/// bash 4 or later, with or without the package bash-completion.
std::string bash_completion(const std::vector<ListedCommand>& commands);
std::string zsh_completion(const std::vector<ListedCommand>& commands);
/// fish 3 or later.
std::string fish_completion(const std::vector<ListedCommand>& commands);

/// Text as one word of any of the three shells.
std::string completion_word(const std::string& text);

}  // namespace flyball::cli
