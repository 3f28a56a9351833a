// `--dry-run`: what a command would measure and set, said in place of doing it.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/common_options.h"
#include "tune/dry_run.h"

namespace flyball::cli {

CLI::Option* add_dry_run(CLI::App& command, bool& dry_run);
/// Reads the store where there is one, writes nothing, and prints. `searches`: so many of its kind
/// are made, one after the other. Errors: as of dry_run().
Status show_dry_run(const SharedBoard& board, const StoreArguments& store, const Request& request,
                    const std::shared_ptr<const Problem>& problem, bool json, size_t searches = 1);

/// As text, or as the JSON document.
Status print_dry_run(const DryRun& dry, bool json);

}  // namespace flyball::cli
