#include "cli/planning.h"

#include "base/units.h"
#include "cli/board.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "predict/registry.h"
#include "search/registry.h"

namespace flyball::cli {
namespace {

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
                m.failure,
                recorded.from_store};
  };
}

}  // namespace

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
  problem.per_sample = trains_in_several_batches(*problem.candidates, problem.roles);
  FLYBALL_CHECK(read_limits(options, problem));
  return problem;
}

Result<Setting> open_setting(const PlanOptions& options, Store* store) {
  Setting setting;
  FLYBALL_ASSIGN(setting.roles,
                 open_roles(options.train, options.infer, options.trial_seconds, options.accepted));
  FLYBALL_ASSIGN(setting.candidates, link_roles(setting.roles));
  for (const RoleBoard& role : setting.roles) {
    FLYBALL_ASSIGN(Recorder recorder, Recorder::open(*role.profiler, store, {}, false));
    setting.recorders.push_back(std::move(recorder));
  }
  FLYBALL_ASSIGN(const auto references, read_references(options.references, options.accepted));
  if (!references.empty())
    setting.search.references.assign(
        setting.roles.size(), std::make_shared<const std::vector<WorkloadTable>>(references));
  const std::string predictor = !options.predictor.empty() ? options.predictor
                                : references.empty()       ? "gp"
                                                           : "transfer-gp";
  FLYBALL_ASSIGN(const auto probe, make_predictor(predictor));
  setting.search.make_predictor = [predictor] { return *make_predictor(predictor); };
  setting.search.max_profiles = options.profiles;
  if (options.profiles_asked && options.strategy != "brute-force")
    setting.search.most_profiles = options.profiles;
  setting.search.seed = options.seed;
  return setting;
}

Result<std::optional<Store>> plan_store(const PlanOptions& options) {
  if (options.no_store) return std::optional<Store>();
  FLYBALL_ASSIGN(Store store, open_store(options.store));
  return std::optional<Store>(std::move(store));
}

Result<Plan> search_plan(const PlanOptions& options, Setting& setting, Problem problem,
                         std::vector<Known> known) {
  const Status sound = validate(problem);
  if (!sound.ok() && sound.error().code != Code::infeasible) return sound.error();
  if (!sound.ok()) {  // an answer too: nothing needs to be profiled to know it
    Plan plan;
    plan.problem = std::make_shared<const Problem>(std::move(problem));
    plan.why_not = sound.error();
    return plan;
  }
  SearchOptions search = setting.search;
  search.known = std::move(known);
  auto shared = std::make_shared<const Problem>(std::move(problem));
  FLYBALL_ASSIGN(const auto strategy, make_strategy(options.strategy, shared, std::move(search)));
  Progress progress(options.quiet);
  FLYBALL_ASSIGN(Plan plan, make_plan(*strategy, measurer(setting, progress)));
  for (const Recorder& recorder : setting.recorders)
    plan.notes.insert(plan.notes.begin(), recorder.notes().begin(), recorder.notes().end());
  return plan;
}

}  // namespace flyball::cli
