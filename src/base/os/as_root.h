// Commands of Flyball that root is to type: sudo does not search the PATH of the user.
#pragma once

#include <string>
#include <string_view>

namespace flyball {

/// "sudo flyball helper install" where root finds this program by its name, as a package puts it;
/// else `sudo "$(command -v flyball)" …` where this user's PATH finds it; else its path. `words`
/// are what stands behind the program.
std::string as_root(std::string_view words);

/// The same of whichever flyball the reader's PATH finds: on a page, in help, in what a service
/// answers.
std::string as_root_elsewhere(std::string_view words);

/// As as_root(), of a program at this path and a user with this PATH.
std::string as_root(std::string_view words, const std::string& program, std::string_view path);

}  // namespace flyball
