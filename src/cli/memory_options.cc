#include "cli/memory_options.h"

#include "cli/quantities.h"

namespace flyball::cli {

AddedOptions add_memory_options(CLI::App& command, MemoryOptions& options) {
  CLI::Option* size = add_size(
      command, "--memory", [&options](uint64_t bytes) { options.bytes = bytes; },
      "Memory that a network here may take, what needs more is left out; default: what is "
      "available");
  return {size, command.add_flag("--no-memory-check", options.no_check,
                                 "Try also what does not fit into this machine's memory")};
}

}  // namespace flyball::cli
