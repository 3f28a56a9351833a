#include "tune/plan_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/figure.h"
#include "device/registry/board.h"
#include "twin/twin.h"

namespace flyball {
namespace {

bool is_live(const ProfilerInfo& board) {
  return board.provenance == Provenance::measured;
}

/// Windows have modes of their own, or each role has.
bool changes_modes(const Request& request) {
  return request.kind == "dynamic" || request.separate_modes;
}

PlanSwitchCost switch_cost(const ProfilerInfo& board, const ToldCosts& told,
                           const BoardCosts& stored) {
  if (told.switch_ms) return {.source = CostSource::user, .ms = *told.switch_ms};
  const StoredSwitchCost* known = stored.switch_cost_of(board.device, board.fingerprint);
  if (!known) return {};
  return {known->of_this_board(board.fingerprint) ? CostSource::this_board : CostSource::board_kind,
          known->cost.switch_ms(), known->cost.measured_utc, known->run};
}

std::vector<PowerMode> modes_of(const SharedBoard& board) {
  const Space& space = board.candidates->modes();
  std::vector<PowerMode> modes(board.candidates->mode_count());
  if (space.empty()) return modes;  // no axis of the board: one mode, as it is
  for (size_t m = 0; m < modes.size(); ++m) modes[m] = space.trial(m, "", Phase::infer).mode;
  return modes;
}

// NaN where it was not measured.
std::vector<double> measured_idle(const ProfilerInfo& board, const std::vector<PowerMode>& modes,
                                  const BoardCosts& stored) {
  std::vector<double> watts;
  for (const PowerMode& mode : modes) {
    const StoredIdle* known = is_live(board)
                                  ? stored.idle_of(board.fingerprint, board.power_total, mode)
                                  : stored.idle_of_kind(board.device, board.power_total, mode);
    watts.push_back(known ? known->idle.power_w : not_measured);
  }
  return watts;
}

PlanIdlePower idle_of_modes(const SharedBoard& board, const ToldCosts& told, const TwinBoard* twin,
                            const BoardCosts& stored) {
  const std::vector<PowerMode> modes = modes_of(board);
  PlanIdlePower idle;
  idle.modes = modes.size();
  if (told.idle_w) {
    idle.source = CostSource::user;
    idle.mode_w.assign(modes.size(), *told.idle_w);
    return idle;
  }
  if (twin) idle.mode_w = simulated_idle(board, *twin);
  if (!idle.mode_w.empty()) {
    idle.source = CostSource::simulated;
    return idle;
  }
  std::vector<double> watts = measured_idle(board.info(0), modes, stored);
  idle.unknown =
      static_cast<size_t>(std::ranges::count_if(watts, [](double w) { return std::isnan(w); }));
  if (idle.unknown > 0) return idle;
  idle.source = is_live(board.info(0)) ? CostSource::this_board : CostSource::board_kind;
  idle.mode_w = std::move(watts);
  return idle;
}

std::string switch_note(const PlanSwitchCost& cost) {
  if (cost.source == CostSource::user) return "";
  if (cost.source == CostSource::unknown)
    return "what a switch takes is not known and counts as nothing: --switch-cost says it, "
           "`flyball mode cost` measures it";
  return fmt::format(
      "a switch takes {} ms: the dearest change of mode measured on {} at {} (`flyball "
      "mode cost`, run {})",
      number(cost.ms),
      cost.source == CostSource::this_board ? "this board" : "a board of this kind",
      cost.measured_utc, cost.run);
}

std::string idle_note(const PlanIdlePower& idle) {
  switch (idle.source) {
    case CostSource::user:
      return fmt::format("idle power between batches is yours: {} W in every mode",
                         number(idle.mode_w.front()));
    case CostSource::simulated:
      return fmt::format("idle power between batches is counted as it is simulated, in {} modes",
                         idle.modes);
    case CostSource::this_board:
    case CostSource::board_kind:
      return fmt::format(
          "idle power between batches is counted as `flyball mode idle` measured it, in {} mode{}",
          idle.modes, idle.modes == 1 ? "" : "s");
    case CostSource::unknown:
      break;
  }
  return fmt::format(
      "idle power between batches is not counted: it is known of {} of {} modes; --idle-power says "
      "it, `flyball mode idle MODE` measures it",
      idle.modes - idle.unknown, idle.modes);
}

}  // namespace

std::vector<double> simulated_idle(const SharedBoard& board, const TwinBoard& twin) {
  if (twin_power_total(twin).empty()) return {};
  std::vector<double> watts;
  for (const PowerMode& mode : modes_of(board)) {
    const auto power = idle_power(twin, mode);
    if (!power) return {};  // it has not such modes
    watts.push_back(twin_total_w(twin, *power));
  }
  return watts;
}

PlanCosts plan_costs(const Request& request, const SharedBoard& board, const ToldCosts& told,
                     const TwinBoard* twin, const BoardCosts& stored) {
  PlanCosts costs;
  const bool dynamic = request.kind == "dynamic";
  if (changes_modes(request)) costs.switching = switch_cost(board.info(0), told, stored);
  if ((dynamic || request.kind == "inference") && board.roles.size() == 1 &&
      objective_of(request, board.workloads()) == Objective::energy)
    costs.idle = idle_of_modes(board, told, twin, stored);
  return costs;
}

void count_costs(Request& request, const PlanCosts& costs) {
  if (costs.switching) {
    request.switch_ms = costs.switching->ms;
    if (std::string note = switch_note(*costs.switching); !note.empty())
      request.cost_notes.push_back(std::move(note));
  }
  if (costs.idle) {
    request.idle_w = costs.idle->mode_w;
    request.cost_notes.push_back(idle_note(*costs.idle));
  }
}

Status read_costs(Request& request, const SharedBoard& board, const ToldCosts& told,
                  const TwinBoard* twin, Store* store) {
  if (request.kind != "inference" && !changes_modes(request)) return {};
  BoardCosts stored;
  if (store) {
    FLYBALL_ASSIGN(stored, board_costs(*store));
  }
  count_costs(request, plan_costs(request, board, told, twin, stored));
  return {};
}

}  // namespace flyball
