// What the commands of `flyball plan` share: their options, and the request they make of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "store/store.h"
#include "tune/planning.h"

namespace flyball::cli {

struct PlanOptions {
  std::vector<std::string> train, infer, references, latencies;
  std::vector<std::string> windows;  ///< dynamic: RATE:DURATION
  std::string power_budget, time_budget, energy_budget, objective, switch_cost;
  std::string store, export_format;
  std::string device;      ///< of roles that are networks; "" is this machine
  std::string root = "/";  ///< of the files that a live board shows
  Accepted accepted;       ///< rows of tables that count as measurements, too
  double trial_seconds = 10;
  bool apply = false, json = false, quiet = false, no_store = false, no_reference = false;
  PlanRequest request;
};

/// Opens what --train and --infer name: tables, or networks on this machine.
Result<SharedBoard> open_shared_board(const PlanOptions& options);
/// Reads limits, rates, objective and references into the request.
Status read_plan_request(PlanOptions& options, const SharedBoard& board);
/// The store that the options name, or nothing with --no-store.
Result<std::optional<Store>> plan_store(const PlanOptions& options);
/// `flyball plan dynamic`.
Status plan_dynamic_rates(PlanOptions& options);

}  // namespace flyball::cli
