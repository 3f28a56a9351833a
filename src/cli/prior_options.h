// `--prior`: what predictors know before anything is measured: twin, none, or a board's file.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answers/request.h"
#include "profile/trials/profiler.h"
#include "space/table.h"
#include "twin/board.h"

namespace flyball::cli {

CLI::Option* add_prior_option(CLI::App& command, std::string& prior);
/// The board that it names; nothing for "none", and for "twin" where no board of the name `device`
/// has one. Error: a file that is none of a board with a twin.
Result<std::optional<TwinBoard>> prior_board(const std::string& prior, const std::string& device);
/// What it says of a table that is judged. Error: it knows no such network.
Status take_prior(const std::string& prior, WorkloadTable& table);

/// The same where a search may do without.
struct PriorOption {
  std::string prior = "twin";
  bool given = false;  ///< by the user: then it has to say something

  CLI::Option* add(CLI::App& command);
  /// What it says of each of these workloads, into the options. Of trials that are simulated, or
  /// rows that are and count, the board's twin is no prior: it would know what they read. Errors,
  /// where it was given: that, and that it knows none of the networks.
  Status take(const std::vector<const Profiler*>& profilers, SessionOptions& options) const;
};

}  // namespace flyball::cli
