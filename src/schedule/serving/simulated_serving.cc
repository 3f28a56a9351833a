#include "schedule/serving/simulated_serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "schedule/board_readings.h"
#include "schedule/planning/mode_explorer.h"
#include "schedule/planning/planned_simulation.h"
#include "schedule/planning/replanner.h"

namespace flyball {
namespace {

double length_of(const ServeRequest& request) {
  if (request.seconds > 0) return request.seconds;
  double longest = 0;
  for (const ArrivalSpec& spec : request.arrivals)
    longest = std::max(longest, spec.seconds().value_or(0));
  return longest > 0 ? longest : 60;
}

// Do the arrivals come at rates that change?
bool rates_change(const ServeRequest& request) {
  return std::ranges::any_of(request.arrivals, [](const ArrivalSpec& spec) {
    return spec.windows.size() > 1 || !spec.times_s.empty();
  });
}

// The plan's choice, executed as was asked.
Simulation simulation_of(const ServeRequest& request, const ServingPlan& plan,
                         const ServingProblem& truth,
                         std::vector<std::unique_ptr<ArrivalSource>>& sources) {
  Simulation simulation = truth.simulation(plan.choice.choice);
  for (size_t s = 0; s < request.arrivals.size(); ++s) {
    sources.push_back(make_arrivals(request.arrivals[s], mix_seed(request.plan.seed + 1, s)));
    simulation.arrivals.push_back(sources.back().get());
  }
  for (double& rate : simulation.plan.trainings_per_s) rate = plan.choice.trainings_per_s;
  simulation.seconds = length_of(request);
  simulation.jitter = request.jitter;
  simulation.switch_s = request.plan.switch_ms * 1e-3;
  simulation.seed = request.plan.seed;
  return simulation;
}

Span span_of(const Problem& problem, const Decision& what, int64_t begin_ns, int64_t end_ns) {
  const bool infers = what.act == Act::infer;
  const size_t role = what.who + (infers && !problem.roles.front().serves() ? 1 : 0);
  return {problem.roles[role].workload + (infers ? " served" : " training"),
          infers ? fmt::format("batch of {}", what.samples) : "minibatch", begin_ns, end_ns};
}

}  // namespace

Result<ServedRun> serve_simulated(const ServeRequest& request, SharedBoard board,
                                  const ProfileSource& source) {
  FLYBALL_ASSIGN(const auto known, tables_of_profiles(source, board));
  FLYBALL_ASSIGN(const ServingPlan plan, plan_serving(std::move(board), request, known));
  FLYBALL_CHECK(check_measure(request, source, plan, request.plan.switch_ms));
  Readings truth = plan.readings;
  if (!known.empty()) {
    FLYBALL_ASSIGN(truth, readings_of_board(plan.shared));
  }
  const Problem& problem = plan.problem;
  const ServingProblem live{&problem, &truth, request.queue};
  ServedRun served;
  served.simulated = true;
  served.device = plan.shared.info(0).device_title;
  served.plan = plan.json();
  std::vector<std::unique_ptr<ArrivalSource>> sources;
  Simulation simulation = simulation_of(request, plan, live, sources);
  simulation.timeline = &served.timeline;
  simulation.ran = [&](const Decision& what, int64_t begin_ns, int64_t end_ns) {
    if (served.spans.size() < request.most_spans)
      served.spans.push_back(span_of(problem, what, begin_ns, end_ns));
  };
  const ReplanOptions replanning{.percentile = request.percentile, .seed = request.plan.seed};
  Replanner replanner(live, replanning);
  if (known.empty()) {
    if (rates_change(request)) {
      replanner.begin(request.planned_rates_hz(), plan.choice.choice);
      simulation.arrived = [&](size_t s, int64_t now_ns) { replanner.arrived(s, now_ns); };
      simulation.replan = [&](int64_t now_ns, const ServingResult&) {
        return replanner.look(now_ns);
      };
    }
    served.result = simulate(std::move(simulation));
  } else {
    const PlannedSimulation planned{
        .truth = live,
        .known = plan.readings,
        .choice = plan.choice.choice,
        .rates_hz = request.planned_rates_hz(),
        .options = {.replan = replanning, .queue = request.queue, .measure = request.measure}};
    served.result = simulate_planned(std::move(simulation), planned);
    served.notes.push_back(fmt::format("planned with the profiles of {} of {} modes",
                                       known_modes(problem, plan.readings, 0).size(),
                                       problem.candidates->mode_count()));
  }
  if (std::isnan(served.result.energy_j) && problem.idle_w.empty())
    served.power_gap = "idle power of the modes is not known, so neither is energy where it idled";
  return served;
}

}  // namespace flyball
