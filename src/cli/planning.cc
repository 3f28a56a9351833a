#include "cli/planning.h"

#include "base/interrupt.h"
#include "base/units.h"
#include "cli/board.h"
#include "cli/tables.h"
#include "profile/trials/table_profiler.h"

namespace flyball::cli {
namespace {

Status read_limits(const PlanOptions& options, PlanRequest& request) {
  for (const std::string& text : options.latencies) {
    FLYBALL_ASSIGN(const Seconds latency, parse_seconds(text));
    request.latencies_ms.push_back(latency.value * 1e3);
  }
  if (!options.power_budget.empty()) {
    FLYBALL_ASSIGN(const Watts watts, parse_watts(options.power_budget));
    request.budgets.power_w = watts.value;
  }
  if (!options.time_budget.empty()) {
    FLYBALL_ASSIGN(const Seconds time, parse_seconds(options.time_budget));
    request.budgets.time_ms = time.value * 1e3;
  }
  if (!options.energy_budget.empty()) {
    FLYBALL_ASSIGN(const Joules energy, parse_joules(options.energy_budget));
    request.budgets.energy_j = energy.value;
  }
  if (!options.objective.empty()) {
    FLYBALL_ASSIGN(request.objective, parse_objective(options.objective));
  }
  if (!options.switch_cost.empty()) {
    FLYBALL_ASSIGN(const Seconds cost, parse_seconds(options.switch_cost));
    request.switch_ms = cost.value * 1e3;
  }
  return {};
}

bool names_a_file(const std::string& spec) {
  return spec.find(".csv") != std::string::npos || spec.find('/') != std::string::npos;
}

Result<std::unique_ptr<Profiler>> open_role(const std::string& spec, Phase phase,
                                            const PlanOptions& options) {
  if (names_a_file(spec)) {
    FLYBALL_ASSIGN(const WorkloadTable table, read_role(spec, phase, options.accepted));
    return make_table_profiler(table);
  }
  ProfilerOptions role;
  role.workload = spec;
  role.device = options.device;
  role.root = options.root;
  role.phase = phase_name(phase);
  role.trial_seconds = options.trial_seconds;
  role.seed = options.request.seed;
  role.quiet = options.quiet;
  // Serving chooses its batch size; requests are at hand, so nothing is loaded ahead.
  if (phase == Phase::infer)
    role.axes = {"batch_size=1,4,16,32,64", "loader_workers=0", "prefetch=1"};
  FLYBALL_ASSIGN(OpenedProfiler opened, open_profiler(role));
  return std::move(opened.profiler);
}

}  // namespace

Result<SharedBoard> open_shared_board(const PlanOptions& options) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  for (const Phase phase : {Phase::train, Phase::infer})
    for (const std::string& spec : phase == Phase::train ? options.train : options.infer) {
      FLYBALL_ASSIGN(auto profiler, open_role(spec, phase, options));
      profilers.push_back(std::move(profiler));
    }
  return share_board(std::move(profilers));
}

Status read_plan_request(PlanOptions& options, const SharedBoard& board) {
  PlanRequest& request = options.request;
  FLYBALL_CHECK(read_limits(options, request));
  FLYBALL_ASSIGN(request.references, gather_references(options.references, board.info(0).device,
                                                       !options.no_reference, options.accepted));
  request.cancelled = &interrupt_flag();
  return {};
}

Result<std::optional<Store>> plan_store(const PlanOptions& options) {
  if (options.no_store) return std::optional<Store>();
  FLYBALL_ASSIGN(Store store, open_store(options.store));
  return std::optional<Store>(std::move(store));
}

}  // namespace flyball::cli
