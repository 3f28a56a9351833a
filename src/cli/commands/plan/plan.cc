#include <fmt/format.h>

#include "base/json.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands/plan/plan_arrivals.h"
#include "cli/dry_run.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/quantities.h"
#include "cli/report_file.h"
#include "cli/session_progress.h"
#include "cli/tables.h"
#include "cli/text/together_text.h"
#include "device/modes/nvpmodel_export.h"
#include "device/registry/board.h"
#include "problem/paper.h"
#include "schedule/planning/serve_together.h"
#include "search/registry.h"
#include "tune/planned_mode.h"

namespace flyball::cli {
namespace {

// What --apply and --export need, before anything is profiled.
Status check_actions(const PlanOptions& options, const SharedBoard& shared) {
  if (!options.apply && options.export_format.empty()) return {};
  FLYBALL_CHECK(check_one_mode(options.request));
  const ProfilerInfo& board = shared.info(0);
  if (!options.export_format.empty()) {
    if (options.export_format != "nvpmodel")
      return Error{Code::invalid_argument,
                   fmt::format("there is no export '{}'", options.export_format),
                   "nvpmodel is the one there is"};
    FLYBALL_ASSIGN([[maybe_unused]] const NvpmodelArguments known, nvpmodel_board(board.device));
  }
  if (!options.apply) return {};
  FLYBALL_CHECK(check_has_knobs(board));
  FLYBALL_ASSIGN(const auto here, open_named_board(options.device, options.root));
  FLYBALL_ASSIGN(const auto knobs, here->knobs());
  return knobs->can_keep();
}

// The POWER_MODEL block of the answer.
Result<std::string> nvpmodel_block(const SharedBoard& shared, const Plan& plan) {
  FLYBALL_ASSIGN(const NvpmodelArguments board, nvpmodel_board(shared.info(0).device));
  return export_nvpmodel(planned_mode(shared, *plan.answer), board, 99, "FLYBALL");
}

Status apply(const PlanOptions& options, const PowerMode& mode) {
  FLYBALL_ASSIGN(const auto here, open_named_board(options.device, options.root));
  FLYBALL_ASSIGN(const auto knobs, here->knobs());
  FLYBALL_CHECK(knobs->apply(mode));
  FLYBALL_CHECK(knobs->keep());
  if (!options.json) fmt::print("\nset and read back: {}\n", describe(mode.values));
  return {};
}

Status look_ahead(PlanOptions& options) {
  FLYBALL_ASSIGN(const SharedBoard shared, open_shared_board(options));
  FLYBALL_CHECK(read_plan_request(options, shared));
  FLYBALL_CHECK(check_actions(options, shared));
  FLYBALL_CHECK(check_pairs(options.request, shared));
  FLYBALL_ASSIGN(const Asked asked, make_problem(options.request, shared));
  return show_dry_run(shared, options.store, options.request, asked.problem, options.json);
}

/// What to do where there are too many roles or too few: of one service and two the other command,
/// as it is typed.
std::string roles_remedy(ProblemKind kind, const PlanOptions& options, const Context& context) {
  const bool one = kind == ProblemKind::inference, two = kind == ProblemKind::two_inference;
  const bool other = (one && options.infer.size() == 2) || (two && options.infer.size() == 1);
  const std::string typed = fmt::format("plan {} ", kind_name(kind));
  const size_t at = context.command.find(typed);
  // Lists of two stay lists of two.
  const bool lists =
      two && (options.request.rates_hz.size() > 1 || options.request.latencies_ms.size() > 1);
  if (!other || lists || at == std::string::npos) return what_roles_are;
  const ProblemKind meant = one ? ProblemKind::two_inference : ProblemKind::inference;
  std::string command = context.command;
  command.replace(at, typed.size(), fmt::format("plan {} ", kind_name(meant)));
  return fmt::format("for {}: {}", one ? "two services" : "one service", command);
}

Status plan_one(ProblemKind kind, PlanOptions& options, Context& context) {
  FLYBALL_CHECK(check_roles(fmt::format("plan {}", kind_name(kind)), kind, options.train.size(),
                            options.infer.size(), roles_remedy(kind, options, context)));
  if (!options.arrivals.empty()) return plan_for_arrivals(options, context);
  if (options.dry_run) return look_ahead(options);
  FLYBALL_CHECK(begin_report(options));
  FLYBALL_ASSIGN(auto store, options.store.open());
  FLYBALL_ASSIGN(SharedBoard shared, open_shared_board(options));
  FLYBALL_CHECK(read_plan_request(options, shared));
  FLYBALL_ASSIGN(const auto simulated, simulated_board(options, shared));
  FLYBALL_CHECK(read_board_costs(options, shared, simulated.get(), store ? &*store : nullptr));
  FLYBALL_CHECK(check_actions(options, shared));
  FLYBALL_CHECK(check_pairs(options.request, shared));
  Progress progress(options.quiet);
  FLYBALL_ASSIGN(const Plan plan, make_plan(shared, store ? &*store : nullptr, options.request,
                                            show_progress(progress)));
  progress.finish();
  std::string block;
  if (plan.answer && !options.export_format.empty()) {
    FLYBALL_ASSIGN(block, nvpmodel_block(shared, plan));
  }
  Json document = to_json(plan);
  std::optional<Together> together;
  if (simulated) {
    FLYBALL_ASSIGN(together, try_together(*simulated->twin(), plan, options.request.seed));
  } else if (knows_all(options.request.strategy)) {
    FLYBALL_ASSIGN(together, serve_together(shared, plan));
  }
  document["together"] = together_json(together);
  const Json answer = document;
  // What the store keeps is what was answered.
  if (store && plan.run && together)
    FLYBALL_CHECK(store->finish_run(*plan.run, RunState::done, answer.dump()));
  if (options.json) {
    if (!block.empty()) document["nvpmodel"] = block;
    print_json(document);
  } else {
    fmt::print("{}{}{}{}", format_plan(plan, options.verbose),
               together ? together_text(*together, plan) : "", block.empty() ? "" : "\n", block);
  }
  FLYBALL_CHECK(report_plan(options, answer));
  if (!plan.answer) {
    context.exit_code = report_error(*plan.infeasible);
    return {};
  }
  if (together && !together->refused.empty()) {
    context.exit_code =
        report_error({Code::infeasible, together->refused,
                      "take a board with more memory, or smaller networks (`flyball "
                      "describe NETWORK --fits` says what each needs)"});
    return {};
  }
  if (!options.apply) return {};
  const PowerMode mode = planned_mode(shared, *plan.answer);
  // The boards that measured put back what they set, and let go of it, before the mode is set.
  shared = {};
  return apply(options, mode);
}

std::string objectives_of(const std::string& kind) {
  if (kind == "training") return "What to minimise: time, energy or power";
  if (kind == "inference") return "What to minimise: latency, time, energy or power";
  if (kind == "concurrent") return "What counts: throughput, minibatches (per window) or power";
  if (kind == "two-inference") return "What to minimise: latency, time or power";
  return "What counts: power, latency, time or energy; beside a training throughput or power";
}

std::vector<std::string> objective_words(const std::string& kind) {
  if (kind == "training") return {"time", "energy", "power"};
  if (kind == "inference") return {"latency", "time", "energy", "power"};
  if (kind == "concurrent") return {"throughput", "minibatches", "power"};
  if (kind == "two-inference") return {"latency", "time", "power"};
  return {"power", "latency", "time", "energy", "throughput"};
}

void add_plan_options(CLI::App& command, PlanOptions& o, const std::string& kind) {
  OptionScope& scope = o.scope;
  if (kind != "inference" && kind != "two-inference")
    command.add_option("--train", o.train, "Table FILE.csv[:WORKLOAD], or a network here");
  if (kind != "training") {
    command.add_option("--infer", o.infer, "Table FILE.csv[:WORKLOAD], or a network here");
    add_durations(
        command, "--latency",
        [&o](Seconds time) { o.request.latencies_ms.push_back(time.value * 1e3); },
        "Limit on the peak latency, e.g. 500ms");
    if (kind != "dynamic")
      command.add_option("--rate", o.request.rates_hz, "Arriving requests per second");
  }
  if (kind != "training" && kind != "dynamic") {
    command.add_option("--arrivals", o.arrivals,
                       "Plan by simulating what `serve` executes for these requests: poisson, "
                       "poisson:60, trace:FILE");
    scope.exclude(
        {Target::clockwork},
        {add_percentile(command, o.percentile, "Share of requests in time, with --arrivals"),
         add_margin(command, o.request.margin, "0s")});
    scope.exclude({Target::clockwork}, add_queue_rules(command, o.queue));
    if (kind == "concurrent")
      scope.exclude({Target::clockwork}, {add_preference(command, o.request.prefer)});
  }
  if (kind == "dynamic")
    command.add_option("--windows", o.windows,
                       "Windows of the arrival rate: RATE:DURATION,…, e.g. 30:10min,60:5min");
  if (kind == "training") {
    add_duration(
        command, "--time-budget", [&o](Seconds time) { o.request.time_budget_s = time.value; },
        "Limit on the time of a minibatch (of a sample where batch sizes differ), e.g. 50ms");
    add_energy(
        command, "--energy-budget",
        [&o](Joules energy) { o.request.energy_budget_j = energy.value; },
        "Limit on the energy of a minibatch (of a sample where batch sizes differ), e.g. 2.5J");
  }
  if (kind == "training" || kind == "inference")
    scope.exclude({Target::arrivals},
                  {checked_in_files(
                      command.add_option("--at-most", o.at_most,
                                         "Limit on the time beside the default's: slowdown=5%, per "
                                         "minibatch or, where batch sizes differ, per sample"),
                      [](const std::string& text) -> Status {
                        FLYBALL_CHECK(plan_limit(text));
                        return {};
                      })},
                  {.remedy = "leave it out: --latency is what bounds it there",
                   .reason = "compares times of minibatches, which say little beside --arrivals"});
  if (kind == "concurrent")
    scope.exclude({Target::arrivals},
                  {command.add_flag("--separate-modes", o.request.separate_modes,
                                    "Plan one mode for each role")},
                  {.reason = "says nothing beside --arrivals, which plans for one mode"});
  if (kind == "concurrent" || kind == "dynamic") {
    const AddedOptions cost = {add_duration(
        command, "--switch-cost", [&o](Seconds time) { o.switch_ms = time.value * 1e3; },
        "Time that changing the mode takes, e.g. 2s; default: what `mode cost` measured",
        {0, 1e9, "0s or more"})};
    scope.exclude({Target::one_mode}, cost);
    scope.exclude({Target::arrivals}, cost,
                  {.reason = "says nothing beside --arrivals, which plans for one mode"});
  }
  if (kind == "inference" || kind == "dynamic")
    scope.exclude(
        {Target::no_energy},
        {add_power(command, "--idle-power", [&o](Watts power) { o.idle_power_w = power.value; },
                   "Power that the board draws between batches, counted by objective energy; "
                   "default: what `mode idle` measured",
                   {0, 1e6, "0W or more"})});
  if (kind == "dynamic")
    scope.exclude(
        {Target::no_joules},
        {add_energy(
            command, "--switch-energy", [&o](Joules energy) { o.request.switch_j = energy.value; },
            "Energy that changing the mode takes beside the power of that time, e.g. 5J; counted "
            "by objectives power and energy")});
  add_device_option(command, o.device, o.root);
  note_given(note_given(command.get_option("--device"), o.board_given), o.device_typed);
  note_given(command.get_option("--root"), o.board_given);
  add_modes_option(command, o.modes);
  scope.exclude({Target::table, Target::twin}, {add_data_option(command, o.data)});
  add_power(
      command, "--power-budget", [&o](Watts power) { o.request.power_budget_w = power.value; },
      "Limit on the power, e.g. 30W");
  const std::string planned = kind == "concurrent" ? "throughput" : "latency";
  scope.exclude(
      {Target::arrivals},
      {takes_one_of(command.add_option("--objective", o.objective, objectives_of(kind)),
                    objective_words(kind))},
      {.unless = [&o, planned] { return o.objective == planned; },
       .remedy = fmt::format("leave it out, name {}, or plan without --arrivals", planned),
       .reason = "says nothing beside --arrivals, which plans for the most training, or "
                 "the least latency"});
  CLI::Option* const reference =
      note_given(add_reference_options(command, o.references), o.searches);
  CLI::Option* const prior = note_given(o.prior.add(command), o.searches);
  add_axis_option(command, o.axes);
  add_accept_option(command, o.accepted);
  CLI::Option* const profiles =
      note_given(command
                     .add_option("--profiles", o.request.profiles,
                                 "Most configurations to profile; published strategies take their "
                                 "own number by default (brute-force measures all)")
                     ->check(CLI::Range(1, 1000000))
                     ->capture_default_str(),
                 o.request.profiles_asked);
  scope.exclude({Target::arrivals},
                {profiles, reference,
                 note_given(add_strategy_option(command, o.request.strategy), o.searches),
                 note_given(add_predictor_option(command, o.request.predictor), o.searches)});
  scope.exclude({Target::known}, {add_seed(command, o.request.seed)},
                {.unless = [&o] { return draws_modes(o.modes); }});
  scope.exclude({Target::table, Target::twin}, {add_trial_time(command, o.trial_seconds)});
  add_measuring_options(command, o.measuring_options);
  add_report_option(command, o.report);
  add_store_options(command, o.store);
  CLI::Option* const fresh = add_fresh(command, o.request.fresh);
  scope.exclude({Target::arrivals}, {add_dry_run(command, o.dry_run)});
  scope.exclude(
      {Target::arrivals, Target::known},
      {fresh, prior,
       command.add_flag("--no-verify", o.no_verify, "Do not measure the answer once more")});
  if (kind != "dynamic")
    scope.exclude(
        {Target::arrivals},
        {command.add_flag("--apply", o.apply, "Set the mode on this machine"),
         takes_one_of(command.add_option("--export", o.export_format, "Print the mode as a block"),
                      {"nvpmodel"})},
        {.remedy = "leave it out, and give the mode that is planned to `flyball mode set`",
         .reason = "takes the mode of a plan without --arrivals"});
  if (kind != "dynamic")
    command.add_flag("--verbose,-v", o.verbose, "List every trial and every remark");
  add_json_flag(command, o.json);
  add_quiet(command, o.quiet);
  scope.exclude({Target::table}, add_memory_options(command, o.memory));
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("plan", "Answer one problem, with its alternatives");
  group->require_subcommand(1);
  group->footer(
      "Example:\n  flyball plan concurrent --train resnet18.csv --infer mobilenet.csv --rate 60 "
      "--latency 800ms --power-budget 30W");
  const auto add = [&](const std::string& kind, const char* summary, const char* example) {
    CLI::App* command = group->add_subcommand(kind, summary);
    auto options = std::make_shared<PlanOptions>();
    add_plan_options(*command, *options, kind);
    command->footer(std::string("Example:\n  flyball plan ") + kind + " " + example);
    set_action(*command, context, [options, kind, &context] {
      options->request.kind = kind;
      options->request.verify = !options->no_verify;
      options->request.command = context.command;
      const auto parsed = parse_kind(kind);
      return parsed ? plan_one(*parsed, *options, context) : plan_dynamic_rates(*options);
    });
  };
  add("training", "Plan the fastest (or thriftiest) training within budgets",
      "--train resnet18.csv --power-budget 30W");
  add("inference", "Plan serving at an arrival rate within latency and power",
      "--infer resnet50.csv --rate 60 --latency 100ms --power-budget 30W");
  add("concurrent", "Plan as much training as fits beside serving",
      "--train resnet18.csv --infer mobilenet.csv --rate 60 --latency 800ms --power-budget 30W");
  add("two-inference", "Plan two services on one board",
      "--infer a.csv b.csv --rate 30 20 --latency 500ms --power-budget 40W");
  add("dynamic", "Plan a mode for each window of a changing arrival rate",
      "--infer mobilenet.csv --windows 30:10min,60:5min --latency 200ms --switch-cost 2s");
}

}  // namespace flyball::cli
