// Processes as a person recognises them.
#pragma once

#include <string>

namespace flyball {

/// The command line of a process, cut to a readable length; "" when it has none.
std::string command_of(int pid);

}  // namespace flyball
