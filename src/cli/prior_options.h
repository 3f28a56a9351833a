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
/// Error: a predictor that is told nothing beforehand.
Status check_told(const std::string& predictor);
/// The board that it names; nothing for "none", and for "twin" or "auto" where no board of the name
/// `device` has one. A file of another board that is known is an error where the user named it,
/// else nothing. Error also: a file that is none of a board with a twin.
Result<std::optional<TwinBoard>> prior_board(const std::string& prior, const std::string& device,
                                             bool named);
/// What it says of a table that is judged; "auto" is "none". Errors: it knows no such network, is
/// of another board.
Status take_prior(const std::string& prior, WorkloadTable& table);

/// The same of a search, which by default ("auto") takes the board's twin of each table that was
/// measured, and nothing else: twins simulate PyTorch and its loader, as tables of papers were
/// measured, and no live trial of Flyball's own networks was compared with any.
class PriorOption {
 public:
  CLI::Option* add(CLI::App& command);
  /// What it says of each of these workloads, into the options. Errors, where the user named it:
  /// the predictor takes none; rows that are simulated, of which the board's twin would know what
  /// they read; none of the networks is known to it with that work.
  /// Of a dry run the work of a live network is not counted, and nothing is taken for it.
  Status take(const std::vector<Profiler*>& profilers, bool dry_run, SessionOptions& options) const;

 private:
  bool is_named() const;

  std::string prior_ = "auto";
  CLI::Option* option_ = nullptr;
};

}  // namespace flyball::cli
