// Which load a server gets, as options of `loadtest` and of `tune --server`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/status.h"
#include "cli/option_scope.h"
#include "load/load_request.h"
#include "schedule/arrivals.h"

namespace flyball::cli {

struct LoadArguments {
  std::string protocol, arrivals;
  std::optional<double> rate_hz;
  double timeout_s = 60;
  size_t connections = 256;
  LoadRequestOptions request;
  bool no_stream = false;
  const CLI::App* command = nullptr;  ///< whose options they are
};

/// What is sent and when: --protocol, --model, --arrivals, … --header alone is loadtest's: a store
/// keeps the command line of a tune, and a header may be a key.
AddedOptions add_load_options(CLI::App& command, LoadArguments& arguments);

/// What --arrivals and --rate say; "poisson" and "constant" take their rate from --rate, alone that
/// is Poisson. Errors: neither; http, which is no load.
Result<ArrivalSpec> load_arrivals(const LoadArguments& arguments);

/// The same for a protocol: without defaults out of a file that mean nothing to it. Error: an
/// option was typed that means nothing there.
Result<LoadArguments> load_of_protocol(LoadArguments arguments, LoadProtocol protocol);

}  // namespace flyball::cli
