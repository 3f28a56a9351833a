#include "tune/dynamic_planning.h"

#include <fmt/format.h>

#include <set>

#include "answers/notes.h"
#include "answers/plan.h"
#include "base/figure.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/dry_run.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/session_progress.h"
#include "schedule/arrivals.h"
#include "search/registry.h"

namespace flyball::cli {
namespace {

Result<std::vector<RateWindow>> parse_windows(const std::vector<std::string>& texts) {
  if (texts.empty())
    return Error{Code::invalid_argument, "there are no rate windows",
                 "name them with --windows 30:10min,60:5min"};
  const auto windows = parse_rate_windows(join(texts, ","));
  return windows ? windows : windows.error().within("--windows");
}

std::string switch_text(const WindowPlan& window) {
  if (!window.switches) return "";
  return window.switch_j ? number(*window.switch_j) + " J" : "-";
}

// What may be typed as a limit is rounded up.
std::string objective_text(const Problem& problem, double value) {
  return problem.objective == Objective::power ? upper_figure(value) : number(value);
}

std::string format_windows(const DynamicAnswer& answer) {
  const Problem& problem = answer.problem;
  const DynamicPlan& plan = answer.plan;
  TextTable table(
      {"window", "requests/s", "for", "mode", "batch", objective_unit(problem), "known", "switch"});
  const size_t last = problem.roles.size() - 1;
  for (size_t w = 0; w < plan.windows.size(); ++w) {
    const WindowPlan& window = plan.windows[w];
    const size_t served = window.choice.candidates[last];
    const PowerMode mode = problem.candidates->space(last).trial(served, "", Phase::infer).mode;
    table.add({fmt::format("{}", w + 1), number(window.window.rate_hz),
               format_seconds({window.window.seconds}), describe(mode.values),
               number(problem.candidates->batch(last, served)),
               objective_text(problem, objective_value(problem, window.choice.outcome)),
               provenance_name(answer.provenance), switch_text(window)});
  }
  const size_t profiles = answer.profiles;
  const std::string effort = knows_all(answer.request.strategy)
                                 ? "everything known"
                                 : fmt::format("{} profile{}", profiles, profiles == 1 ? "" : "s");
  return fmt::format("{}\n{}, {} switch{}; {} over all windows {} {}, {}\n", table.str(), effort,
                     plan.switches, plan.switches == 1 ? "" : "es",
                     objective_name(problem.objective), objective_text(problem, plan.value),
                     objective_unit(problem),
                     std::isfinite(plan.static_value)
                         ? fmt::format("with one mode throughout {}{}",
                                       objective_text(problem, plan.static_value),
                                       knows_all(answer.request.strategy)
                                           ? ""
                                           : ", the best of those that were profiled")
                         : "no profiled configuration serves all windows") +
         notes_text(answer.notes, true);
}

Status plan_on(const PlanOptions& options, const SharedBoard& shared, Store* store,
               std::span<const RateWindow> windows) {
  Progress progress(options.quiet);
  FLYBALL_ASSIGN(const DynamicAnswer answer,
                 plan_windows(shared, store, options.request, windows, show_progress(progress)));
  progress.finish();
  const auto document = to_json(answer);
  if (options.json)
    print_json(document);
  else if (!answer.infeasible)
    fmt::print("{}", format_windows(answer));
  FLYBALL_CHECK(report_plan(options, document));
  return answer.infeasible ? Status(*answer.infeasible) : Status();
}

// One search for each rate.
Status look_ahead(PlanOptions& options, std::span<const RateWindow> windows) {
  FLYBALL_ASSIGN(const SharedBoard shared, open_shared_board(options));
  FLYBALL_CHECK(read_plan_request(options, shared));
  std::set<double> rates_hz;
  for (const RateWindow& window : windows) rates_hz.insert(window.rate_hz);
  std::shared_ptr<const Problem> problem;
  for (const double rate_hz : rates_hz) {
    options.request.rates_hz = {rate_hz};
    FLYBALL_ASSIGN(const Asked asked, make_problem(options.request, shared));
    FLYBALL_CHECK(validate(*asked.problem));
    problem = asked.problem;
  }
  return show_dry_run(shared, options.store, options.request, problem, options.json,
                      rates_hz.size());
}

}  // namespace

Status plan_dynamic_rates(PlanOptions& options) {
  if (!options.dry_run) FLYBALL_CHECK(begin_report(options));
  FLYBALL_ASSIGN(const auto windows, parse_windows(options.windows));
  if (options.infer.size() != 1 || options.train.size() > 1)
    return Error{Code::invalid_argument, "plan dynamic needs one --infer and at most one --train",
                 what_roles_are};
  if (options.dry_run) return look_ahead(options, windows);
  FLYBALL_ASSIGN(auto store, options.store.open());
  FLYBALL_ASSIGN(const SharedBoard shared, open_shared_board(options));
  FLYBALL_CHECK(read_plan_request(options, shared));
  FLYBALL_ASSIGN(const auto simulated, simulated_board(options, shared));
  FLYBALL_CHECK(read_board_costs(options, shared, simulated.get(), store ? &*store : nullptr));
  return plan_on(options, shared, store ? &*store : nullptr, windows);
}

}  // namespace flyball::cli
