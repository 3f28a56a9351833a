#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/random.h"
#include "cli/checks.h"
#include "cli/serving/serving_profiles.h"
#include "schedule/board_readings.h"
#include "schedule/planning/planned_simulation.h"
#include "schedule/planning/replanner.h"
#include "telemetry/sampling/trace_export.h"

namespace flyball::cli {
namespace {

constexpr size_t most_spans = 200'000;

double length_of(const ServeOptions& options) {
  if (options.seconds > 0) return options.seconds;
  double longest = 0;
  for (const ArrivalSpec& spec : options.arrivals)
    longest = std::max(longest, spec.seconds().value_or(0));
  return longest > 0 ? longest : 60;
}

}  // namespace

Result<Served> serve_simulated(ServeOptions& options) {
  if (!options.trace.empty()) FLYBALL_CHECK(check_writable(options.trace));
  PlanOptions& asked = options.plan;
  FLYBALL_ASSIGN(SharedBoard shared, open_shared_board(asked));
  FLYBALL_ASSIGN(const auto known, tables_of_profiles(options, shared));
  FLYBALL_ASSIGN(const ServingPlan plan,
                 plan_serving(std::move(shared), serving_request(options), known));
  FLYBALL_CHECK(check_measure(options, plan, asked.request.switch_ms));
  Readings truth = plan.readings;
  if (!known.empty()) {
    FLYBALL_ASSIGN(truth, readings_of_board(plan.shared));
  }
  const Problem& problem = plan.problem;
  const LiveProblem live{&problem, &truth};
  FLYBALL_ASSIGN(const Overload overload, options.overload_policy());
  Simulation simulation = live.simulation(plan.choice.choice);
  std::vector<std::unique_ptr<ArrivalSource>> sources;
  for (size_t s = 0; s < options.arrivals.size(); ++s) {
    simulation.services[s].overload = overload;
    simulation.services[s].queue_bound = options.queue_bound;
    sources.push_back(make_arrivals(options.arrivals[s], mix_seed(asked.request.seed + 1, s)));
    simulation.arrivals.push_back(sources.back().get());
  }
  for (double& rate : simulation.plan.trainings_per_s) rate = plan.choice.trainings_per_s;
  simulation.seconds = length_of(options);
  simulation.jitter = options.jitter;
  simulation.switch_s = asked.request.switch_ms * 1e-3;
  simulation.seed = asked.request.seed;
  const ReplanOptions replanning{.percentile = asked.percentile, .seed = asked.request.seed};
  Replanner replanner(live, replanning);
  const bool changes = std::ranges::any_of(options.arrivals, [](const ArrivalSpec& spec) {
    return spec.windows.size() > 1 || !spec.times_s.empty();
  });
  if (changes && known.empty()) {
    replanner.begin(options.planned_rates_hz(), plan.choice.choice);
    simulation.arrived = [&](size_t s, int64_t now_ns) { replanner.arrived(s, now_ns); };
    simulation.replan = [&](int64_t now_ns, const LiveResult&) { return replanner.look(now_ns); };
  }
  std::vector<Span> spans;
  if (!options.trace.empty())
    simulation.ran = [&](const Decision& what, int64_t begin_ns, int64_t end_ns) {
      if (spans.size() >= most_spans) return;
      const bool infers = what.act == Act::infer;
      const size_t role = infers ? what.who + (asked.train.empty() ? 0 : 1) : what.who;
      spans.push_back({problem.roles[role].workload + (infers ? " served" : " training"),
                       infers ? fmt::format("batch of {}", what.samples) : "minibatch", begin_ns,
                       end_ns});
    };
  Served served;
  simulation.timeline = &served.timeline;
  served.simulated = true;
  served.device = plan.shared.info(0).device_title;
  served.plan = plan.json();
  if (known.empty()) {
    served.result = simulate(std::move(simulation));
  } else {
    const PlannedSimulation planned{.truth = live,
                                    .known = plan.readings,
                                    .choice = plan.choice.choice,
                                    .rates_hz = options.planned_rates_hz(),
                                    .options = {.replan = replanning, .measure = options.measure}};
    served.result = simulate_planned(std::move(simulation), planned);
    served.notes.push_back(fmt::format("planned with the profiles of {} of {} modes",
                                       known_modes(problem, plan.readings, 0).size(),
                                       problem.candidates->mode_count()));
  }
  if (std::isnan(served.result.energy_j) && problem.idle_w.empty())
    served.power_gap = "idle power of the modes is not known, so neither is energy where it idled";
  if (!options.trace.empty()) FLYBALL_CHECK(write_file(options.trace, chrome_trace({}, spans, 0)));
  return served;
}

}  // namespace flyball::cli
