#include "tune/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/clock.h"
#include "base/statistics.h"
#include "base/units.h"
#include "problem/exact.h"
#include "search/acquisition.h"
#include "space/trial_facts.h"
#include "tune/predictions.h"
#include "tune/request.h"
#include "tune/tune_json.h"

namespace flyball {
namespace {

TuneResult start_result(const Profiler& profiler, const TuneRequest& request, const Asked& asked) {
  TuneResult result;
  result.request = request;
  result.profiler = profiler.info();
  result.space = profiler.space();
  result.default_config = profiler.default_config();
  result.default_reason = profiler.default_reason();
  result.started_utc = wall_clock_utc();
  result.samples = asked.samples;
  result.budget_span = asked.budget_span;
  result.per = asked.per;
  return result;
}

// A limit on a figure that no trial held is named: problems know only that there is one.
void name_unheld_limits(TuneResult& result) {
  std::vector<Figures> figures;
  for (const Profiled& trial : result.profiled)
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
  result.infeasible = std::move(why_not);
  if (!strategy.ledger().best()) return;  // nothing was measured completely
  const Infeasibility why = explain_infeasible(strategy);
  const FlagOf flag_of = [&](Constraint constraint, size_t) {
    return tune_flag(asked, constraint, result.request.caller);
  };
  Provenance known = Provenance::measured;
  for (const Profiled& trial : result.profiled)
    if (!trial.measurement.failed()) known = std::max(known, trial.measurement.provenance);
  result.easing = advice_of(strategy, why, flag_of, known);
  result.infeasible = infeasible_error(strategy.problem(), why, result.easing, flag_of);
}

Status take_outcome(SearchOutcome outcome, const Asked& asked, TuneResult& result) {
  if (!outcome.answer && outcome.why_not.code != Code::infeasible) return outcome.why_not;
  result.profiled = std::move(outcome.trials);
  result.set_aside = std::move(outcome.set_aside);
  result.stopped = outcome.strategy->stopped();
  result.notes = outcome.strategy->notes();
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
  for (std::string& note : session.notes()) result.notes.push_back(std::move(note));
  if (result.per == Per::run)
    result.notes.push_back(
        "the program marks no minibatches, so each trial is a whole run, which --trial-time does "
        "not cut; flyball.minibatch() after each minibatch does (docs/your-model.md)");
  result.seconds = session.seconds();
  result.own_seconds = result.seconds - session.measuring_seconds();
  return {};
}

}  // namespace

size_t TuneResult::profiles() const {
  std::set<size_t> configs;
  for (const Profiled& trial : profiled) configs.insert(trial.config);
  return configs.size();
}

Figures figures_of(const TuneResult& result, size_t config) {
  std::map<std::string, std::vector<double>> values;
  for (const Profiled& trial : result.profiled)
    if (trial.config == config && !trial.measurement.failed())
      for (const auto& [name, value] : own_figures(trial.measurement))
        values[name].push_back(value);
  Figures figures;
  for (const auto& [name, all] : values) figures[name] = median(all);
  return figures;
}

const char* per_name(Per per) {
  return per == Per::run ? "run" : per == Per::sample ? "sample" : "minibatch";
}

double TuneResult::batch_size(size_t config) const {
  if (per == Per::run) return 0;
  if (const auto axis = space.axis_index(axis::batch_size)) return space.row(config)[*axis];
  const auto fixed = profiler.job.find(axis::batch_size);
  return fixed == profiler.job.end() ? 0 : fixed->second;
}

double TuneResult::minibatches_per_epoch(size_t config) const {
  const double batch = batch_size(config);
  return samples > 0 && batch > 0 ? std::ceil(samples / batch) : 0;
}

std::vector<const Measurement*> TuneResult::readings(size_t config) const {
  std::vector<const Measurement*> all;
  for (const Profiled& trial : profiled)
    if (trial.config == config && !trial.measurement.failed()) all.push_back(&trial.measurement);
  return all;
}

std::vector<Reused> TuneResult::reused() const {
  if (!profiler.live) return {};
  return reused_trials(profiled, run, started_utc);
}

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
  FLYBALL_CHECK(session->begin(request.command, std::move(asked_json)));
  result.run = session->run();
  const Status how = answer(profiler, asked, *session, result);
  FLYBALL_CHECK(session->finish(how, how.ok() ? answer_json(result).dump() : ""));
  if (!how.ok()) return how.error();
  return result;
}

std::string describe(const TuneRequest& request, const std::string& span) {
  std::string text = fmt::format("objective {}", objective_name(request.objective));
  if (request.power_budget_w != unlimited)
    text += fmt::format(", power ≤ {:g} W", request.power_budget_w);
  if (request.time_budget_s != unlimited)
    text += fmt::format(", {} ≤ {}", span, format_seconds({request.time_budget_s}));
  if (request.energy_budget_j != unlimited)
    text += fmt::format(", {} ≤ {:g} J", span, request.energy_budget_j);
  for (const FigureLimit& limit : request.limits) text += ", " + limit.text();
  if (request.gap > 0) text += fmt::format(", until a gap of {:g} %", 100 * request.gap);
  if (request.time_limit_s != unlimited)
    text += fmt::format(", for {}", format_seconds({request.time_limit_s}));
  return text;
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
