#include "cli/prior_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/checks.h"
#include "twin/prior.h"

namespace flyball::cli {
namespace {

std::shared_ptr<const WorkloadTable> prior_of(const TwinBoard& board, const Profiler& profiler) {
  const ProfilerInfo& info = profiler.info();
  // The work of a table goes by its name, as the twin's does; that of a live network was counted.
  if (info.live && info.cost && !is_work_of_twin(info.workload, info.phase, *info.cost)) return {};
  return known_prior(board, empty_table(role_of(info), profiler.space()), profiler.space().axes(),
                     info.job);
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

Result<std::optional<TwinBoard>> prior_board(const std::string& prior, const std::string& device) {
  if (prior == "none") return std::optional<TwinBoard>();
  if (prior != "twin") {
    FLYBALL_ASSIGN(TwinBoard board, read_twin_board(prior));
    return std::optional(std::move(board));
  }
  auto board = find_twin_board(device);
  return board.ok() ? std::optional(*std::move(board)) : std::nullopt;
}

Status take_prior(const std::string& prior, WorkloadTable& table) {
  FLYBALL_ASSIGN(const auto board, prior_board(prior, table.device));
  if (board) table.prior = known_prior(*board, table, table.space.axes());
  if (table.prior || prior == "none") return {};
  return Error{Code::invalid_argument, "no twin knows " + table.title(), "give --prior none"};
}

CLI::Option* PriorOption::add(CLI::App& command) {
  return add_prior_option(command, prior);
}

Status PriorOption::take(const std::vector<const Profiler*>& profilers,
                         SessionOptions& options) const {
  const ProfilerInfo& info = profilers.front()->info();
  const bool simulated = std::ranges::any_of(
      profilers, [](const Profiler* who) { return who->info().accepted.simulated; });
  const bool automatic = prior == "auto";
  if (automatic && (simulated || info.live)) return {};
  if (prior == "twin" && simulated)
    return Error{Code::invalid_argument,
                 fmt::format("what is tried here is simulated: the twin of {} knows it beforehand",
                             info.device),
                 "leave --prior out, or name a board's file of other constants"};
  FLYBALL_ASSIGN(const auto board, prior_board(automatic ? "twin" : prior, info.device));
  if (board)
    for (const Profiler* who : profilers) options.priors.push_back(prior_of(*board, *who));
  if (std::ranges::any_of(options.priors, [](const auto& known) { return known != nullptr; }))
    return {};
  options.priors.clear();
  if (automatic || prior == "none") return {};
  return Error{Code::invalid_argument,
               fmt::format("no twin knows {}", empty_table(role_of(info), {}).title()),
               "leave --prior out: it is searched without"};
}

}  // namespace flyball::cli
