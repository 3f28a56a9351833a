// What live trials may take of this machine's memory.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>

#include "cli/option_scope.h"

namespace flyball::cli {

struct MemoryOptions {
  std::optional<uint64_t> bytes;  ///< that there are; nothing: as the machine tells
  bool no_check = false;          ///< try also what does not fit
};

/// `--memory SIZE`, `--no-memory-check`.
AddedOptions add_memory_options(CLI::App& command, MemoryOptions& options);

}  // namespace flyball::cli
