#include "cli/commands/plan_arrivals.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/os/interrupt.h"
#include "cli/output.h"
#include "schedule/board_readings.h"
#include "schedule/planning/arrival_miss.h"
#include "tune/role_choices.h"

namespace flyball::cli {
namespace {

/// A choice as it was simulated.
struct Simulated {
  SimulatedChoice run;
  double power_w = 0, planned_per_s = 0;
};

Json choice_json(const Problem& problem, const Simulated& one) {
  Json roles = Json::array();
  for (size_t role = 0; role < one.run.choice.size(); ++role) {
    Json config = Json::object();
    for (const auto& [name, value] : problem.candidates->space(role).settings(one.run.choice[role]))
      config[name] = value;
    roles.push_back({{"workload", problem.roles[role].workload}, {"config", config}});
  }
  return {{"roles", roles},
          {"power_w", or_null(one.power_w)},
          {"late_pct", or_null(100 * one.run.late_share)},
          {"latency_ms", or_null(one.run.p99_ms)},
          {"mean_batch", or_null(one.run.mean_batch)},
          {"trainings_per_s", or_null(one.run.trainings_per_s)},
          {"clockwork_per_s", or_null(one.planned_per_s)}};
}

void print_choice(const Problem& problem, const Simulated& one, double percentile) {
  const size_t last = problem.roles.size() - 1;
  const Candidates& all = *problem.candidates;
  const Trial trial = all.space(last).trial(one.run.choice[last], "", Phase::infer);
  fmt::print("  {}; batches up to {:g}\n", describe(trial.mode.values),
             all.batch(last, one.run.choice[last]));
  fmt::print("  simulated: {:.3g} % late, p{:g} {:.4g} ms, {:.3g} requests a batch",
             100 * one.run.late_share, percentile, one.run.p99_ms, one.run.mean_batch);
  if (problem.concurrent())
    fmt::print(", {:.4g} training minibatches/s (its equations say {:.4g})",
               one.run.trainings_per_s, one.planned_per_s);
  fmt::print("\n");
}

// What clockwork arrivals of the same rate would have made of it, and how that fares.
std::optional<Simulated> clockwork(const ServingProblem& live, ArrivalPlanner& planner) {
  const Choice choice = solve(*live.problem, *live.readings);
  if (!choice.outcome.feasible) return std::nullopt;
  return Simulated{planner.simulated(choice.candidates),
                   power_of(*live.readings, choice.candidates),
                   live.planned_trainings(choice.candidates)};
}

}  // namespace

Result<std::vector<ArrivalSpec>> read_arrivals(const std::vector<std::string>& texts,
                                               const std::vector<double>& rates_hz,
                                               size_t services) {
  FLYBALL_CHECK(check_count("--arrivals", texts.size(), services));
  FLYBALL_CHECK(check_count("--rate", rates_hz.size(), services));
  std::vector<ArrivalSpec> specs;
  bool takes_rate = rates_hz.empty();
  for (size_t s = 0; s < services; ++s) {
    std::string text = texts.size() > 1 ? texts[s] : texts.front();
    if (text == "poisson" || text == "constant") {
      if (rates_hz.empty())
        return Error{Code::invalid_argument, fmt::format("--arrivals {} needs a rate", text),
                     fmt::format("write {}:60, or add --rate 60", text)};
      takes_rate = true;
      text += fmt::format(":{}", rates_hz.size() > 1 ? rates_hz[s] : rates_hz.front());
    }
    FLYBALL_ASSIGN(ArrivalSpec spec, parse_arrivals(text));
    takes_rate = takes_rate || spec.kind == ArrivalKind::http;
    specs.push_back(std::move(spec));
  }
  if (!takes_rate)
    return Error{Code::invalid_argument,
                 fmt::format("--rate says nothing beside --arrivals {}, which has its own rate",
                             specs.front().text),
                 "leave one of them out"};
  return specs;
}

Status plan_for_arrivals(ProblemKind kind, PlanOptions& options, Context& context) {
  FLYBALL_CHECK(options.scope.check(Target::arrivals));
  FLYBALL_ASSIGN(const auto arrivals,
                 read_arrivals(options.arrivals, options.request.rates_hz, options.infer.size()));
  options.request.rates_hz.clear();
  for (const ArrivalSpec& spec : arrivals) {
    if (spec.kind == ArrivalKind::http)
      return Error{Code::invalid_argument, "nobody knows when requests over http will come",
                   "write poisson:60 or trace:FILE"};
    options.request.rates_hz.push_back(spec.rate_hz);
  }
  FLYBALL_ASSIGN(const SharedBoard shared, open_shared_board(options));
  FLYBALL_CHECK(read_plan_request(options, shared));
  FLYBALL_ASSIGN(const Asked asked, make_problem(options.request, shared));
  const Problem& problem = *asked.problem;
  FLYBALL_CHECK(validate(problem));
  FLYBALL_ASSIGN(const Readings readings, readings_of_board(shared));
  const ServingProblem live{&problem, &readings};
  ArrivalPlanner planner(
      live, arrivals,
      {.percentile = options.percentile, .seed = options.request.seed, .stop = &interrupt_flag()});
  const auto plan = planner.plan(problem.budgets.power_w);
  const auto steady = clockwork(live, planner);
  Json document{{"problem", kind_name(kind)}, {"percentile", options.percentile}};
  document["arrivals"] = Json::array();
  for (const ArrivalSpec& spec : arrivals) document["arrivals"].push_back(spec.text);
  std::optional<Simulated> answer;
  if (plan)
    answer =
        Simulated{*plan, power_of(readings, plan->choice), live.planned_trainings(plan->choice)};
  document["simulated"] = answer ? choice_json(problem, *answer) : Json();
  document["clockwork"] = steady ? choice_json(problem, *steady) : Json();
  document["simulations"] = planner.simulations();
  if (options.json) {
    print_json(document);
  } else if (answer) {
    fmt::print("{}\narrivals {}: {:g} % within the latency budget\n", describe(problem),
               arrivals.front().text, options.percentile);
    print_choice(problem, *answer, options.percentile);
    if (steady && steady->run.choice == answer->run.choice) {
      fmt::print("the plan for clockwork arrivals is the same\n");
    } else if (steady) {
      fmt::print("the plan for clockwork arrivals of that rate:\n");
      print_choice(problem, *steady, options.percentile);
    }
    fmt::print("{} choices simulated\n", planner.simulations());
  }
  if (!answer)
    context.exit_code = report_error(
        no_arrival_plan(planner, problem, options.percentile, problem.budgets.power_w));
  return {};
}

}  // namespace flyball::cli
