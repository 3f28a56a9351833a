#include "search/plan.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/roles.h"
#include "cli/tables.h"
#include "device/host.h"
#include "device/nvpmodel_export.h"
#include "predict/registry.h"
#include "problem/dynamic.h"
#include "problem/paper.h"
#include "search/registry.h"
#include "tune/recorder.h"

namespace flyball::cli {
namespace {

struct PlanOptions {
  std::vector<std::string> train, infer, references, latencies;
  std::vector<double> rates;
  std::vector<std::string> windows;  ///< dynamic: RATE:DURATION
  std::string power_budget, time_budget, energy_budget, objective, switch_cost;
  std::string strategy = "flyball", predictor, store, export_format;
  size_t profiles = 10;
  uint64_t seed = 1;
  double trial_seconds = 10;
  bool separate_modes = false, apply = false, json = false, quiet = false, no_store = false;
};

// Everything that planning one problem needs.
struct Setting {
  std::vector<RoleBoard> roles;
  std::shared_ptr<const Candidates> candidates;
  std::vector<Recorder> recorders;
  SearchOptions search;
};

Result<double> latency_ms(const PlanOptions& options, size_t which) {
  if (options.latencies.empty()) return unlimited;
  const auto& text = options.latencies[std::min(which, options.latencies.size() - 1)];
  FLYBALL_ASSIGN(const Seconds latency, parse_seconds(text));
  return latency.value * 1e3;
}

Status read_limits(const PlanOptions& options, Problem& problem) {
  if (!options.power_budget.empty()) {
    FLYBALL_ASSIGN(const Watts watts, parse_watts(options.power_budget));
    problem.budgets.power_w = watts.value;
  }
  if (!options.time_budget.empty()) {
    FLYBALL_ASSIGN(const Seconds time, parse_seconds(options.time_budget));
    problem.budgets.time_ms = time.value * 1e3;
  }
  if (!options.energy_budget.empty()) {
    FLYBALL_ASSIGN(const Joules energy, parse_joules(options.energy_budget));
    problem.budgets.energy_j = energy.value;
  }
  if (!options.objective.empty()) {
    FLYBALL_ASSIGN(problem.objective, parse_objective(options.objective));
  }
  problem.separate_modes = options.separate_modes;
  if (!options.switch_cost.empty()) {
    FLYBALL_ASSIGN(const Seconds cost, parse_seconds(options.switch_cost));
    problem.switch_ms = cost.value * 1e3;
  }
  return {};
}

Result<Problem> make_problem_of(const PlanOptions& options, const Setting& setting,
                                Objective otherwise) {
  Problem problem;
  problem.candidates = setting.candidates;
  problem.objective = otherwise;
  size_t serving = 0;
  for (const RoleBoard& board : setting.roles) {
    Role role{board.profiler->info().workload, board.profiler->info().phase};
    if (role.phase == Phase::infer) {
      if (!options.rates.empty())
        role.rate_hz = options.rates[std::min(serving, options.rates.size() - 1)];
      FLYBALL_ASSIGN(role.latency_ms, latency_ms(options, serving));
      ++serving;
    }
    problem.roles.push_back(role);
  }
  FLYBALL_CHECK(read_limits(options, problem));
  return problem;
}

Status check_roles(ProblemKind kind, const PlanOptions& options) {
  const size_t trains = kind == ProblemKind::training || kind == ProblemKind::concurrent ? 1 : 0;
  const size_t infers = kind == ProblemKind::training        ? 0
                        : kind == ProblemKind::two_inference ? 2
                                                             : 1;
  if (options.train.size() == trains && options.infer.size() == infers) return {};
  return Error{
      Code::invalid_argument,
      fmt::format("plan {} needs {} --train and {} --infer", kind_name(kind), trains, infers),
      "each names a table (FILE.csv or FILE.csv:WORKLOAD) or a network on this machine"};
}

Result<Setting> open_setting(const PlanOptions& options, Store* store) {
  Setting setting;
  FLYBALL_ASSIGN(setting.roles, open_roles(options.train, options.infer, options.trial_seconds));
  FLYBALL_ASSIGN(setting.candidates, link_roles(setting.roles));
  for (const RoleBoard& role : setting.roles) {
    FLYBALL_ASSIGN(Recorder recorder, Recorder::open(*role.profiler, store, {}, false));
    setting.recorders.push_back(std::move(recorder));
  }
  FLYBALL_ASSIGN(const auto references, read_references(options.references));
  if (!references.empty())
    setting.search.references.assign(
        setting.roles.size(), std::make_shared<const std::vector<WorkloadTable>>(references));
  const std::string predictor = !options.predictor.empty() ? options.predictor
                                : references.empty()       ? "gp"
                                                           : "transfer-gp";
  FLYBALL_ASSIGN(const auto probe, make_predictor(predictor));
  setting.search.make_predictor = [predictor] { return *make_predictor(predictor); };
  setting.search.max_profiles = options.profiles;
  setting.search.seed = options.seed;
  return setting;
}

// Measures for a strategy, through the store.
std::function<Result<Told>(const Ask&)> measurer(Setting& setting, Progress& progress) {
  return [&setting, &progress, done = size_t{0}](const Ask& ask) mutable -> Result<Told> {
    const RoleBoard& role = setting.roles[ask.role];
    progress.show(done++, setting.search.max_profiles * setting.roles.size(),
                  role.profiler->info().workload + " at " +
                      describe(setting.candidates->space(ask.role).settings(ask.candidate)));
    FLYBALL_ASSIGN(const auto recorded,
                   setting.recorders[ask.role].measure(role.config[ask.candidate], ask.repeat));
    const Measurement& m = recorded.measurement;
    return Told{{m.failed() ? not_measured : m.minibatch_ms, m.power_w().value_or(not_measured)},
                m.failure};
  };
}

PowerMode chosen_mode(const Setting& setting, const Answer& answer) {
  return setting.candidates->space(0).trial(answer.choice[0], "", Phase::train).mode;
}

// The mode as a POWER_MODEL block of nvpmodel, where --export asks for it; else "".
Result<std::string> exported(const PlanOptions& options, const Setting& setting, const Plan& plan) {
  if (!plan.answer || options.export_format.empty()) return std::string();
  if (options.export_format != "nvpmodel")
    return Error{Code::invalid_argument,
                 fmt::format("there is no export '{}'", options.export_format),
                 "nvpmodel is the one there is"};
  FLYBALL_ASSIGN(const NvpmodelBoard board,
                 nvpmodel_board(setting.roles[0].profiler->info().device));
  return export_nvpmodel(chosen_mode(setting, *plan.answer), board, 99, "FLYBALL");
}

Status apply(const Setting& setting, const Plan& plan) {
  if (setting.roles[0].profiler->info().provenance != Provenance::measured)
    return Error{Code::invalid_argument, "a table has no knobs to apply the mode to",
                 "plan on this machine, or use --export nvpmodel"};
  FLYBALL_ASSIGN(const auto host, open_host());
  FLYBALL_CHECK(host->apply(chosen_mode(setting, *plan.answer)));
  return host->keep();
}

nlohmann::ordered_json plan_json(ProblemKind kind, const Plan& plan, const std::string& block) {
  nlohmann::ordered_json json{{"problem", kind_name(kind)}};
  json.update(to_json(plan));
  if (!block.empty()) json["nvpmodel"] = block;
  return json;
}

Result<Plan> search_plan(const PlanOptions& options, Setting& setting, Problem problem,
                         std::vector<Known> known = {}) {
  FLYBALL_CHECK(validate(problem));
  SearchOptions search = setting.search;
  search.known = std::move(known);
  auto shared = std::make_shared<const Problem>(std::move(problem));
  FLYBALL_ASSIGN(const auto strategy, make_strategy(options.strategy, shared, std::move(search)));
  Progress progress(options.quiet);
  return make_plan(*strategy, measurer(setting, progress));
}

Status plan_one(ProblemKind kind, const PlanOptions& options, Context& context) {
  FLYBALL_CHECK(check_roles(kind, options));
  std::optional<Store> store;
  if (!options.no_store) {
    FLYBALL_ASSIGN(store, open_store(options.store));
  }
  FLYBALL_ASSIGN(Setting setting, open_setting(options, store ? &*store : nullptr));
  const Objective usual = kind == ProblemKind::training     ? Objective::time
                          : kind == ProblemKind::concurrent ? Objective::throughput
                                                            : Objective::latency;
  FLYBALL_ASSIGN(Problem problem, make_problem_of(options, setting, usual));
  FLYBALL_ASSIGN(const Plan plan, search_plan(options, setting, std::move(problem)));
  FLYBALL_ASSIGN(const std::string block, exported(options, setting, plan));
  if (options.json)
    print_json(plan_json(kind, plan, block));
  else
    fmt::print("{}{}{}", format_plan(plan), block.empty() ? "" : "\n", block);
  if (options.apply && plan.answer) FLYBALL_CHECK(apply(setting, plan));
  if (!plan.answer) context.exit_code = report_error(plan.why_not);
  return {};
}

Result<std::vector<RateWindow>> parse_windows(const std::vector<std::string>& texts) {
  std::vector<RateWindow> windows;
  for (const std::string& list : texts)
    for (const std::string& text : split(list, ',')) {
      const size_t colon = text.find(':');
      const auto rate = parse_double(text.substr(0, colon));
      if (!rate || colon == std::string::npos)
        return Error{Code::invalid_argument, fmt::format("'{}' is not a rate window", text),
                     "write RATE:DURATION, such as 30:10min,60:5min"};
      FLYBALL_ASSIGN(const Seconds length, parse_seconds(text.substr(colon + 1)));
      windows.push_back({*rate, length.value});
    }
  if (windows.empty())
    return Error{Code::invalid_argument, "there are no rate windows",
                 "name them with --windows 30:10min,60:5min"};
  return windows;
}

void print_dynamic(const Setting& setting, const Problem& problem, const DynamicPlan& plan,
                   size_t profiles) {
  TextTable table({"window", "requests/s", "for", "mode", "batch", "objective", "switch"});
  const size_t last = problem.roles.size() - 1;
  for (size_t w = 0; w < plan.windows.size(); ++w) {
    const WindowPlan& window = plan.windows[w];
    const size_t served = window.choice.candidates[last];
    const PowerMode mode = setting.candidates->space(last).trial(served, "", Phase::infer).mode;
    table.add({fmt::format("{}", w + 1), number(window.window.rate_hz),
               format_seconds({window.window.seconds}), describe(mode.values),
               number(setting.candidates->batch(last, served)),
               number(objective_value(problem, window.choice.outcome)),
               window.switches ? "yes" : ""});
  }
  fmt::print("{}\n{} profiles, {} switches; {} over all windows {}, with one mode throughout {}\n",
             table.str(), profiles, plan.switches, objective_name(problem.objective),
             number(plan.value),
             std::isfinite(plan.static_value) ? number(plan.static_value) : "not possible");
}

nlohmann::ordered_json dynamic_json(const Setting& setting, const Problem& problem,
                                    const DynamicPlan& plan, size_t profiles) {
  nlohmann::ordered_json windows = nlohmann::ordered_json::array();
  for (const WindowPlan& window : plan.windows) {
    nlohmann::ordered_json choice = nlohmann::ordered_json::array();
    for (size_t role = 0; role < problem.roles.size(); ++role)
      choice.push_back(
          {{"workload", problem.roles[role].workload},
           {"config", setting.candidates->space(role).settings(window.choice.candidates[role])}});
    windows.push_back({{"rate_hz", window.window.rate_hz},
                       {"seconds", window.window.seconds},
                       {"choice", choice},
                       {"value", objective_value(problem, window.choice.outcome)},
                       {"switches", window.switches}});
  }
  return {
      {"problem", "dynamic"},
      {"objective", objective_name(problem.objective)},
      {"windows", windows},
      {"switches", plan.switches},
      {"value", plan.value},
      {"static_value", std::isfinite(plan.static_value) ? nlohmann::ordered_json(plan.static_value)
                                                        : nlohmann::ordered_json(nullptr)},
      {"profiles", profiles}};
}

// Each rate is searched once, starting from all that the rates before have profiled.
Status plan_dynamic_rates(PlanOptions& options, Context&) {
  FLYBALL_ASSIGN(const auto windows, parse_windows(options.windows));
  if (options.infer.size() != 1 || options.train.size() > 1)
    return Error{Code::invalid_argument, "plan dynamic needs one --infer and at most one --train",
                 "each names a table or a network on this machine"};
  std::optional<Store> store;
  if (!options.no_store) {
    FLYBALL_ASSIGN(store, open_store(options.store));
  }
  FLYBALL_ASSIGN(Setting setting, open_setting(options, store ? &*store : nullptr));
  const Objective usual = options.train.empty() ? Objective::power : Objective::throughput;
  std::vector<Known> known;
  Readings readings;
  for (size_t role = 0; role < setting.roles.size(); ++role)
    readings.emplace_back(setting.candidates->size(role));
  std::set<double> rates;
  for (const RateWindow& window : windows) rates.insert(window.rate_hz);
  Problem problem;
  for (double rate : rates) {
    options.rates = {rate};
    FLYBALL_ASSIGN(problem, make_problem_of(options, setting, usual));
    FLYBALL_ASSIGN(const Plan plan, search_plan(options, setting, problem, known));
    for (const Step& step : plan.steps) {
      if (!step.failure.empty()) continue;
      known.push_back({step.ask.role, step.ask.candidate, step.reading});
      readings[step.ask.role][step.ask.candidate] = step.reading;
    }
  }
  FLYBALL_ASSIGN(const DynamicPlan plan, plan_dynamic(problem, readings, windows));
  if (options.json)
    print_json(dynamic_json(setting, problem, plan, known.size()));
  else
    print_dynamic(setting, problem, plan, known.size());
  return {};
}

void add_plan_options(CLI::App& command, PlanOptions& o, const std::string& kind) {
  if (kind != "inference" && kind != "two-inference")
    command.add_option("--train", o.train, "table FILE.csv[:WORKLOAD], or a network here");
  if (kind != "training") {
    command.add_option("--infer", o.infer, "table FILE.csv[:WORKLOAD], or a network here");
    command.add_option("--latency", o.latencies, "peak latency at most, e.g. 500ms");
    if (kind != "dynamic") command.add_option("--rate", o.rates, "arriving requests per second");
  }
  if (kind == "dynamic")
    command.add_option("--windows", o.windows, "RATE:DURATION,…, e.g. 30:10min,60:5min");
  if (kind == "training") {
    command.add_option("--time-budget", o.time_budget, "of a minibatch");
    command.add_option("--energy-budget", o.energy_budget, "of a minibatch");
  }
  if (kind == "concurrent")
    command.add_flag("--separate-modes", o.separate_modes, "one mode for each role");
  if (kind == "concurrent" || kind == "dynamic")
    command.add_option("--switch-cost", o.switch_cost, "time that changing the mode takes");
  command.add_option("--power-budget", o.power_budget, "at most this power, e.g. 30W");
  command.add_option("--objective", o.objective, "time, energy, power, latency, throughput, …");
  command.add_option("--reference", o.references, "table of an earlier workload");
  command.add_option("--profiles", o.profiles, "profile at most so many")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--strategy", o.strategy, "how to search")->capture_default_str();
  command.add_option("--predictor", o.predictor, "what the strategy models with");
  command.add_option("--seed", o.seed, "of everything random")->capture_default_str();
  command.add_option("--trial-time", o.trial_seconds, "time cap of a live trial, seconds")
      ->check(CLI::Range(0.1, 3600.0));
  command.add_option("--store", o.store, "the store");
  command.add_flag("--no-store", o.no_store, "keep nothing");
  if (kind != "dynamic") {
    command.add_flag("--apply", o.apply, "set the mode on this machine");
    command.add_option("--export", o.export_format, "nvpmodel: print the mode as a block");
  }
  command.add_flag("--json", o.json, "one JSON document on stdout");
  command.add_flag("--quiet,-q", o.quiet, "no progress");
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("plan", "advice for one problem, with its alternatives");
  group->require_subcommand(1);
  group->footer(
      "Example:\n  flyball plan concurrent --train resnet18.csv --infer mobilenet.csv --rate 60 "
      "--latency 800ms --power-budget 30W");
  const auto add = [&](const std::string& kind, const char* summary, const char* example) {
    CLI::App* command = group->add_subcommand(kind, summary);
    auto options = std::make_shared<PlanOptions>();
    add_plan_options(*command, *options, kind);
    command->footer(std::string("Example:\n  flyball plan ") + kind + " " + example);
    command->callback([options, kind, &context] {
      const auto parsed = parse_kind(kind);
      const Status status =
          parsed ? plan_one(*parsed, *options, context) : plan_dynamic_rates(*options, context);
      if (!status.ok()) context.exit_code = report_error(status.error());
    });
  };
  add("training", "fastest (or thriftiest) training within budgets",
      "--train resnet18.csv --power-budget 30W");
  add("inference", "serving at an arrival rate within latency and power",
      "--infer resnet50.csv --rate 60 --latency 100ms --power-budget 30W");
  add("concurrent", "as much training as fits beside serving",
      "--train resnet18.csv --infer mobilenet.csv --rate 60 --latency 800ms --power-budget 30W");
  add("two-inference", "two services on one board",
      "--infer a.csv b.csv --rate 30 20 --latency 500ms --power-budget 40W");
  add("dynamic", "a mode for each window of a changing arrival rate",
      "--infer mobilenet.csv --windows 30:10min,60:5min --latency 200ms --switch-cost 2s");
}

}  // namespace flyball::cli
