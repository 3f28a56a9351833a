// `tune --server`: a server that is started, put under load and ended.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/status.h"
#include "cli/board.h"
#include "cli/load_options.h"
#include "load/server_profiler.h"

namespace flyball::cli {

struct ServerOptions {
  std::string command;  ///< "": none
  std::string url, ready;
  LoadArguments load;
  ServedFigure figure = ServedFigure::latency;
};

/// Adds --server; returns the options that go with it.
AddedOptions add_server_options(CLI::App& command, ServerOptions& server);

/// A profiler of the server on the board of `options`, which says axes and the time of trials.
Result<OpenedProfiler> open_server(const ProfilerOptions& options, const ServerOptions& server);

}  // namespace flyball::cli
