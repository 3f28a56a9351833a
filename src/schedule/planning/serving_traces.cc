#include "schedule/planning/serving_traces.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/random.h"
#include "problem/dynamic.h"
#include "schedule/planning/replanner.h"

namespace flyball {
namespace {

constexpr size_t windows_of_a_trace = 6, tries = 50;

struct Drawn {
  ProblemSpec spec;
  std::vector<RateWindow> windows;
};

Drawn draw(Random& random) {
  Drawn drawn;
  drawn.spec.budgets.power_w = 18 + static_cast<double>(random.below(33));
  drawn.spec.latency_ms = 500 + 100 * static_cast<double>(random.below(16));
  for (size_t w = 0; w < windows_of_a_trace; ++w)
    drawn.windows.push_back({30 + 10 * static_cast<double>(random.below(10)),
                             60 * static_cast<double>(5 + random.below(16))});
  drawn.spec.rate_hz = drawn.windows.front().rate_hz;
  return drawn;
}

ReplanOptions options_of(const TraceSweep& sweep, const Drawn& drawn) {
  ReplanOptions options;
  options.percentile = sweep.percentile;
  options.seed = sweep.seed;
  double seconds = 0;
  for (const RateWindow& window : drawn.windows) seconds += window.seconds;
  options.horizon_s = seconds / static_cast<double>(drawn.windows.size());
  return options;
}

Simulation asked_for(const ServingProblem& live, std::span<const size_t> choice, const Drawn& drawn,
                     ArrivalSource& source, double switch_s) {
  Simulation asked = live.simulation(choice);
  asked.arrivals = {&source};
  asked.seconds = 0;
  for (const RateWindow& window : drawn.windows) asked.seconds += window.seconds;
  asked.switch_s = switch_s;
  return asked;
}

std::unique_ptr<ArrivalSource> source_of(const Drawn& drawn, uint64_t seed) {
  ArrivalSpec spec;
  spec.kind = ArrivalKind::windows;
  spec.windows = drawn.windows;
  return make_arrivals(spec, seed);
}

/// Told of each window's rate as it begins.
ServingResult run_knowing(const ServingProblem& live, Replanner& plans, const Drawn& drawn,
                          uint64_t seed, double switch_s) {
  const auto source = source_of(drawn, seed);
  size_t window = 0;
  double edge_s = drawn.windows.front().seconds;
  std::vector<size_t> present = plans.plan_for({drawn.windows.front().rate_hz})->choice;
  Simulation asked = asked_for(live, present, drawn, *source, switch_s);
  asked.replan = [&](int64_t now_ns, const ServingResult&) -> std::optional<PlanChange> {
    if (static_cast<double>(now_ns) * 1e-9 < edge_s || window + 1 == drawn.windows.size())
      return std::nullopt;
    edge_s += drawn.windows[++window].seconds;
    const double rate_hz = drawn.windows[window].rate_hz;
    return plans.change_to({rate_hz}, "the window begins");
  };
  plans.begin(std::array{drawn.windows.front().rate_hz}, present);
  return simulate(std::move(asked));
}

ServingResult run_watching(const ServingProblem& live, Replanner& plans, const Drawn& drawn,
                           uint64_t seed, double switch_s) {
  const auto source = source_of(drawn, seed);
  const double rate_hz = drawn.windows.front().rate_hz;
  plans.begin(std::array{rate_hz}, plans.plan_for({rate_hz})->choice);
  Simulation asked = asked_for(live, plans.choice(), drawn, *source, switch_s);
  asked.arrived = [&](size_t service, int64_t now_ns) { plans.arrived(service, now_ns); };
  asked.replan = [&](int64_t now_ns, const ServingResult&) { return plans.look(now_ns); };
  return simulate(std::move(asked));
}

bool served_throughout(Replanner& plans, const Drawn& drawn) {
  return std::ranges::all_of(drawn.windows, [&](const RateWindow& window) {
    const auto plan = plans.plan_for({window.rate_hz});
    return plan && plan->trainings_per_s > 0;
  });
}

ServingTrace run_trace(const TraceSweep& sweep, size_t number) {
  Random random(mix_seed(sweep.seed, number));
  for (size_t attempt = 0; attempt < tries; ++attempt) {
    const Drawn drawn = draw(random);
    Problem problem =
        make_problem(ProblemKind::concurrent, sweep.candidates, sweep.roles, drawn.spec);
    problem.switch_ms = sweep.switch_s * 1e3;
    const ServingProblem live{&problem, sweep.readings};
    Replanner plans(live, options_of(sweep, drawn));
    if (!served_throughout(plans, drawn)) continue;
    ServingTrace trace{.asked = drawn.spec, .windows = drawn.windows};
    const uint64_t seed = mix_seed(sweep.seed + 77, number);
    const ServingResult watching = run_watching(live, plans, drawn, seed, sweep.switch_s);
    const ServingResult knowing = run_knowing(live, plans, drawn, seed, sweep.switch_s);
    const auto per_s = [](const ServingResult& result) {
      return static_cast<double>(result.trainings[0].minibatches) / result.seconds;
    };
    trace.trained = per_s(watching);
    trace.knowing = per_s(knowing);
    trace.late_pct = 100 * watching.services[0].late_share();
    trace.knowing_late_pct = 100 * knowing.services[0].late_share();
    trace.switches = watching.switches;
    trace.knowing_switches = knowing.switches;
    const auto plan = plan_dynamic(problem, *sweep.readings, drawn.windows);
    trace.plan = plan.ok() ? plan->value : not_measured;
    return trace;
  }
  return {};
}

}  // namespace

std::vector<ServingTrace> evaluate_traces(const TraceSweep& sweep) {
  std::vector<ServingTrace> traces(sweep.traces);
  parallel_for(
      traces.size(), [&](size_t i) { traces[i] = run_trace(sweep, i); }, sweep.threads);
  std::erase_if(traces, [](const ServingTrace& trace) { return trace.windows.empty(); });
  return traces;
}

}  // namespace flyball
