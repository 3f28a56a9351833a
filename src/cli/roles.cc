#include "cli/roles.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/board.h"
#include "cli/tables.h"
#include "profile/table_profiler.h"

namespace flyball::cli {
namespace {

bool names_a_file(const std::string& spec) {
  return spec.find(".csv") != std::string::npos || spec.find('/') != std::string::npos;
}

Result<RoleBoard> open_role(const std::string& spec, Phase phase, double trial_seconds,
                            Accepted accepted) {
  RoleBoard role;
  if (names_a_file(spec)) {
    FLYBALL_ASSIGN(const WorkloadTable table, read_role(spec, phase, accepted));
    role.profiler = make_table_profiler(table);
    return role;
  }
  BoardOptions options;
  options.workload = spec;
  options.phase = phase_name(phase);
  options.trial_seconds = trial_seconds;
  // Serving chooses its batch size; requests are at hand, so nothing is loaded ahead.
  if (phase == Phase::infer)
    options.axes = {"batch_size=1,4,16,32,64", "loader_workers=0", "prefetch=1"};
  FLYBALL_ASSIGN(Board board, open_board(options));
  role.profiler = std::move(board.profiler);
  return role;
}

}  // namespace

Result<std::vector<RoleBoard>> open_roles(const std::vector<std::string>& train,
                                          const std::vector<std::string>& infer,
                                          double trial_seconds, Accepted accepted) {
  std::vector<RoleBoard> roles;
  for (const Phase phase : {Phase::train, Phase::infer})
    for (const std::string& spec : phase == Phase::train ? train : infer) {
      FLYBALL_ASSIGN(RoleBoard role, open_role(spec, phase, trial_seconds, accepted));
      roles.push_back(std::move(role));
    }
  return roles;
}

Result<std::shared_ptr<const Candidates>> link_roles(std::vector<RoleBoard>& roles) {
  std::vector<Space> spaces;
  for (const RoleBoard& role : roles) {
    const ProfilerInfo &first = roles[0].profiler->info(), &own = role.profiler->info();
    if (own.device != first.device)
      return Error{Code::invalid_argument,
                   fmt::format("{} was measured on {}, {} on {}", first.workload, first.device,
                               own.workload, own.device),
                   "workloads that share a board must be measured on one"};
    spaces.push_back(role.profiler->space());
  }
  FLYBALL_ASSIGN(Candidates linked, Candidates::link(std::move(spaces)));
  for (size_t r = 0; r < roles.size(); ++r) {
    const Space& own = roles[r].profiler->space();
    const Space& common = linked.space(r);
    for (size_t c = 0; c < common.size(); ++c) {
      // Linking may order the axes differently: look rows up by name.
      FLYBALL_ASSIGN(const auto row, own.to_row(common.settings(c)));
      roles[r].config.push_back(*own.find(row));
    }
  }
  return std::make_shared<const Candidates>(std::move(linked));
}

}  // namespace flyball::cli
