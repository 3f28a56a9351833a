// Idle power and switches of a plan's board: whose figures they are, as notes.
#include "tune/plan_costs.h"

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/planning.h"

namespace flyball::cli {
namespace {

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

Status read_board_costs(PlanOptions& options, const SharedBoard& board, const Board* simulated,
                        Store* store) {
  Request& request = options.request;
  if (request.kind != "inference" && request.kind != "dynamic") return {};
  BoardCosts stored;
  if (store) {
    FLYBALL_ASSIGN(stored, board_costs(*store));
  }
  ToldCosts told{.idle_w = options.idle_power_w};
  told.switch_ms = options.switch_ms;
  const PlanCosts costs =
      plan_costs(request, board, told, simulated ? simulated->twin() : nullptr, stored);
  count_costs(request, costs);
  if (costs.switching)
    if (std::string note = switch_note(*costs.switching); !note.empty())
      request.cost_notes.push_back(std::move(note));
  if (costs.idle) request.cost_notes.push_back(idle_note(*costs.idle));
  return {};
}

}  // namespace flyball::cli
