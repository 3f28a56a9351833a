// `flyball experiment`: a file a subcommand, and what they share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.h"
#include "device/registry/board.h"
#include "experiment/runner.h"

namespace flyball::cli {

void add_experiment_findings(CLI::App& group, Context& context);
void add_experiment_benchmark(CLI::App& group, Context& context);

/// With the folder that stands for / and that of reports and drawn sets; notes go to stderr.
Result<ExperimentOptions> experiment_options(const std::string& root, const std::string& out,
                                             const Context& context);
/// The board, and where a network computes there: numbers of another place are none of this
/// experiment. Who only reads (`runs` false) does not mind that a GPU is not reached now. Errors:
/// `device`, as it was typed, is not live, or its GPU is not reached.
Result<BoardInfo> experiment_place(const Board& board, const std::string& device, bool runs);

}  // namespace flyball::cli
