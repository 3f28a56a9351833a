#include "cli/prior_options.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/text.h"
#include "boards/spec.h"
#include "cli/checks.h"
#include "cli/option_scope.h"
#include "predictors/registry.h"
#include "twin/prior.h"

namespace flyball::cli {
namespace {

std::shared_ptr<const WorkloadTable> prior_of(const TwinBoard& board, const Profiler& profiler) {
  const ProfilerInfo& info = profiler.info();
  // The work of a table goes by its name, as the twin's does; that of a live network was counted,
  // or is not known.
  const bool runs_here = info.live && info.provenance != Provenance::simulated;
  if (runs_here && !(info.cost && is_work_of_twin(info.workload, info.phase, *info.cost)))
    return nullptr;
  const Space& space = profiler.space();
  return known_prior(board, empty_table(role_of(info), space), space.axes(), info.live);
}

// A dry run does not count the work of a live network.
bool is_counted_later(const Profiler& profiler, bool dry_run) {
  const ProfilerInfo& info = profiler.info();
  return dry_run && info.live && !info.program && !info.cost &&
         known_twin_workload(info.workload, info.phase).ok();
}

// Would a twin be told what it said itself?
bool is_simulated(Profiler& profiler) {
  if (profiler.info().live) return profiler.info().provenance == Provenance::simulated;
  if (!profiler.info().accepted.simulated && !profiler.info().accepted.predicted) return false;
  for (size_t row = 0; row < profiler.space().size(); ++row)
    if (const auto read = profiler.measure(row);
        read.ok() &&
        (read->provenance == Provenance::simulated || read->provenance == Provenance::predicted))
      return true;
  return false;
}

}  // namespace

CLI::Option* add_prior_option(CLI::App& command, std::string& prior) {
  const bool automatic = prior == "auto";
  std::vector<std::string> words = {"twin", "none"};
  if (automatic) words.insert(words.begin(), "auto");
  return offers(command.add_option(
                    "--prior", prior,
                    std::string("What is known beforehand: ") +
                        (automatic ? "auto (twin where a table was measured), " : "") +
                        "twin (what the board's simulation says), none, or a board's file, whose "
                        "constants then count"),
                words)
      ->capture_default_str();
}

Result<std::optional<TwinBoard>> prior_board(const std::string& prior, const std::string& device,
                                             bool named) {
  if (prior == "none") return std::optional<TwinBoard>();
  if (prior == "twin" || prior == "auto") {
    auto board = find_twin_board(device);
    return board.ok() ? std::optional(*std::move(board)) : std::nullopt;
  }
  FLYBALL_ASSIGN(TwinBoard board, read_twin_board(prior));
  if (board.id == device || !find_board_spec(board.id)) return std::optional(std::move(board));
  if (!named) return std::optional<TwinBoard>();
  return Error{
      Code::invalid_argument, fmt::format("{} is of {}, and not of {}", prior, board.id, device),
      fmt::format("name a file of the same board (`flyball twin calibrate` prints one), or "
                  "give yours id = \"{}\"",
                  device)};
}

Status check_told(const std::string& predictor) {
  FLYBALL_ASSIGN(const PredictorEntry* entry, find_predictor(predictor));
  if (entry->priors) return {};
  return Error{Code::invalid_argument,
               fmt::format("predictor '{}' is told nothing beforehand", predictor),
               "leave --prior out, or take --predictor transfer-gp"};
}

Status take_prior(const std::string& prior, WorkloadTable& table) {
  if (prior == "none" || prior == "auto") return {};
  FLYBALL_ASSIGN(const auto board, prior_board(prior, table.device, true));
  if (board) table.prior = known_prior(*board, table, table.space.axes());
  if (table.prior) return {};
  return Error{Code::invalid_argument, "no twin knows " + table.title(), "give --prior none"};
}

CLI::Option* PriorOption::add(CLI::App& command) {
  return option_ = add_prior_option(command, prior_);
}

bool PriorOption::is_named() const {
  return given(*option_) && prior_ != "auto" && prior_ != "none";
}

Status PriorOption::take(const std::vector<Profiler*>& profilers, bool dry_run,
                         SessionOptions& options) const {
  FLYBALL_ASSIGN(const PredictorEntry* predictor, find_predictor(options.predictor));
  if (!predictor->priors) return is_named() ? check_told(options.predictor) : Status();
  const bool own = prior_ == "auto" || prior_ == "twin";
  FLYBALL_ASSIGN(const auto board,
                 prior_board(prior_, profilers.front()->info().device, is_named()));
  std::vector<std::string> unknown;
  for (Profiler* who : profilers) {
    const ProfilerInfo& info = who->info();
    const bool simulated = own && is_simulated(*who);
    if (simulated && is_named())
      return Error{
          Code::invalid_argument,
          fmt::format("what is tried of {} is simulated: the twin of {} knows it beforehand",
                      info.workload, info.device),
          "leave --prior out, or name a board's file of other constants"};
    const bool live = prior_ == "auto" && info.live;
    options.priors.push_back(board && !simulated && !live ? prior_of(*board, *who) : nullptr);
    if (options.priors.back() || (board && is_counted_later(*who, dry_run))) continue;
    const WorkloadTable asked = empty_table(role_of(info), who->space());
    unknown.push_back(asked.title() + (asked.knows_batches() ? "" : " in batches of unknown size"));
  }
  if (unknown.size() < profilers.size()) return {};
  options.priors.clear();
  if (!is_named()) return {};
  return Error{Code::invalid_argument, fmt::format("no twin knows {}", join(unknown, " or ")),
               "leave --prior out: it is searched without"};
}

}  // namespace flyball::cli
