// The profiles that `flyball serve` plans with: of --profiles, or of the store.
#pragma once

#include <optional>
#include <string>

#include "cli/serving/serving.h"
#include "device/registry/board.h"
#include "schedule/planning/serving_plan.h"

namespace flyball::cli {

/// The limits and arrivals that were asked for.
ServingRequest serving_request(const ServeOptions& options);

/// Of --profiles, one for each role of the board; empty where none are named.
Result<std::vector<WorkloadTable>> tables_of_profiles(const ServeOptions& options,
                                                      const SharedBoard& shared);

/// What --measure needs of a plan: modes that nobody profiled, and a switch that a gap can hold.
Status check_measure(const ServeOptions& options, const ServingPlan& plan, double switch_ms);

/// The board that serves, and of which total its power is; "" where it tells none.
struct ServedBoard {
  BoardInfo info;
  std::string power_total;
};

/// Plans for networks that are served live, from --profiles' tables or the store's measurements
/// of this board. Nothing where there are none, or more roles than a plan takes; `notes` says
/// which. With a power budget these are errors. Takes over its loader's workers and batch of
/// training, where the user named none. Errors: tables of another board, or of another power total.
Result<std::optional<ServingPlan>> plan_live(ServeOptions& options, const ServedBoard& board,
                                             const Device* knobs, std::vector<std::string>& notes);

}  // namespace flyball::cli
