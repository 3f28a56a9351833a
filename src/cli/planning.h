// What the commands of `flyball plan` share: their options, and the request they make of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/measuring.h"
#include "cli/memory_options.h"
#include "cli/option_scope.h"
#include "cli/prior_options.h"
#include "device/registry/board.h"
#include "schedule/planning/serving_problem.h"
#include "store/store.h"
#include "tune/planning.h"

namespace flyball::cli {

struct PlanOptions {
  std::vector<std::string> train, infer;
  ReferenceOptions references;
  PriorOption prior;
  std::vector<std::string> windows;  ///< dynamic: RATE:DURATION
  std::string objective, export_format;
  std::string at_most;  ///< "slowdown=5%"
  StoreArguments store;
  std::string report;         ///< file; "": none
  std::string started_utc;    ///< set by begin_report()
  std::string data;           ///< dataset folder of roles that are networks; "" draws one
  std::string device;         ///< of roles that are networks; "" is this machine
  std::string root = "/";     ///< of the files that a live board shows
  bool board_given = false;   ///< is --device or --root named, by the user?
  std::string modes = "all";  ///< as profile/trials/chosen_modes.h reads them
  AskedAxes axes;
  Accepted accepted;  ///< rows of tables that count as measurements, too
  std::optional<double> trial_seconds;
  MeasuringOptions measuring_options;
  std::shared_ptr<MeasuringSession> measuring;  ///< begun where a role is live
  std::vector<std::string> arrivals;     ///< of each service, or one for all; empty: clockwork
  double percentile = usual_percentile;  ///< of requests in time, with `arrivals` …
  QueueRules queue{};                    ///< … and how they wait
  bool searches = false;                 ///< does an option ask for a search, of tables too?
  bool dry_run = false, apply = false, json = false, verbose = false, quiet = false;
  bool no_verify = false;
  bool device_typed = false;             ///< --device stands on the command line
  MemoryOptions memory;                  ///< of roles that are networks
  std::optional<double> switch_ms;       ///< --switch-cost
  std::optional<double> idle_power_w{};  ///< --idle-power
  OptionScope scope;                     ///< of the options above
  Request request;
};

inline constexpr const char* what_roles_are =
    "each names a table (FILE.csv or FILE.csv:WORKLOAD) or a network on this machine";

/// `--overload` and `--queue`: how requests wait at a service.
AddedOptions add_queue_rules(CLI::App& command, QueueRules& rules);
/// Opens what --train and --infer name: tables, or networks on this machine. Reads the objective.
Result<SharedBoard> open_shared_board(PlanOptions& options);
/// What `--at-most` of a plan says, a fraction. Error: it is of another figure than the slowdown:
/// nothing but the time is measured of every role.
Result<double> plan_limit(const std::string& at_most);
/// Reads limits, rates, references and priors into the request.
Status read_plan_request(PlanOptions& options, const SharedBoard& board);
/// The simulated board of the roles; null where they are not simulated.
Result<std::unique_ptr<Board>> simulated_board(const PlanOptions& options,
                                               const SharedBoard& board);
/// Makes the request count idle power and switches (tune/plan_costs.h); its notes say whose figures
/// they are, or that they are not known. `simulated` and `store` may be null.
Status read_board_costs(PlanOptions& options, const SharedBoard& board, const Board* simulated,
                        Store* store);
/// Refuses a report that cannot be written, and notes when planning began.
Status begin_report(PlanOptions& options);
/// Writes --report, where one was asked for. `answer`: as `plan --json` prints it.
Status report_plan(const PlanOptions& options, const Json& answer);
/// `flyball plan dynamic`.
Status plan_dynamic_rates(PlanOptions& options);

}  // namespace flyball::cli
