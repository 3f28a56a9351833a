#include "schedule/planning/serving_evaluation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <tuple>

#include "base/clock.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/random.h"
#include "problem/known_batches.h"
#include "schedule/planning/serving_traces.h"

namespace flyball {
namespace {

/// The tables as the sweep sees them.
struct Ground {
  std::shared_ptr<const Candidates> candidates;
  Readings readings;
  std::vector<Role> roles;
};

Result<Ground> prepare(const ServingSweep& sweep) {
  const std::array tables = {sweep.train, sweep.infer};
  FLYBALL_CHECK(check_one_board(sweep.train->title(), sweep.train->device, sweep.infer->title(),
                                sweep.infer->device));
  FLYBALL_CHECK(check_batches(sweep.infer->title(), sweep.infer->space));
  Ground ground;
  std::vector<Space> spaces;
  for (const WorkloadTable* table : tables) {
    ground.roles.push_back(role_of(*table));
    if (!sweep.only_paper_modes) {
      spaces.push_back(table->space);
      continue;
    }
    FLYBALL_ASSIGN(Space space, paper_modes(table->space));
    spaces.push_back(std::move(space));
  }
  FLYBALL_ASSIGN(Candidates linked, Candidates::link(std::move(spaces)));
  ground.candidates = std::make_shared<const Candidates>(std::move(linked));
  FLYBALL_ASSIGN(ground.readings, readings_of(*ground.candidates, tables));
  return ground;
}

/// Problems that differ in their power budget alone: executions are shared.
struct Group {
  double latency_ms = 0, rate_hz = 0;
  std::vector<ProblemSpec> specs;
};

std::vector<Group> grouped(const ServingSweep& sweep, const Ground& ground) {
  std::vector<ProblemSpec> specs = sweep.problems;
  if (specs.empty())
    specs = paper_problems(ProblemKind::concurrent, takes_long_latency(ground.roles[1].workload));
  std::map<std::pair<double, double>, Group> groups;
  for (size_t i = 0; i < specs.size(); i += std::max<size_t>(1, sweep.every)) {
    Group& group = groups[{specs[i].latency_ms, specs[i].rate_hz}];
    group.latency_ms = specs[i].latency_ms;
    group.rate_hz = specs[i].rate_hz;
    group.specs.push_back(specs[i]);
  }
  std::vector<Group> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  return all;
}

/// What one execution came to.
struct Executed {
  double late_share = 0, trained_per_s = 0, median_ms = 0;
  size_t requests = 0;
  double latest_per_s = 0, latest_median_ms = 0;  ///< with batches at the latest safe time
  double turn_ms = 0;                             ///< a training minibatch and an answer
  double single_load = 0;  ///< share of the time that answers one by one take

  /// Do answers one by one leave 99 % of that training?
  bool singles() const {
    return single_load < 1 && (1 - single_load) * alone_per_s >= kept_training * latest_per_s;
  }
  double alone_per_s = 0;  ///< training minibatches that nothing is served beside
};

constexpr size_t constant_row = 0, clockwork_row = 1, percentile_row = 2;

/// Adds up the rows of one group.
class GroupRun {
 public:
  GroupRun(const ServingSweep& sweep, const Ground& ground, const Group& group, uint64_t number)
      : sweep_(sweep), ground_(ground), group_(group), number_(number), rows_(3) {}

  void run() {
    Problem problem = make_problem(ProblemKind::concurrent, ground_.candidates, ground_.roles,
                                   group_.specs.front());
    ServingProblem live{&problem, &ground_.readings};
    ArrivalPlanOptions options;
    options.percentile = sweep_.percentile;
    options.seed = mix_seed(sweep_.seed, number_);
    ArrivalPlanner planner(live, {poisson_arrivals(group_.rate_hz)}, options);
    problem.preference = sweep_.prefer;
    for (const ProblemSpec& spec : group_.specs) {
      for (ServingRow& row : rows_) ++row.problems;
      problem.budgets = spec.budgets;
      const Choice clockwork = solve(problem, ground_.readings);
      if (clockwork.outcome.feasible) {
        const double planned = live.planned_trainings(clockwork.candidates);
        count(live, clockwork.candidates, ArrivalKind::constant, planned, 0, rows_[constant_row]);
        count(live, clockwork.candidates, ArrivalKind::poisson, planned,
              1 - sweep_.percentile / 100, rows_[clockwork_row]);
      }
      if (const auto plan = planner.plan(spec.budgets.power_w))
        count(live, plan->choice, ArrivalKind::poisson, plan->trainings_per_s,
              1 - sweep_.percentile / 100, rows_[percentile_row]);
    }
    for (ServingRow& row : rows_)
      row.executions = distinct_[static_cast<size_t>(&row - rows_.data())];
  }

  const std::vector<ServingRow>& rows() const { return rows_; }
  size_t requests() const { return requests_; }

 private:
  void count(const ServingProblem& live, const std::vector<size_t>& choice, ArrivalKind kind,
             double planned, double late_allowed, ServingRow& row) {
    const Executed& executed =
        execute(live, choice, kind, static_cast<size_t>(&row - rows_.data()));
    ++row.planned;
    if (executed.late_share <= late_allowed) ++row.solved;
    row.mean_median_ms += executed.median_ms;
    row.latest_median_ms += executed.latest_median_ms;
    row.mean_late_pct += 100 * executed.late_share;
    row.worst_late_pct = std::max(row.worst_late_pct, 100 * executed.late_share);
    if (!(planned > 0)) return;
    const double ratio = executed.trained_per_s / planned;
    if (row.with_training == 0 || ratio < row.least_training_ratio)
      row.least_training_ratio = ratio;
    ++row.with_training;
    if (ratio >= 0.99) ++row.trained;
    row.mean_training_ratio += ratio;
    const double kept = executed.trained_per_s / executed.latest_per_s;
    if (row.with_training == 1 || kept < row.least_kept_ratio) row.least_kept_ratio = kept;
    row.mean_kept_ratio += kept;
    if (!executed.singles()) return;
    ++row.singles;
    if (executed.median_ms <= 1.1 * executed.turn_ms) ++row.soon;
  }

  ServingResult simulate_with(const ServingProblem& live, const std::vector<size_t>& choice,
                              ArrivalKind kind, const Preference& prefer) {
    Simulation asked = live.simulation(choice);
    asked.preference = prefer;
    ArrivalSpec spec;
    spec.kind = kind;
    spec.rate_hz = group_.rate_hz;
    const auto source = make_arrivals(spec, mix_seed(sweep_.seed + 1000, number_));
    asked.arrivals = {source.get()};
    asked.seconds = sweep_.seconds;
    asked.jitter = sweep_.jitter;
    asked.seed = mix_seed(sweep_.seed, number_);
    const ServingResult result = simulate(std::move(asked));
    requests_ += result.services[0].arrived;
    return result;
  }

  // Other arrivals than those that a plan was made with.
  const Executed& execute(const ServingProblem& live, const std::vector<size_t>& choice,
                          ArrivalKind kind, size_t row) {
    const auto key = std::make_pair(static_cast<int>(kind), choice);
    if (const auto known = executed_.find(key); known != executed_.end()) return known->second;
    const auto trained = [](const ServingResult& result) {
      return static_cast<double>(result.trainings[0].minibatches) / result.seconds;
    };
    const auto median_ms = [](const ServingResult& result) {
      return result.services[0].latency.quantile_ms(0.5);
    };
    const ServingResult result = simulate_with(live, choice, kind, sweep_.prefer);
    const ServingResult latest =
        simulate_with(live, choice, kind, {.kind = Preference::Kind::training});
    ++distinct_[row];
    Executed executed{.late_share = result.services[0].late_share(),
                      .trained_per_s = trained(result),
                      .median_ms = median_ms(result),
                      .requests = result.services[0].arrived,
                      .latest_per_s = trained(latest),
                      .latest_median_ms = median_ms(latest)};
    const RunningPlan plan = live.plan(choice);
    const double answer_ms = plan.services[0].minibatch.typical_ns(1) * 1e-6;
    const double training_ms = plan.trainings[0].minibatch.typical_ns(1) * 1e-6;
    executed.turn_ms = training_ms + answer_ms;
    executed.single_load = group_.rate_hz * answer_ms * 1e-3;
    executed.alone_per_s = 1e3 / training_ms;
    return executed_.emplace(key, executed).first->second;
  }

  const ServingSweep& sweep_;
  const Ground& ground_;
  const Group& group_;
  uint64_t number_;
  std::vector<ServingRow> rows_;
  std::map<std::pair<int, std::vector<size_t>>, Executed> executed_;
  std::array<size_t, 3> distinct_{};
  size_t requests_ = 0;
};

void add(ServingRow& sum, const ServingRow& part) {
  sum.problems += part.problems;
  sum.planned += part.planned;
  sum.solved += part.solved;
  if (part.with_training > 0)
    sum.least_training_ratio = sum.with_training == 0
                                   ? part.least_training_ratio
                                   : std::min(sum.least_training_ratio, part.least_training_ratio);
  if (part.with_training > 0)
    sum.least_kept_ratio = sum.with_training == 0
                               ? part.least_kept_ratio
                               : std::min(sum.least_kept_ratio, part.least_kept_ratio);
  sum.with_training += part.with_training;
  sum.trained += part.trained;
  sum.mean_training_ratio += part.mean_training_ratio;  // a sum until all are in
  sum.mean_median_ms += part.mean_median_ms;
  sum.latest_median_ms += part.latest_median_ms;
  sum.mean_kept_ratio += part.mean_kept_ratio;
  sum.singles += part.singles;
  sum.soon += part.soon;
  sum.mean_late_pct += part.mean_late_pct;
  sum.worst_late_pct = std::max(sum.worst_late_pct, part.worst_late_pct);
  sum.executions += part.executions;
}

}  // namespace

Result<ServingEvaluation> evaluate_live(const ServingSweep& sweep) {
  FLYBALL_ASSIGN(const Ground ground, prepare(sweep));
  const double began = process_cpu_seconds();
  const std::vector<Group> groups = grouped(sweep, ground);
  ServingEvaluation evaluation;
  evaluation.train = sweep.train->title();
  evaluation.infer = sweep.infer->title();
  evaluation.modes = ground.candidates->mode_count();
  evaluation.seconds = sweep.seconds;
  std::vector<GroupRun> runs;
  for (size_t g = 0; g < groups.size(); ++g) runs.emplace_back(sweep, ground, groups[g], g);
  std::atomic<size_t> done{0};
  std::mutex mutex;
  parallel_for(
      runs.size(),
      [&](size_t g) {
        runs[g].run();
        const size_t so_far = ++done;
        if (!sweep.progress) return;
        const std::lock_guard lock(mutex);
        sweep.progress(so_far, runs.size());
      },
      sweep.threads);
  evaluation.rows.resize(3);
  evaluation.rows[constant_row].arrivals = "constant";
  evaluation.rows[clockwork_row].arrivals = "poisson, clockwork plan";
  evaluation.rows[percentile_row].arrivals = "poisson, plan for the percentile";
  for (const GroupRun& run : runs) {
    for (size_t row = 0; row < run.rows().size(); ++row) add(evaluation.rows[row], run.rows()[row]);
    evaluation.requests += static_cast<double>(run.requests());
  }
  for (ServingRow& row : evaluation.rows) {
    const auto with_training = static_cast<double>(row.with_training);
    const auto planned = static_cast<double>(row.planned);
    if (row.with_training > 0) {
      row.mean_training_ratio /= with_training;
      row.mean_kept_ratio /= with_training;
    }
    if (row.planned == 0) continue;
    row.mean_late_pct /= planned;
    row.mean_median_ms /= planned;
    row.latest_median_ms /= planned;
  }
  if (sweep.traces > 0) {
    TraceSweep traces{ground.candidates, &ground.readings, ground.roles, sweep.traces,
                      sweep.switch_s,    sweep.percentile, sweep.seed,   sweep.threads};
    evaluation.traces = evaluate_traces(traces);
  }
  evaluation.own_s = process_cpu_seconds() - began;
  return evaluation;
}

Json to_json(const ServingEvaluation& evaluation) {
  Json rows = Json::array(), traces = Json::array();
  for (const ServingRow& row : evaluation.rows)
    rows.push_back({{"arrivals", row.arrivals},
                    {"problems", row.problems},
                    {"planned", row.planned},
                    {"solved", row.solved},
                    {"with_training", row.with_training},
                    {"trained", row.trained},
                    {"mean_training_ratio", or_null(row.mean_training_ratio)},
                    {"least_training_ratio", or_null(row.least_training_ratio)},
                    {"mean_late_pct", or_null(row.mean_late_pct)},
                    {"worst_late_pct", or_null(row.worst_late_pct)},
                    {"mean_median_ms", or_null(row.mean_median_ms)},
                    {"latest_median_ms", or_null(row.latest_median_ms)},
                    {"mean_kept_ratio", or_null(row.mean_kept_ratio)},
                    {"least_kept_ratio", or_null(row.least_kept_ratio)},
                    {"singles", row.singles},
                    {"soon", row.soon},
                    {"executions", row.executions}});
  for (const ServingTrace& trace : evaluation.traces) {
    Json windows = Json::array();
    for (const RateWindow& window : trace.windows)
      windows.push_back({{"rate_hz", window.rate_hz}, {"seconds", window.seconds}});
    traces.push_back({{"power_w", or_null(trace.asked.budgets.power_w)},
                      {"latency_ms", or_null(trace.asked.latency_ms)},
                      {"windows", windows},
                      {"trained_per_s", or_null(trace.trained)},
                      {"knowing_per_s", or_null(trace.knowing)},
                      {"plan_per_s", or_null(trace.plan)},
                      {"late_pct", or_null(trace.late_pct)},
                      {"knowing_late_pct", or_null(trace.knowing_late_pct)},
                      {"switches", trace.switches},
                      {"knowing_switches", trace.knowing_switches}});
  }
  return {{"train", evaluation.train},
          {"infer", evaluation.infer},
          {"modes", evaluation.modes},
          {"seconds", evaluation.seconds},
          {"rows", rows},
          {"traces", traces},
          {"requests", evaluation.requests},
          {"own_s", evaluation.own_s}};
}

}  // namespace flyball
