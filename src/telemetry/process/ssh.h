// How other machines are asked by ssh, which is never asked for a password.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// ssh with its options: it gives up within a quarter of a minute where nobody answers, and within
/// a minute where the connection dies. More options, "--", host and command follow. Error: there is
/// no ssh here (unavailable).
Result<std::vector<std::string>> ssh_words();

/// The line of a shell by which a flyball writes a consistent copy of its store to stdout.
/// `program`: as that shell takes it; `store`: one word, ""; its own one.
std::string store_export_command(const std::string& program, const std::string& store);

}  // namespace flyball
