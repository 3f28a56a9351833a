#include "tune/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "answers/tune_json.h"
#include "problem/exact.h"
#include "search/acquisition.h"
#include "tune/predictions.h"
#include "tune/request.h"

namespace flyball {
namespace {

TuneResult start_result(const Profiler& profiler, const TuneRequest& request, const Asked& asked) {
  TuneResult result;
  result.request = request;
  result.profiler = profiler.info();
  result.space = profiler.space();
  result.default_config = profiler.default_config();
  result.default_reason = profiler.default_reason();
  result.samples = asked.samples;
  result.budget_span = asked.budget_span;
  result.per = asked.per;
  return result;
}

// A limit on a figure that no trial held is named: problems know only that there is one.
void name_unheld_limits(TuneResult& result) {
  std::vector<Figures> figures;
  for (const Observation& trial : result.profiled)
    if (!trial.measurement.failed()) figures.push_back(trial.measurement.figures);
  const std::string unheld = unheld_limits(figures, result.request.limits);
  if (unheld.empty()) return;
  result.easing.clear();  // easing another limit would not do
  result.infeasible = {Code::infeasible, unheld,
                       fmt::format("ease that limit, open other axes, or allow more trials with {}",
                                   option_name(result.request.caller, "profiles"))};
}

// A program tells only by running whether its trials are minibatches or whole runs.
Status know_the_program(const Profiler& profiler, Session& session, Asked& asked,
                        TuneResult& result) {
  if (!profiler.info().program) return {};
  FLYBALL_ASSIGN(const Measurement first, session.look_ahead(0, profiler.default_config()));
  if (!first.whole_run()) return {};
  FLYBALL_ASSIGN(asked, make_problem(profiler, result.request, true));
  result.samples = asked.samples;
  result.budget_span = asked.budget_span;
  result.per = asked.per;
  return {};
}

void explain(const Strategy& strategy, const Asked& asked, Error why_not, TuneResult& result) {
  const FlagOf flag_of = [&](Constraint constraint, size_t) {
    return tune_flag(asked, constraint, result.request.caller);
  };
  result.refuse(refusal_of(strategy, std::move(why_not), flag_of, provenance_of(result.profiled)));
}

Status take_outcome(SearchOutcome outcome, const Asked& asked, TuneResult& result) {
  if (!outcome.answer && outcome.why_not.code != Code::infeasible) return outcome.why_not;
  outcome.add_to(result);
  if (result.request.gap > 0 && outcome.answer) {
    const auto belief = believe(outcome.strategy->ledger(), 0, outcome.strategy->options());
    if (belief.ok())
      result.gap = possible_gap(*asked.problem, std::array{*belief}, outcome.answer->outcome.loss);
  }
  if (outcome.answer)
    result.choice = asked.config[outcome.answer->choice[0]];
  else
    explain(*outcome.strategy, asked, std::move(outcome.why_not), result);
  if (!outcome.answer) name_unheld_limits(result);
  return {};
}

Status answer(const Profiler& profiler, Asked asked, Session& session, TuneResult& result) {
  FLYBALL_CHECK(know_the_program(profiler, session, asked, result));
  FLYBALL_ASSIGN(SearchOutcome outcome, session.search(asked.problem));
  FLYBALL_CHECK(take_outcome(std::move(outcome), asked, result));
  session.tell(Predicted{0, result.space.size() - result.profiles()});
  const Status predicted = predict_rest(profiler, result);
  if (!predicted.ok()) return session.explained(predicted.error());
  session.complete(result);
  if (result.per == Per::run)
    result.notes.push_back(
        "the program marks no minibatches, so each trial is a whole run, which --trial-time does "
        "not cut; flyball.minibatch() after each minibatch does (docs/your-model.md)");
  return {};
}

}  // namespace

Result<TuneResult> tune(Profiler& profiler, Store* store, const TuneRequest& request,
                        const SessionListener& listener) {
  FLYBALL_ASSIGN(const Asked asked, make_problem(profiler, request));
  SessionOptions options = request;
  options.against_default = true;
  FLYBALL_ASSIGN(const auto session,
                 Session::open({{&profiler, asked.config}}, options, store, listener));
  FLYBALL_CHECK(session->check(asked.problem));
  TuneResult result = start_result(profiler, request, asked);
  auto asked_json = request_json(request, profiler.info());
  asked_json["samples"] = asked.samples;
  const auto work = [&]() -> Result<nlohmann::ordered_json> {
    FLYBALL_CHECK(answer(profiler, asked, *session, result));
    return to_json(result);
  };
  FLYBALL_CHECK(session->answer(request.command, std::move(asked_json), work));
  return result;
}

Result<Oracle> find_oracle(const WorkloadTable& table, Profiler& profiler,
                           const TuneRequest& request) {
  FLYBALL_ASSIGN(const Asked asked, make_problem(profiler, request));
  const WorkloadTable* tables[] = {&table};
  FLYBALL_ASSIGN(Readings readings, readings_of(*asked.problem->candidates, tables));
  const auto best = [&]() -> std::optional<TableRow> {
    const Choice choice = solve(*asked.problem, readings);
    if (!choice.outcome.feasible) return {};
    const Reading& reading = readings[0][choice.candidates[0]];
    const size_t config = asked.config[choice.candidates[0]];
    const auto row = profiler.measure(config);
    return TableRow{config, reading.minibatch_ms, reading.power_w,
                    row ? row->provenance : Provenance::table};
  };
  Oracle oracle;
  oracle.raw = best();
  for (size_t row : suspicious_power(table)) {
    const auto config = profiler.space().find(table.space.row(row));
    if (!config) continue;
    oracle.excluded.push_back(*config);
    const auto candidate = std::ranges::find(asked.config, *config) - asked.config.begin();
    readings[0][static_cast<size_t>(candidate)] = Reading{};
  }
  oracle.robust = best();
  return oracle;
}

}  // namespace flyball
