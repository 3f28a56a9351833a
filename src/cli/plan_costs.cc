// Idle power and switches of a plan's board: the user's figures, else measured ones of the store.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/board.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "device/registry/board.h"
#include "tune/board_costs.h"
#include "twin/twin.h"

namespace flyball::cli {
namespace {

bool is_live(const ProfilerInfo& board) {
  return board.provenance == Provenance::measured;
}

void read_switch_cost(PlanOptions& options, const ProfilerInfo& board, const BoardCosts& costs) {
  PlanRequest& request = options.request;
  if (request.kind != "dynamic" || options.switch_asked) return;
  const StoredSwitchCost* known = costs.switch_cost_of(board.device, board.fingerprint);
  if (!known) {
    request.cost_notes.emplace_back(
        "what a switch takes is not known and counts as nothing: --switch-cost says it, `flyball "
        "mode cost` measures it");
    return;
  }
  request.switch_ms = known->cost.switch_ms();
  request.cost_notes.push_back(fmt::format(
      "a switch takes {} ms: the dearest change of mode measured on {} at {} (`flyball "
      "mode cost`, run {})",
      number(request.switch_ms),
      known->cost.fingerprint == board.fingerprint ? "this board" : "a board of this kind",
      known->cost.measured_utc, known->run));
}

// Of each mode of a simulated board. Error: it has no rails.
Result<std::vector<double>> simulated_idle(const PlanOptions& options, const SharedBoard& shared) {
  FLYBALL_ASSIGN(const auto board, open_named_board(options.device, options.root));
  const TwinBoard* twin = board->twin();
  if (!twin || twin_power_total(*twin).empty())
    return Error{Code::unavailable, board->info().device.title + " tells no idle power", ""};
  std::vector<double> watts;
  for (size_t m = 0; m < shared.candidates->mode_count(); ++m) {
    const PowerMode mode = shared.candidates->modes().trial(m, "", Phase::infer).mode;
    FLYBALL_ASSIGN(const TwinPower power, idle_power(*twin, mode));
    watts.push_back(twin_total_w(*twin, power));
  }
  return watts;
}

// Of each mode; NaN where it was not measured.
std::vector<double> measured_idle(const SharedBoard& shared, const BoardCosts& costs) {
  const ProfilerInfo& board = shared.info(0);
  const Space& modes = shared.candidates->modes();
  std::vector<double> watts;
  for (size_t m = 0; m < shared.candidates->mode_count(); ++m) {
    const PowerMode mode = modes.empty() ? PowerMode() : modes.trial(m, "", Phase::infer).mode;
    const StoredIdle* known = is_live(board)
                                  ? costs.idle_of(board.fingerprint, board.power_total, mode)
                                  : costs.idle_of_kind(board.device, board.power_total, mode);
    watts.push_back(known ? known->idle.power_w : not_measured);
  }
  return watts;
}

// Idle power of some modes alone would make the others look thrifty: all of them, or none.
void read_idle_power(PlanOptions& options, const SharedBoard& shared, const BoardCosts& costs) {
  PlanRequest& request = options.request;
  if (plan_problem(request, shared).objective != Objective::energy || shared.profilers.size() > 1)
    return;
  const size_t modes = shared.candidates->mode_count();
  if (options.idle_power_w > 0) {
    request.idle_w.assign(modes, options.idle_power_w);
    request.cost_notes.push_back(fmt::format(
        "idle power between batches is yours: {} W in every mode", number(options.idle_power_w)));
    return;
  }
  if (shared.info(0).provenance == Provenance::simulated && shared.info(0).live) {
    if (auto simulated = simulated_idle(options, shared)) {
      request.idle_w = *std::move(simulated);
      request.cost_notes.push_back(fmt::format(
          "idle power between batches is counted as it is simulated, in {} modes", modes));
      return;
    }
  }
  std::vector<double> watts = measured_idle(shared, costs);
  const auto unknown =
      static_cast<size_t>(std::ranges::count_if(watts, [](double w) { return std::isnan(w); }));
  if (unknown == 0) {
    request.idle_w = std::move(watts);
    request.cost_notes.push_back(
        fmt::format("idle power between batches is counted as `flyball mode idle` measured it, in "
                    "{} mode{}",
                    modes, modes == 1 ? "" : "s"));
    return;
  }
  request.cost_notes.push_back(fmt::format(
      "idle power between batches is not counted: it is known of {} of {} modes; --idle-power says "
      "it, `flyball mode idle MODE` measures it",
      modes - unknown, modes));
}

}  // namespace

Status read_board_costs(PlanOptions& options, const SharedBoard& board, Store* store) {
  const bool serves = options.request.kind == "inference" || options.request.kind == "dynamic";
  if (!serves) return {};
  BoardCosts costs;
  if (store) {
    FLYBALL_ASSIGN(costs, board_costs(*store));
  }
  read_switch_cost(options, board.info(0), costs);
  read_idle_power(options, board, costs);
  return {};
}

}  // namespace flyball::cli
