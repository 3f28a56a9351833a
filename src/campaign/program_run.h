// Programs that a campaign asks: Slurm's, ssh, this one. Unlike sensors' tools
// (base/os/tool_process.h) they need this process's environment, and say why they fail.
#pragma once

#include <string>

#include "base/status.h"
#include "campaign/campaign.h"

namespace flyball {

/// Runs it without a terminal; what it prints on stdout. Errors: it does not start; it fails
/// (unavailable, with the end of what it says on stderr); it takes longer (io; it is killed); it
/// prints more than 16 MiB (corrupt).
Result<std::string> run_program(const CommandWords& argv, double limit_s);

}  // namespace flyball
