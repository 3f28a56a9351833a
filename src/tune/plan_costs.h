// What a plan counts besides the work itself, idle power between batches and a change of mode, and
// whose figures they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/board_costs.h"
#include "tune/shared_board.h"

namespace flyball {

struct TwinBoard;

enum class CostSource {
  unknown,     ///< nobody knows it, and it is not counted
  user,        ///< somebody said it
  this_board,  ///< measured there
  board_kind,  ///< measured on a board of this kind
  simulated,
};

struct PlanSwitchCost {
  CostSource source = CostSource::unknown;
  double ms = 0;
  std::string measured_utc{};  ///< with `run` of the store, where it was measured
  int64_t run = 0;
};

struct PlanIdlePower {
  CostSource source = CostSource::unknown;
  std::vector<double> mode_w{};   ///< by mode; empty: not counted
  size_t modes = 0, unknown = 0;  ///< of the board; those of which nobody knows it
};

struct PlanCosts {
  std::optional<PlanSwitchCost> switching;  ///< nothing: modes do not change in this plan
  std::optional<PlanIdlePower> idle;        ///< nothing: it decides nothing here
};

/// What the user said of them.
struct ToldCosts {
  std::optional<double> switch_ms{};
  std::optional<double> idle_w{};  ///< in every mode
};

/// The costs that matter to this request: as they were told, else as `twin` (null: nothing is
/// simulated) has them, else as `stored` does. Idle power is known of all modes or not counted at
/// all: that of some alone would make the others look thrifty.
PlanCosts plan_costs(const Request& request, const SharedBoard& board, const ToldCosts& told,
                     const TwinBoard* twin, const BoardCosts& stored);
/// What a simulated board draws between batches, by mode; empty: it has no rails that tell it.
std::vector<double> simulated_idle(const SharedBoard& board, const TwinBoard& twin);
/// Makes the request count them; its notes say whose figures they are, or that nobody knows them.
void count_costs(Request& request, const PlanCosts& costs);
/// Both, with what the store (may be null) holds.
Status read_costs(Request& request, const SharedBoard& board, const ToldCosts& told,
                  const TwinBoard* twin, Store* store);

}  // namespace flyball
