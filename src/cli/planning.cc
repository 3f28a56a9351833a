#include "cli/planning.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/json.h"
#include "base/os/interrupt.h"
#include "base/os/told_errors.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/report_file.h"
#include "cli/tables.h"
#include "profile/trials/chosen_modes.h"
#include "report/plan_page.h"
#include "search/registry.h"
#include "space/named_source.h"
#include "tune/plan_costs.h"
#include "tune/role_choices.h"

namespace flyball::cli {
namespace {

Result<std::unique_ptr<Profiler>> open_role(const std::string& spec, Phase phase,
                                            PlanOptions& options) {
  FLYBALL_ASSIGN(auto choices, choices_of(phase, !options.infer.empty(), options.axes.texts));
  if (read_source(spec).is_table()) {
    FLYBALL_ASSIGN(WorkloadTable table, read_role(spec, phase, options.accepted));
    FLYBALL_ASSIGN(const ModeChoice modes, parse_mode_choice(options.modes, options.request.seed));
    choices = as_far_as_there(std::move(choices), options.axes.of_files, table);
    FLYBALL_ASSIGN(TableTrials trials, table_trials(std::move(table), choices, modes));
    return std::move(trials.profiler);
  }
  ProfilerOptions role;
  role.workload = spec;
  role.device = options.device;
  role.data = options.data;
  role.root = options.root;
  role.modes = options.modes;
  role.phase = phase_name(phase);
  role.trial_seconds = options.trial_seconds;
  role.seed = options.request.seed;
  role.quiet = options.quiet;
  role.dry_run = options.dry_run;
  role.needs_power = options.request.needs_power();
  role.memory = options.memory;
  role.accepted = options.accepted;
  role.batch_fixed = phase == Phase::train && !options.infer.empty();
  role.measuring = options.measuring_options;
  FLYBALL_ASSIGN(const BoardName board, parse_board(options.device));
  // The requests of a twin are at hand already, and a table has the axes that it has.
  if (board.kind == BoardName::Kind::twin || board.kind == BoardName::Kind::table)
    for (const AxisChoice& choice : choices) role.axes.texts.push_back(choice.text());
  else
    role.axes.texts = live_axes(phase, choices);
  role.axes.of_files = options.axes.of_files;
  FLYBALL_ASSIGN(OpenedProfiler opened, open_profiler(role));
  options.measuring = opened.measuring;
  return std::move(opened.profiler);
}

bool is_table_role(const std::string& role) {
  return read_source(role).is_table();
}

std::vector<std::string> roles_of(const PlanOptions& options) {
  std::vector<std::string> roles = options.train;
  roles.insert(roles.end(), options.infer.begin(), options.infer.end());
  return roles;
}

// A file's default of a board that is simulated, or measured already: tables are of their own.
void leave_default_board(PlanOptions& options) {
  if (options.device_typed || !std::ranges::all_of(roles_of(options), is_table_role)) return;
  const auto board = parse_board(options.device);
  if (board && (board->kind == BoardName::Kind::table || board->kind == BoardName::Kind::twin))
    options.device.clear();
}

// Where all roles are measured already, or simulated. Roles of both kinds need the options of both.
Status check_options(const PlanOptions& options) {
  FLYBALL_ASSIGN(const BoardName board, parse_board(options.device));
  const std::vector<std::string> roles = roles_of(options);
  const auto table = std::ranges::find_if(roles, is_table_role);
  const bool only_tables = std::ranges::all_of(roles, is_table_role);
  const bool no_board = only_tables && !options.apply && options.board_given;
  if (table != roles.end() && (board.kind == BoardName::Kind::table || no_board ||
                               (board.kind == BoardName::Kind::twin && only_tables))) {
    const bool root = options.root != "/";
    return Error{Code::invalid_argument,
                 fmt::format("{} {} says nothing of the table {}", root ? "--root" : "--device",
                             root ? options.root : options.device, *table),
                 fmt::format("leave {} out, the table is of its own board; or name a workload of "
                             "that board in place of the file",
                             root ? "--root" : "--device")};
  }
  if (board.kind == BoardName::Kind::table || only_tables)
    return options.scope.check(Target::table);
  return board.kind == BoardName::Kind::twin ? options.scope.check(Target::twin) : Status();
}

Status read_at_most(PlanOptions& options) {
  if (options.at_most.empty()) return {};
  FLYBALL_ASSIGN(options.request.slowdown, plan_limit(options.at_most));
  return {};
}

}  // namespace

Result<double> plan_limit(const std::string& at_most) {
  if (limits_slowdown(at_most)) return parse_slowdown_limit(at_most, true);
  return Error{Code::invalid_argument,
               fmt::format("--at-most of a plan is of the slowdown, not '{}'", at_most),
               "write --at-most slowdown=5%; figures of a program have `flyball tune`"};
}

AddedOptions add_queue_rules(CLI::App& command, QueueRules& rules) {
  CLI::Option* overload = command.add_option_function<std::string>(
      "--overload",
      [&rules](const std::string& name) {
        const auto policy = parse_overload(name);
        if (!policy) throw CLI::ValidationError("--overload", in_one_line(policy.error()));
        rules.overload = *policy;
      },
      "What becomes of requests that cannot be answered in time");
  takes_one_of(overload, {"refuse", "late"})->default_str(overload_name(rules.overload));
  return {overload,
          command.add_option("--queue", rules.bound, "Requests that may wait at each service")
              ->check(CLI::Range(1, 10000000))
              ->capture_default_str()};
}

Result<SharedBoard> open_shared_board(PlanOptions& options) {
  FLYBALL_CHECK(check_count("--rate", options.request.rates_hz.size(), options.infer.size()));
  FLYBALL_CHECK(
      check_count("--latency", options.request.latencies_ms.size(), options.infer.size()));
  leave_default_board(options);
  FLYBALL_CHECK(check_options(options));
  if (!options.objective.empty()) {
    FLYBALL_ASSIGN(options.request.objective, parse_objective(options.objective));
  }
  FLYBALL_CHECK(read_at_most(options));
  std::vector<std::unique_ptr<Profiler>> profilers;
  for (const Phase phase : {Phase::train, Phase::infer})
    for (const std::string& spec : phase == Phase::train ? options.train : options.infer) {
      FLYBALL_ASSIGN(auto profiler, open_role(spec, phase, options));
      profilers.push_back(std::move(profiler));
    }
  // Searches look at modes that both roles have; what is known needs no search.
  const bool searched = options.searches || options.request.profiles_asked;
  const bool any = options.request.separate_modes && !searched;
  return share_board(std::move(profilers), any ? LinkedModes::any : LinkedModes::common);
}

Result<std::unique_ptr<Board>> simulated_board(const PlanOptions& options,
                                               const SharedBoard& board) {
  if (!board.simulated()) return std::unique_ptr<Board>();
  return open_named_board(options.device, options.root);
}

Status read_plan_request(PlanOptions& options, const SharedBoard& board) {
  Request& request = options.request;
  const bool live = std::ranges::any_of(
      board.workloads(), [](const ProfilerInfo* workload) { return workload->live; });
  choose_strategy(request, options.searches, live);
  std::vector<const Profiler*> profilers;
  for (const MeasuredRole& role : board.roles) profilers.push_back(role.profiler);
  FLYBALL_ASSIGN(request.references,
                 options.references.gather(profilers, request.strategy, options.accepted));
  if (options.arrivals.empty() && !knows_all(request.strategy)) {
    std::vector<Profiler*> told;
    for (const MeasuredRole& role : board.roles) told.push_back(role.profiler);
    FLYBALL_CHECK(options.prior.take(told, options.dry_run, request));
  }
  if (options.arrivals.empty()) {
    FLYBALL_CHECK(options.scope.check(Target::clockwork));
    if (knows_all(request.strategy)) FLYBALL_CHECK(options.scope.check(Target::known));
  }
  if (request.kind == "concurrent" && !request.separate_modes)
    FLYBALL_CHECK(options.scope.check(Target::one_mode));
  const Objective objective = objective_of(request, board.workloads());
  if (objective != Objective::energy) {
    FLYBALL_CHECK(options.scope.check(Target::no_energy));
    if (objective != Objective::power) FLYBALL_CHECK(options.scope.check(Target::no_joules));
  }
  request.switch_ms = options.switch_ms.value_or(0);
  request.cancelled = &interrupt_flag();
  return {};
}

Status read_board_costs(PlanOptions& options, const SharedBoard& board, const Board* simulated,
                        Store* store) {
  ToldCosts told{.idle_w = options.idle_power_w};
  told.switch_ms = options.switch_ms;
  return read_costs(options.request, board, told, simulated ? simulated->twin() : nullptr, store);
}

Status begin_report(PlanOptions& options) {
  options.started_utc = wall_clock_utc();
  return options.report.empty() ? Status() : check_writable(options.report);
}

Status report_plan(const PlanOptions& options, const Json& answer) {
  return write_report(options.report, plan_page(answer, options.request.command), options.json);
}

}  // namespace flyball::cli
