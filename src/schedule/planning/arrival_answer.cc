#include "schedule/planning/arrival_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "answers/notes.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/json.h"
#include "schedule/board_readings.h"
#include "schedule/planning/arrival_miss.h"
#include "tune/planning.h"

namespace flyball {
namespace {

// What was optimised, as it was simulated.
double simulated_loss(const Problem& problem, const SimulatedChoice& run) {
  if (problem.concurrent()) return -run.trained_per_s;
  return counts_share(problem) ? run.latency_share : run.longest_ms;
}

/// Time from one batch of the last service to the next.
double run_window_s(const Problem& problem, const SimulatedChoice& run) {
  const size_t last = problem.roles.size() - 1;
  return 1e-3 * problem.window_ms(last, problem.candidates->batch(last, run.choice[last]));
}

JudgedChoice judged(const ServingProblem& live, const SimulatedChoice& run) {
  JudgedChoice one{run, {}, live.planned_trainings(run.choice)};
  one.option.choice = {run.choice, outcome_of(*live.problem, *live.readings, run.choice)};
  one.option.choice.outcome.loss = simulated_loss(*live.problem, run);
  one.option.choice.outcome.minibatches = run.trainings_per_s * run_window_s(*live.problem, run);
  for (size_t role = 0; role < run.choice.size(); ++role)
    one.option.minibatch_ms.push_back((*live.readings)[role][run.choice[role]].minibatch_ms);
  one.option.power_w = live.power_w(run.choice);
  one.option.provenance = Provenance::simulated;
  return one;
}

Json judged_json(const Problem& problem, const JudgedChoice& one) {
  Json json = choice_json(problem, one.option);
  json["services"] = Json::array();
  size_t role = problem.roles.front().serves() ? 0 : 1;
  for (const SimulatedService& service : one.run.services)
    json["services"].push_back({{"workload", problem.roles[role++].workload},
                                {"late_pct", or_null(100 * service.late_share)},
                                {"latency_ms", or_null(service.latency_ms)},
                                {"kept_ms", or_null(service.kept_ms)},
                                {"mean_batch", or_null(service.mean_batch)}});
  json["late_pct"] = or_null(100 * one.run.late_share);
  json["latency_ms"] = or_null(one.run.p99_ms);
  json["mean_batch"] = or_null(one.run.mean_batch);
  json["trainings_per_s"] = or_null(one.run.trainings_per_s);
  json["clockwork_per_s"] = or_null(one.planned_per_s);
  return json;
}

std::string latency_text(const SimulatedService& service, double limit_ms) {
  if (service.latency_ms == unlimited) return fmt::format("beyond {} ms", as_typed(limit_ms));
  return upper_figure(service.latency_ms, 4, limit_ms) +
         (limit_ms == unlimited ? " ms" : fmt::format(" of {} ms", as_typed(limit_ms))) +
         (service.kept_ms < limit_ms
              ? fmt::format(" (would keep --latency {}ms, too)", as_typed(service.kept_ms))
              : "");
}

std::string service_text(const SimulatedService& service, double percentile, double limit_ms) {
  if (std::isnan(service.latency_ms)) return "no request came in the time that was simulated";
  return fmt::format("p{:g} latency {}, {:.3g} % late or refused, {:.3g} requests a batch",
                     percentile, latency_text(service, limit_ms), 100 * service.late_share,
                     service.mean_batch);
}

std::string judged_text(const ArrivalAnswer& answer, const JudgedChoice& one) {
  const Problem& problem = *answer.problem;
  std::string text;
  if (problem.concurrent())
    text += fmt::format(
        "  {} (its equations say {})\n",
        leaves_no_training(problem, one.option.choice.outcome)
            ? "no training minibatch fits"
            : fmt::format("{} training minibatches/s", number(one.run.trainings_per_s, 4)),
        number(one.planned_per_s, 4));
  size_t role = problem.roles.front().serves() ? 0 : 1;
  for (const SimulatedService& service : one.run.services) {
    text += fmt::format("  {}: {}\n", role_name(problem, role),
                        service_text(service, answer.percentile, problem.roles[role].latency_ms));
    ++role;
  }
  if (!std::isnan(one.option.power_w))
    text += fmt::format(
        "  at most {}{} W\n", upper_figure(one.option.power_w, 4, problem.budgets.power_w),
        problem.budgets.power_w == unlimited ? "" : " of " + as_typed(problem.budgets.power_w));
  return text;
}

// How many a batch waits for, with what comes of it.
std::string front_text(const ArrivalAnswer& answer) {
  if (answer.front.size() < 2) return "";
  std::string text = fmt::format(
      "served sooner, trained less (--prefer {}):\n  {:>10}  {:>9}  {:>9}  {:>11}  {:>9}\n",
      answer.problem->preference.text(), "waits for", "median ms",
      fmt::format("p{:g} ms", answer.percentile), "trainings/s", "a batch");
  for (const PreferencePoint& point : answer.front)
    text += fmt::format("  {:>10}  {:>9}  {:>9}  {:>11}  {:>9}\n",
                        point.chosen        ? "chosen"
                        : point.gathers > 0 ? fmt::format("{}", point.gathers)
                                            : "latest",
                        number(point.median_ms), number(point.high_ms),
                        number(point.trainings_per_s), number(point.mean_batch));
  return text;
}

Json front_json(const std::vector<PreferencePoint>& front) {
  Json all = Json::array();
  for (const PreferencePoint& point : front)
    all.push_back({{"gathers", point.gathers > 0 ? Json(point.gathers) : Json()},
                   {"median_ms", or_null(point.median_ms)},
                   {"latency_ms", or_null(point.high_ms)},
                   {"late_pct", or_null(100 * point.late_share)},
                   {"trainings_per_s", or_null(point.trainings_per_s)},
                   {"mean_batch", or_null(point.mean_batch)},
                   {"chosen", point.chosen}});
  return all;
}

// What is promised of the choice has one figure each: the worse of two simulations, where the front
// has one of them.
void tell_promise(std::vector<PreferencePoint>& front, const SimulatedChoice& promised) {
  for (PreferencePoint& point : front) {
    if (!point.chosen) continue;
    point.high_ms = promised.p99_ms;
    point.late_share = promised.services.back().late_share;
    point.trainings_per_s = promised.trainings_per_s;
    point.mean_batch = promised.mean_batch;
  }
}

std::string arrivals_text(const std::vector<ArrivalSpec>& arrivals) {
  std::string text;
  for (const ArrivalSpec& spec : arrivals) text += (text.empty() ? "" : ", ") + spec.text;
  return text;
}

// What is unusual about how requests wait.
std::string queue_text(const QueueRules& queue) {
  const QueueRules usual;
  std::string text;
  if (queue.overload != usual.overload) text += ", late rather than refused";
  if (queue.bound != usual.bound) text += fmt::format(", at most {} waiting", queue.bound);
  return text;
}

}  // namespace

Result<ArrivalAnswer> plan_arrivals(const ArrivalQuestion& question) {
  const Stopwatch since;
  ArrivalAnswer answer;
  answer.started_utc = wall_clock_utc();
  begin_answer(question.board, question.request, answer);
  answer.arrivals = question.arrivals;
  answer.percentile = question.percentile;
  answer.queue = question.queue;
  FLYBALL_ASSIGN(const Asked asked, make_problem(question.request, question.board));
  answer.problem = asked.problem;
  answer.notes = question.board.gap_notes(*asked.problem);
  const Problem& problem = *asked.problem;
  FLYBALL_CHECK(validate(problem, false));
  FLYBALL_ASSIGN(const Readings readings, readings_of_board(question.board));
  const ServingProblem live{&problem, &readings, question.queue};
  ArrivalPlanner planner(live, question.arrivals,
                         {.percentile = question.percentile,
                          .seed = question.request.seed,
                          .stop = question.request.cancelled,
                          .progress = question.progress});
  const double budget_w = problem.budgets.power_w;
  if (const auto plan = planner.plan(budget_w)) {
    SimulatedChoice promised = planner.worse_of_two(plan->choice);
    // Beside a training a tighter limit is kept at its expense.
    const auto kept_ms =
        problem.concurrent() ? std::vector<double>() : planner.tightest_ms(plan->choice);
    for (size_t s = 0; s < kept_ms.size(); ++s) promised.services[s].kept_ms = kept_ms[s];
    answer.simulated = judged(live, promised);
    answer.front =
        preference_front(live, plan->choice, question.arrivals,
                         {.percentile = question.percentile, .seed = question.request.seed});
    tell_promise(answer.front, promised);
  }
  if (const Choice steady = solve(problem, readings); steady.outcome.feasible)
    answer.clockwork = judged(live, planner.worse_of_two(steady.candidates));
  answer.simulations = planner.simulations();
  if (!answer.simulated) {
    Refusal refusal = no_arrival_plan(planner, problem, question.percentile, budget_w);
    if (refusal.why_not.code == Code::interrupted) return refusal.why_not;
    answer.refuse(std::move(refusal));
  }
  answer.stopped = "all choices that could be better were simulated";
  answer.seconds = answer.own_seconds = since.seconds();
  return answer;
}

Result<bool> plans_with_margin(const ArrivalQuestion& question, const ClientMargin& margin) {
  Request request = question.request;
  request.margin = margin;
  FLYBALL_ASSIGN(const Asked asked, make_problem(request, question.board));
  FLYBALL_ASSIGN(const Readings readings, readings_of_board(question.board));
  ArrivalPlanner planner(
      {asked.problem.get(), &readings, question.queue}, question.arrivals,
      {.percentile = question.percentile, .seed = request.seed, .stop = request.cancelled});
  const bool found = planner.plan(asked.problem->budgets.power_w).has_value();
  if (planner.stopped()) return Error{Code::interrupted, "interrupted", ""};
  return found;
}

std::string format_plan(const ArrivalAnswer& answer, bool verbose) {
  const Problem& problem = *answer.problem;
  const std::string asked =
      fmt::format("asked: {}, {:g} % of {} in time{}\n", describe(problem), answer.percentile,
                  arrivals_text(answer.arrivals), queue_text(answer.queue));
  if (!answer.simulated) return asked;
  const Choice& chosen = answer.simulated->option.choice;
  std::string text =
      fmt::format("set {}\n{}", choice_text(problem, chosen.candidates, chosen.outcome),
                  judged_text(answer, *answer.simulated));
  text += front_text(answer);
  if (answer.clockwork && answer.clockwork->run.choice == chosen.candidates)
    text += "the plan for clockwork arrivals is the same\n";
  else if (answer.clockwork)
    text += fmt::format(
        "the plan for clockwork arrivals, under these: {}\n{}",
        choice_text(problem, answer.clockwork->run.choice, answer.clockwork->option.choice.outcome),
        judged_text(answer, *answer.clockwork));
  return text + asked + fmt::format("{} choices simulated\n", answer.simulations) +
         notes_text(answer.notes, verbose);
}

Json to_json(const ArrivalAnswer& answer) {
  const Problem& problem = *answer.problem;
  Json out = question_json(answer, problem);
  out["percentile"] = answer.percentile;
  out["overload"] = overload_name(answer.queue.overload);
  out["queue"] = answer.queue.bound;
  out["arrivals"] = Json::array();
  for (const ArrivalSpec& spec : answer.arrivals) out["arrivals"].push_back(spec.text);
  out["choice"] = answer.simulated ? choice_json(problem, answer.simulated->option) : Json();
  out["simulated"] = answer.simulated ? judged_json(problem, *answer.simulated) : Json();
  out["clockwork"] = answer.clockwork ? judged_json(problem, *answer.clockwork) : Json();
  out["prefer"] = problem.preference.text();
  out["preferences"] = front_json(answer.front);
  out["simulations"] = answer.simulations;
  out["modes"] = modes_json(answer.board().modes);
  out.update(search_json(answer, configurations_of(problem)));
  return out;
}

}  // namespace flyball
