#include "tune/tune.h"

#include <fmt/format.h>

#include <map>

#include "answers/comparison.h"
#include "answers/figure_limit.h"
#include "answers/per_text.h"
#include "answers/tune_json.h"
#include "base/json.h"
#include "base/os/told_errors.h"
#include "device/power_meter.h"
#include "problem/exact.h"
#include "search/posterior.h"
#include "search/registry.h"
#include "search/surfaces.h"
#include "search/trial_chance.h"
#include "tune/board_costs.h"
#include "tune/planning.h"
#include "tune/predictions.h"

namespace flyball {
namespace {

Request as_tune(Request request) {
  request.kind = "tune";
  request.against_default = true;
  return request;
}

void take_span(const Asked& asked, TuneResult& result) {
  result.samples = asked.samples;
  result.budget_span = asked.budget_span;
  result.per = asked.per;
}

TuneResult start_result(const SharedBoard& board, const Request& request, const Asked& asked) {
  const Profiler& profiler = *board.roles.front().profiler;
  TuneResult result;
  begin_answer(board, request, result);
  result.space = profiler.space();
  result.default_config = profiler.default_config();
  result.default_reason = profiler.default_reason();
  const std::string& remark = profiler.info().power_remark;
  if (asked.problem->needs_power() && !remark.empty()) result.notes.push_back(remark);
  take_span(asked, result);
  return result;
}

// Each limit was held by a trial, and none of the configurations holds them.
std::string unheld_by_any_configuration(const TuneResult& result) {
  std::map<size_t, std::vector<Figures>> trials;
  for (const Observation& trial : result.profiled)
    if (!trial.measurement.failed()) trials[trial.config].push_back(trial.measurement.figures);
  const NearestToLimits nearest = nearest_to_limits(trials, result.request.limits);
  if (nearest.text.empty()) return "";
  return fmt::format("of {} configurations none holds the limits; the nearest, {}, misses {}",
                     trials.size(), describe(result.space.settings(nearest.config)), nearest.text);
}

// A limit on a figure that no trial held is named: problems know only that there is one.
void name_unheld_limits(TuneResult& result) {
  std::vector<Figures> figures;
  for (const Observation& trial : result.profiled)
    if (!trial.measurement.failed()) figures.push_back(trial.measurement.figures);
  std::string unheld = unheld_limits(figures, result.request.limits);
  // Where another limit binds, that one is told.
  const bool told = !result.remedies.alone.empty() || !result.remedies.together.empty();
  if (unheld.empty() && !told) unheld = unheld_by_any_configuration(result);
  if (unheld.empty()) return;
  result.remedies = {};  // relaxing another limit would not do
  std::string hint = "ease that limit (--at-most, --at-least), or open other axes";
  if (result.request.caller == Caller::program) hint = "ease that limit, or open other axes";
  if (result.configurations_profiled() < result.space.size())
    hint += ", or allow more trials with " + option_name(result.request.caller, "profiles");
  result.infeasible = {Code::infeasible, unheld, hint};
}

// A program tells only by running whether its trials are minibatches or whole runs.
Status know_the_program(const SharedBoard& board, Session& session, Asked& asked,
                        TuneResult& result) {
  const auto usual = board.roles.front().usual();
  if (!usual || !board.info(0).program) return {};
  FLYBALL_ASSIGN(const Measurement first, session.look_ahead(0, *usual));
  if (!first.whole_run()) return {};
  FLYBALL_ASSIGN(asked, tune_problem(result.request, board, true));
  take_span(asked, result);
  return {};
}

void explain(const Strategy& strategy, const Asked& asked, Error why_not, TuneResult& result) {
  const FlagOf flag_of = [&](Constraint constraint, size_t) {
    return asked.flag(constraint, result.request.caller);
  };
  result.refuse(refusal_of(strategy, std::move(why_not), flag_of, result.known()));
}

// What the presets take and draw: as measured, else by the strategy's predictor.
void take_presets(const Strategy& strategy, TuneResult& result) {
  const Readings readings = known_or_predicted(strategy.history(), strategy.options());
  result.presets = preset_answers(strategy, result.board().presets, readings, result.known());
  const std::vector<size_t>& usual = strategy.options().default_choice;
  if (!usual.empty() && readings[0][usual[0]].minibatch_ms > 0)
    result.default_breaks = broken_limits(strategy.problem(), readings, usual);
}

std::optional<double> gap_of(const SearchOutcome& outcome) {
  const Strategy& strategy = *outcome.strategy;
  const History& history = strategy.history();
  const auto outcomes = SurfaceOutcomes::draw(history, strategy.options());
  if (!outcomes.ok()) return {};
  return possible_gap(*outcomes, outcome.answer->outcome.loss);
}

Status take_outcome(SearchOutcome outcome, const Asked& asked, const std::vector<size_t>& config,
                    TuneResult& result) {
  outcome.add_to(result);
  take_presets(*outcome.strategy, result);
  if (result.request.gap > 0 && outcome.answer)
    result.gap = knows_all(result.request.strategy) ? 0 : gap_of(outcome);
  if (outcome.answer)
    result.choice = config[outcome.answer->choice[0]];
  else
    explain(*outcome.strategy, asked, std::move(outcome.why_not), result);
  if (result.infeasible && result.infeasible->code == Code::infeasible) name_unheld_limits(result);
  return {};
}

std::vector<size_t> likely_failures_of(const Strategy& strategy,
                                       const std::vector<size_t>& config) {
  std::vector<size_t> failures = likely_failures(strategy.history(), 0);
  for (size_t& candidate : failures) candidate = config[candidate];
  return failures;
}

Status know_the_rest(Profiler& profiler, Session& session, std::span<const size_t> failures,
                     TuneResult& result) {
  if (knows_all(result.request.strategy)) return read_all(profiler, result);
  session.tell(Predicted{0, result.space.size() - result.configurations_profiled()});
  const Status predicted = predict_rest(profiler, result, failures);
  return predicted.ok() ? predicted : session.explained(predicted.error());
}

Status answer(const SharedBoard& board, Asked asked, Session& session, TuneResult& result) {
  const MeasuredRole& role = board.roles.front();
  FLYBALL_CHECK(know_the_program(board, session, asked, result));
  FLYBALL_ASSIGN(SearchOutcome outcome, session.search(asked.problem));
  if (knows_all(result.request.strategy)) note_doubted_power(board, outcome, result.notes);
  const auto failures = likely_failures_of(*outcome.strategy, role.config);
  FLYBALL_CHECK(take_outcome(std::move(outcome), asked, role.config, result));
  FLYBALL_CHECK(know_the_rest(*role.profiler, session, failures, result));
  compare_with_presets(result);
  session.complete(result);
  if (const std::string counted = counted_by(board.info(0)); !counted.empty())
    result.notes.push_back(fmt::format(
        "trials are loads of a server: what is told per minibatch is per {}, and its time is that "
        "of the objective {}",
        counted, board.info(0).conditions.at(figure_condition)));
  if (result.per == Per::run)
    result.notes.push_back(
        "the program marks no minibatches, so each trial is a whole run, which --trial-time does "
        "not cut; flyball.minibatch() after each minibatch does (docs/your-model.md)");
  return {};
}

// How much of the answer's power the board draws without any work; the answer is one without it.
void know_idle_share(Store& store, TuneResult& result) {
  const ProfilerInfo& board = result.board();
  if (!board.live || !result.choice) return;
  const double power_w = result.configurations[*result.choice].power_w;
  const auto costs = board_costs(store);
  if (!costs) result.notes.push_back("idle power is not known: " + in_one_line(costs.error()));
  if (!costs || !(power_w > 0)) return;
  const PowerMode mode = result.space.trial(*result.choice, "", Phase::train).mode;
  if (const StoredIdle* found = costs->idle_of(board.fingerprint, board.power_total, mode))
    result.idle = idle_share(*found, power_w);
}

// The raw and the robust optimum of a table under the question's objective and budgets.
Result<Oracle> find_oracle(const WorkloadTable& table, Profiler& profiler, const SharedBoard& board,
                           const Asked& asked) {
  const MeasuredRole& role = board.roles.front();
  const WorkloadTable* tables[] = {&table};
  FLYBALL_ASSIGN(Readings readings, readings_of(*asked.problem->candidates, tables));
  const Problem problem = with_usual(*asked.problem, readings);
  const auto best = [&]() -> std::optional<TableRow> {
    const Choice choice = solve(problem, readings);
    if (!choice.outcome.feasible) return {};
    const Reading& reading = readings[0][choice.candidates[0]];
    const size_t config = role.config[choice.candidates[0]];
    const auto row = profiler.measure(config);
    return TableRow{config, reading.minibatch_ms, reading.power_w,
                    row ? row->provenance : Provenance::table};
  };
  Oracle oracle;
  oracle.raw = best();
  oracle.excluded = doubted_configs(profiler);
  for (const size_t config : oracle.excluded)
    if (const auto candidate = role.candidate(config)) readings[0][*candidate] = Reading{};
  oracle.robust = best();
  return oracle;
}

// Of a machine it is a sensor that is missing, of a table a column.
Status check_power_of(const ProfilerInfo& info) {
  if (info.live || info.power_gap.empty()) return check_power(info.power_gap);
  return Error{Code::unavailable, info.power_gap,
               "ask for objective time without power and energy budgets; a column of another name "
               "or unit is taken by `flyball import FILE --map power_w=COLUMN:mW`"};
}

}  // namespace

Result<Asked> tune_problem(const Request& request, const SharedBoard& board, bool whole_runs) {
  if (!request.is_tune()) return tune_problem(as_tune(request), board, whole_runs);
  FLYBALL_ASSIGN(Asked asked, make_problem(request, board, whole_runs));
  if (asked.problem->needs_power()) FLYBALL_CHECK(check_power_of(board.info(0)));
  FLYBALL_CHECK(validate(*asked.problem));
  return asked;
}

Result<TuneResult> tune(Profiler& profiler, Store* store, const Request& request,
                        const SessionListener& listener, const WorkloadTable* truth) {
  const Request posed = as_tune(request);
  FLYBALL_ASSIGN(const SharedBoard board, share_board(profiler));
  FLYBALL_ASSIGN(const Asked asked, tune_problem(posed, board));
  TuneResult result = start_result(board, posed, asked);
  const auto work = [&](Session& session) -> Result<Json> {
    if (truth) {
      FLYBALL_ASSIGN(result.oracle, find_oracle(*truth, profiler, board, asked));
    }
    FLYBALL_CHECK(answer(board, asked, session, result));
    if (store) know_idle_share(*store, result);
    return to_json(result);
  };
  FLYBALL_CHECK(answer_request(posed, board, store, listener, {asked.problem},
                               Json{{"samples", asked.samples}}, work));
  return result;
}

}  // namespace flyball
