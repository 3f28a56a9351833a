// What the commands of `flyball plan` share: their options, the roles with their boards, the
// problem they make, and the search that solves it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/roles.h"
#include "search/plan.h"
#include "tune/recorder.h"

namespace flyball::cli {

struct PlanOptions {
  std::vector<std::string> train, infer, references, latencies;
  std::vector<double> rates;
  std::vector<std::string> windows;  ///< dynamic: RATE:DURATION
  std::string power_budget, time_budget, energy_budget, objective, switch_cost;
  std::string strategy = "flyball", predictor, store, export_format;
  Accepted accepted;  ///< rows of tables that count as measurements, too
  size_t profiles = 10;
  bool profiles_asked = false;  ///< then no strategy but brute-force profiles more
  uint64_t seed = 1;
  double trial_seconds = 10;
  bool separate_modes = false, apply = false, json = false, quiet = false, no_store = false;
};

/// Everything that planning one problem needs.
struct Setting {
  std::vector<RoleBoard> roles;
  std::shared_ptr<const Candidates> candidates;
  std::vector<Recorder> recorders;
  SearchOptions search;
};

/// Opens the roles, and their recorders on the store (null: none).
Result<Setting> open_setting(const PlanOptions& options, Store* store);
/// The problem that the options pose; `otherwise` is the objective when none is named.
Result<Problem> make_problem_of(const PlanOptions& options, const Setting& setting,
                                Objective otherwise);
/// Searches, starting from what is known.
Result<Plan> search_plan(const PlanOptions& options, Setting& setting, Problem problem,
                         std::vector<Known> known = {});
/// The store that the options name, or nothing with --no-store.
Result<std::optional<Store>> plan_store(const PlanOptions& options);
/// `flyball plan dynamic`: each rate is searched once, starting from all that the rates before have
/// profiled.
Status plan_dynamic_rates(PlanOptions& options);

}  // namespace flyball::cli
