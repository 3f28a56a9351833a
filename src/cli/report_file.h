// Reports as files.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "cli/commands.h"

namespace flyball::cli {

/// Adds `--report FILE`.
CLI::Option* add_report_option(CLI::App& command, std::string& file);
/// Writes the page with this document (docs/report-data.md) and says where; `quiet`: without a
/// word, as beside --json. Nothing is written where `file` is "".
Status write_report(const std::string& file, const Json& document, bool quiet);

}  // namespace flyball::cli
