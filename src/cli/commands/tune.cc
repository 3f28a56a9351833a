#include "tune/tune.h"
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "answers/tune_json.h"
#include "base/files.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/dry_run.h"
#include "cli/output.h"
#include "cli/prior_options.h"
#include "cli/quantities.h"
#include "cli/report_file.h"
#include "cli/server_options.h"
#include "cli/session_progress.h"
#include "cli/text/tune_text.h"
#include "report/tune_page.h"
#include "search/registry.h"
#include "tune/board_costs.h"

namespace flyball::cli {
namespace {

struct TuneOptions {
  const CLI::App* command = nullptr;
  ProfilerOptions board;
  std::string objective = "time";
  std::string gap;
  std::vector<std::string> at_most, at_least;
  ReferenceOptions references;
  PriorOption prior;
  std::string report;
  StoreArguments store;
  bool json = false, verbose = false, oracle = false, no_verify = false;
  ServerOptions server;
  AddedOptions server_options;
  bool searches = false;  ///< does an option ask for a search, of a table too?
  Request request;
  /// What the user may have named.
  struct Named {
    const CLI::Option *objective = nullptr, *time_budget = nullptr, *energy_budget = nullptr,
                      *samples = nullptr, *at_most = nullptr, *at_least = nullptr;
  } named;
};

constexpr auto objectives = {Objective::time, Objective::energy, Objective::power};

// Of a server, times and energies are those of its requests: one objective of a search for each
// kind.
Result<Objective> read_served_objective(const std::string& text, ServerOptions& server) {
  if (text != objective_name(Objective::time)) {
    FLYBALL_ASSIGN(server.figure, parse_served_figure(text));
  }
  switch (server.figure) {
    case ServedFigure::power:
      return Objective::power;
    case ServedFigure::energy:
    case ServedFigure::energy_per_token:
      return Objective::energy;
    default:
      return Objective::time;
  }
}

Result<Objective> read_objective(const std::string& text) {
  std::vector<std::string> names;
  for (const Objective objective : objectives) {
    if (text == objective_name(objective)) return objective;
    names.push_back(objective_name(objective));
  }
  return Error{Code::invalid_argument, fmt::format("'{}' is not an objective of tune", text),
               name_hint(text, names)};
}

// "2%", "0.5 %".
Result<double> read_gap(const std::string& text) {
  const size_t sign = text.find('%');
  const auto percent = parse_double(trim(text.substr(0, sign)));
  if (sign == std::string::npos || sign + 1 != text.size() || !percent || !(*percent > 0) ||
      !(*percent < 100))
    return Error{Code::invalid_argument, fmt::format("'{}' is not a gap", text),
                 "write a percentage above 0 and below 100, such as 2%"};
  return *percent / 100;
}

// It knows no epochs; what a file says of them is left.
Status check_epoch_limits(const TuneOptions& options, Request& request) {
  const TuneOptions::Named& named = options.named;
  if (given(*named.time_budget) || given(*named.energy_budget) || given(*named.samples))
    return Error{Code::invalid_argument,
                 "--time-budget, --energy-budget and --samples are of epochs, which a server has "
                 "none of",
                 "limit figures of its load: --at-most latency_p99=2s, --at-most request_j=3"};
  request.time_budget_s = request.energy_budget_j = unlimited;
  request.samples = 0;
  return {};
}

// Errors: what is tuned reports no such figure.
Status check_figure(const FigureLimit& limit, bool server, bool program) {
  if (server) {
    const auto& known = served_figures();
    if (std::ranges::find(known, limit.figure) != known.end()) return {};
    return Error{Code::invalid_argument, fmt::format("a load has no figure '{}'", limit.figure),
                 name_hint(limit.figure, known)};
  }
  if (program) return {};
  return Error{Code::invalid_argument,
               "--at-most and --at-least hold figures that a program of your own reports",
               "name the program after --; networks and tables have --power-budget, --time-budget, "
               "--energy-budget and --at-most slowdown=5%"};
}

Status check_limit(const std::string& text, bool at_most) {
  if (limits_slowdown(text))
    FLYBALL_CHECK(parse_slowdown_limit(text, at_most));
  else
    FLYBALL_CHECK(parse_figure_limit(text, at_most));
  return {};
}

Status read_limits(TuneOptions& options, const std::vector<std::string>& program) {
  Request& request = options.request;
  const bool server = !options.server.command.empty();
  for (const bool at_most : {true, false})
    for (const std::string& text : at_most ? options.at_most : options.at_least) {
      if (limits_slowdown(text)) {
        FLYBALL_ASSIGN(request.slowdown, parse_slowdown_limit(text, at_most));
        continue;
      }
      FLYBALL_ASSIGN(FigureLimit limit, parse_figure_limit(text, at_most));
      const Status known = check_figure(limit, server, !program.empty());
      const bool typed = given(at_most ? *options.named.at_most : *options.named.at_least);
      if (!known.ok() && !typed) continue;  // a file's, for what is tuned else
      FLYBALL_CHECK(known);
      options.board.wanted_figures.push_back(limit.figure);
      request.limits.push_back(std::move(limit));
    }
  if (!server) return {};
  FLYBALL_CHECK(check_epoch_limits(options, request));
  // A server that fails is fast: unless somebody says otherwise, 1 % may fail.
  if (std::ranges::find(request.limits, "failed", &FigureLimit::figure) == request.limits.end())
    request.limits.push_back({"failed", 0.01, true});
  return {};
}

// A file's objective of servers alone is left where there is none.
Status read_asked_objective(TuneOptions& options) {
  Request& request = options.request;
  if (!options.server.command.empty()) {
    FLYBALL_ASSIGN(request.objective, read_served_objective(options.objective, options.server));
    return {};
  }
  const auto read = read_objective(options.objective);
  if (!read && given(*options.named.objective)) return read.error();
  request.objective = read.ok() ? *read : Objective::time;
  return {};
}

Status check_server(const TuneOptions& options, const Context& context) {
  const ServerOptions& server = options.server;
  if (server.command.empty()) {
    for (const CLI::Option* option : options.server_options)
      if (given(*option))
        return Error{Code::invalid_argument, fmt::format("{} is for a server", option->get_name()),
                     "name its command: --server \"llama-server --port {port}\""};
    return {};
  }
  if (context.program.empty()) return {};
  return Error{Code::invalid_argument, "--server and a program after -- are two things to run",
               "name one of them"};
}

// `tune --report lenet5` forgot one of the two.
Status check_report(const TuneOptions& options) {
  if (options.report.find_first_of("./") == std::string::npos)
    return Error{Code::invalid_argument,
                 fmt::format("--report takes a file, and '{}' stands behind it", options.report),
                 fmt::format("write --report {}.html, or name the file before the workload",
                             options.report)};
  return check_writable(options.report);
}

void print_text(const TuneOptions& options, const TuneResult& result, bool stored) {
  fmt::print("{}", tune_text(result, options.verbose));
  const ProfilerInfo& board = result.board();
  const double power_w = result.choice ? result.configurations[*result.choice].power_w : 0;
  if (result.idle)
    fmt::print("{}\n", to_text(*result.idle));
  else if (stored && board.live && power_w > 0 && board.provenance != Provenance::simulated)
    fmt::print(
        "how much of {} W is idle power is not known: {}\n", number(power_w),
        for_same_board(
            *options.command,
            fmt::format(
                "`flyball mode idle{}{}{}` measures it",
                options.board.device.empty() ? "" : " --device " + options.board.device,
                result.run ? fmt::format(" --run {}", *result.run) : " MODE",
                options.store.place.empty() ? "" : " --store " + shell_word(options.store.place))));
}

// On the terminal, and as a page where one is asked for.
Status show_answer(const TuneOptions& options, const TuneResult& result, bool stored,
                   Context& context) {
  Json document;
  if (options.json || !options.report.empty()) document = to_json(result);
  if (options.json)
    print_json(document);
  else
    print_text(options, result, stored);
  if (result.infeasible) context.exit_code = report_error(*result.infeasible);
  if (options.report.empty()) return {};
  return write_report(options.report, tune_page(document, result), options.json);
}

Status run(TuneOptions& options, Context& context) {
  Request& request = options.request;
  request.command = context.command;
  request.seed = options.board.seed;
  request.verify = !options.no_verify;
  FLYBALL_CHECK(check_server(options, context));
  FLYBALL_CHECK(read_asked_objective(options));
  if (!options.gap.empty()) {
    FLYBALL_ASSIGN(request.gap, read_gap(options.gap));
  }
  FLYBALL_CHECK(read_limits(options, context.program));
  if (!options.report.empty() && !options.board.dry_run) FLYBALL_CHECK(check_report(options));
  options.board.program = context.program;
  options.board.needs_power = request.needs_power();
  FLYBALL_ASSIGN(OpenedProfiler board, options.server.command.empty()
                                           ? open_profiler(options.board)
                                           : open_server(options.board, options.server));
  choose_strategy(request, options.searches, board.profiler->info().live);
  FLYBALL_ASSIGN(
      request.references,
      options.references.gather({board.profiler.get()}, request.strategy, options.board.accepted));
  if (knows_all(request.strategy)) FLYBALL_CHECK(options.board.scope.check(Target::known));
  if (!knows_all(request.strategy))
    FLYBALL_CHECK(options.prior.take({board.profiler.get()}, options.board.dry_run, request));
  if (options.oracle && !board.table)
    return Error{Code::invalid_argument, "--oracle needs a table, where every answer is known",
                 "use --device table:FILE"};
  if (options.board.dry_run) {
    FLYBALL_ASSIGN(const SharedBoard shared, share_board(*board.profiler));
    FLYBALL_ASSIGN(const Asked asked, tune_problem(request, shared));
    return show_dry_run(shared, options.store, request, asked.problem, options.json);
  }
  FLYBALL_ASSIGN(std::optional<Store> store, options.store.open());
  request.cancelled = &interrupt_flag();
  Progress progress(options.board.quiet);
  const auto result = tune(*board.profiler, store ? &*store : nullptr, request,
                           show_progress(progress), options.oracle ? &*board.table : nullptr);
  progress.finish();
  if (!result) return result.error();
  return show_answer(options, *result, store.has_value(), context);
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "tune", "Find the best configuration for a workload, with few profiled ones");
  auto options = std::make_shared<TuneOptions>();
  options->command = command;
  add_profiler_options(*command, options->board);
  Request& request = options->request;
  options->server_options = add_server_options(*command, options->server);
  TuneOptions::Named& named = options->named;
  named.objective =
      takes_one_of(command->add_option("--objective", options->objective,
                                       "What to minimise: time, energy or power; of a server "
                                       "latency (the default), latency_p99, ttft, tpot, "
                                       "throughput (the highest), energy, energy_per_token or "
                                       "power"),
                   {"time", "energy", "power", "latency", "latency_p99", "ttft", "tpot",
                    "throughput", "energy_per_token"})
          ->capture_default_str();
  add_power(
      *command, "--power-budget", [&request](Watts power) { request.power_budget_w = power.value; },
      "Limit on the power, e.g. 30W");
  named.time_budget = add_duration(
      *command, "--time-budget", [&request](Seconds time) { request.time_budget_s = time.value; },
      "Limit on the time per epoch (per minibatch when samples are unknown), e.g. 90s");
  named.energy_budget = add_energy(
      *command, "--energy-budget",
      [&request](Joules energy) { request.energy_budget_j = energy.value; },
      "Limit on the energy per epoch (per minibatch when samples are unknown), e.g. 2kJ");
  named.at_most = checked_in_files(
      command
          ->add_option("--at-most", options->at_most,
                       "Upper limit: slowdown=5% (more time than the default), memory=2GB, or a "
                       "figure that the program reports: loss=0.4")
          ->allow_extra_args(false),
      [](const std::string& text) { return check_limit(text, true); });
  named.at_least = checked_in_files(
      command
          ->add_option("--at-least", options->at_least,
                       "Lower limit on a figure that the program reports: accuracy=0.7, by "
                       "flyball.report(\"accuracy\", x)")
          ->allow_extra_args(false),
      [](const std::string& text) { return check_limit(text, false); });
  named.samples = command->add_option("--samples", request.samples, "Samples of an epoch")
                      ->check(sample_count());
  note_given(command
                 ->add_option("--profiles", request.profiles,
                              "Most configurations to profile (brute-force measures all)")
                 ->check(CLI::Range(1, 1000000))
                 ->capture_default_str(),
             request.profiles_asked);
  note_given(command->add_option(
                 "--gap", options->gap,
                 "Profile until no more than this could be gained, nine times in ten, e.g. 2%"),
             options->searches);
  note_given(
      add_duration(*command, "--duration",
                   [&request](Seconds time) { request.time_limit_s = time.value; },
                   "Start no trial after this time, e.g. 10min; with --profiles whichever is first",
                   {1e-6, 1e9, "1us or more"}),
      options->searches);
  note_given(add_strategy_option(*command, request.strategy), options->searches);
  note_given(add_predictor_option(*command, request.predictor), options->searches);
  note_given(add_reference_options(*command, options->references)
                 ->allow_extra_args(false)  // what stands behind it is the workload
                 ->check(CLI::ExistingFile),
             options->searches);
  CLI::Option* const prior = note_given(options->prior.add(*command), options->searches);
  add_report_option(*command, options->report);
  add_store_options(*command, options->store);
  CLI::Option* const fresh = add_fresh(*command, request.fresh);
  add_dry_run(*command, options->board.dry_run);
  options->board.scope.exclude({Target::known},
                               {fresh, prior,
                                command->add_flag("--no-verify", options->no_verify,
                                                  "Do not measure the answer once more")});
  command->add_flag("--oracle", options->oracle, "Show a table's true optimum beside the answer");
  command->add_flag("--verbose,-v", options->verbose, "List every trial and every remark");
  add_json_flag(*command, options->json);
  command->footer(
      "A program of your own goes after --; it reads each opened axis by flyball.setting() or "
      "where\n"
      "the command says {batch_size}, and marks its minibatches (docs/your-model.md).\n"
      "Example:\n  flyball tune lenet5 --device host --objective time --report report.html\n"
      "  flyball tune --axis batch_size=8,16,32 -- python3 train.py");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
