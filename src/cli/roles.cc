#include "cli/roles.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/board.h"
#include "profile/table_profiler.h"

namespace flyball::cli {
namespace {

bool names_a_file(const std::string& spec) {
  return spec.find(".csv") != std::string::npos || spec.find('/') != std::string::npos;
}

Result<RoleBoard> open_role(const std::string& spec, Phase phase, double trial_seconds) {
  RoleBoard role;
  if (names_a_file(spec)) {
    FLYBALL_ASSIGN(const WorkloadTable table, read_workload_table(spec, phase));
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

Result<WorkloadTable> read_workload_table(const std::string& spec, Phase phase) {
  const size_t colon = spec.rfind(".csv:");
  const std::string file = colon == std::string::npos ? spec : spec.substr(0, colon + 4);
  FLYBALL_ASSIGN(const Table table, read_table(file));
  if (colon != std::string::npos) {
    FLYBALL_ASSIGN(const WorkloadTable* found, table.find(spec.substr(colon + 5), phase));
    return *found;
  }
  const WorkloadTable* only = nullptr;
  for (const WorkloadTable& workload : table.workloads) {
    if (workload.phase != phase) continue;
    if (only)
      return Error{Code::invalid_argument,
                   fmt::format("{} holds several workloads in phase {}", file, phase_name(phase)),
                   fmt::format("say which, as in {}:{}", file, only->workload)};
    only = &workload;
  }
  if (only) return *only;
  return Error{Code::not_found,
               fmt::format("{} holds no workload in phase {}", file, phase_name(phase)),
               "training tables go to --train, inference tables to --infer"};
}

Result<std::vector<RoleBoard>> open_roles(const std::vector<std::string>& train,
                                          const std::vector<std::string>& infer,
                                          double trial_seconds) {
  std::vector<RoleBoard> roles;
  for (const Phase phase : {Phase::train, Phase::infer})
    for (const std::string& spec : phase == Phase::train ? train : infer) {
      FLYBALL_ASSIGN(RoleBoard role, open_role(spec, phase, trial_seconds));
      roles.push_back(std::move(role));
    }
  return roles;
}

Result<std::shared_ptr<const Candidates>> link_roles(std::vector<RoleBoard>& roles) {
  std::vector<Space> spaces;
  for (const RoleBoard& role : roles) spaces.push_back(role.profiler->space());
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
