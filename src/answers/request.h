// What a person asks of a board, whichever question it is: `tune` is a training or an inference
// with defaults of its own, so all of them are one request.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answers/figure_limit.h"
#include "answers/infeasible.h"
#include "base/json_fwd.h"
#include "base/option_name.h"
#include "problem/problem.h"
#include "profile/trials/profiler.h"

namespace flyball {

/// What every request of a search has: how to search, and what trials may cost.
struct SessionOptions {
  std::string strategy = "flyball";
  std::string predictor = "auto";
  size_t profiles = 10;             ///< at most so many, as History::profiles() counts them
  double gap = 0;                   ///< end when no more than this share could be gained; 0: never
  double time_limit_s = unlimited;  ///< ask for no more trials after this wall time
  bool profiles_asked = false;      ///< by the user: then no strategy but brute-force profiles more
  uint64_t seed = 1;
  bool fresh = false;  ///< measure again what the store holds, but for what this very run measured
  bool anew = false;   ///< not even that: no interrupted run is gone on with
  bool verify = true;  ///< measure the answer once more where repeats differ …
  bool against_default = false;  ///< … and the default, which the answer is told against
  std::vector<WorkloadTable> references;
  /// What is known of each role beforehand (WorkloadTable::prior); null or fewer: nothing.
  std::vector<std::shared_ptr<const WorkloadTable>> priors;
  std::vector<FigureLimit> limits;               ///< on what the trials report of themselves
  const std::atomic<bool>* cancelled = nullptr;  ///< looked at before each trial; may be null
  Caller caller = Caller::command_line;          ///< whose names options have in messages
  std::string command;                           ///< as it was typed, for the record
};

/// What is asked. Budgets are `unlimited` where there is none; of rates and latencies there is one
/// for each service, or one for all of them.
struct Request : SessionOptions {
  std::string kind;  ///< "tune", or "training", "concurrent", …, as `flyball plan` names it
  std::optional<Objective> objective;  ///< nothing: the usual one of the kind
  double power_budget_w = unlimited;
  /// Of a minibatch; in a tune of an epoch where its samples are known, or of a whole run.
  double time_budget_s = unlimited;
  double energy_budget_j = unlimited;  ///< likewise
  double slowdown = unlimited;         ///< time against that of the default: 1.05 is 5 % more
  double samples = 0;                  ///< of an epoch of a tune; 0 takes what the workload says
  std::vector<double> rates_hz;
  std::vector<double> latencies_ms;
  bool separate_modes = false;
  Preference prefer;  ///< of plans for arrivals, and of what serves
  ClientMargin margin;
  double switch_ms = 0;
  double switch_j = 0;         ///< energy of a switch beside the power of its time; dynamic plans
  std::vector<double> idle_w;  ///< by mode, as Problem has it; empty: not counted
  std::vector<std::string> cost_notes;  ///< whose figures idle power and switches are

  bool is_tune() const { return kind == "tune"; }
  /// Does the answer hang on power? As Problem::needs_power(), before there is one.
  bool needs_power() const;
};

/// The workloads that a request is about, in the order of its roles.
using Workloads = std::vector<const ProfilerInfo*>;

/// What a profiler says of its workload; it neither serves nor has limits yet.
Role role_of(const ProfilerInfo& info);
/// Each workload with the rate and latency that the request has for it.
std::vector<Role> roles_of(const Request& request, const Workloads& workloads);
/// What is to be small: as asked, else the usual one of the kind.
Objective objective_of(const Request& request, const Workloads& workloads);
/// The rate or latency of the which-th service; `otherwise` where there are none.
double of_service(const std::vector<double>& figures, size_t which, double otherwise);

/// How the commands take a limit. `epoch_share`: where budgets are of an epoch, the share of them
/// that is left for what the problem counts; 0: they are of what it counts.
LimitFlag limit_flag(Constraint constraint, Caller caller = Caller::command_line,
                     double epoch_share = 0);

/// The request as the store keeps it, and what makes two requests the same: nothing that varies
/// between equal ones.
Json request_json(const Request& request, const Workloads& workloads);
/// Limits on figures, as requests have them.
Json limits_json(std::span<const FigureLimit> limits);

}  // namespace flyball
