#include "tune/tune.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/statistics.h"
#include "problem/exact.h"
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
  return result;
}

// A limit on a figure that no trial held is named: problems know only that there is one.
Error why_not(Error error, const TuneResult& result) {
  std::vector<Figures> figures;
  for (const Profiled& trial : result.profiled)
    if (!trial.measurement.failed()) figures.push_back(trial.measurement.figures);
  const std::string unheld = unheld_limits(figures, result.request.limits);
  if (unheld.empty()) return error;
  return {Code::infeasible, unheld,
          "ease that limit, open other axes, or allow more trials with --profiles"};
}

Status take_outcome(SearchOutcome outcome, const Asked& asked, TuneResult& result) {
  if (!outcome.answer && outcome.why_not.code != Code::infeasible) return outcome.why_not;
  result.profiled = std::move(outcome.trials);
  result.stopped = outcome.strategy->stopped();
  result.notes = outcome.strategy->notes();
  if (outcome.answer)
    result.choice = asked.config[outcome.answer->choice[0]];
  else
    result.infeasible = why_not(outcome.why_not, result);
  return {};
}

Status answer(const Profiler& profiler, const Asked& asked, Session& session, TuneResult& result) {
  FLYBALL_ASSIGN(SearchOutcome outcome, session.search(asked.problem));
  FLYBALL_CHECK(take_outcome(std::move(outcome), asked, result));
  session.tell(Predicted{0, result.space.size() - result.profiles()});
  const Status predicted = predict_rest(profiler, result);
  if (!predicted.ok()) return session.explained(predicted.error());
  for (std::string& note : session.notes()) result.notes.push_back(std::move(note));
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
      for (const auto& [name, value] : trial.measurement.figures) values[name].push_back(value);
  Figures figures;
  for (const auto& [name, all] : values) figures[name] = median(all);
  return figures;
}

double TuneResult::minibatches_per_epoch(size_t config) const {
  double batch = 0;
  if (const auto axis = space.axis_index("batch_size"))
    batch = space.row(config)[*axis];
  else if (const auto fixed = profiler.job.find("batch_size"); fixed != profiler.job.end())
    batch = fixed->second;
  return samples > 0 && batch > 0 ? std::ceil(samples / batch) : 0;
}

Result<TuneResult> tune(Profiler& profiler, Store* store, const TuneRequest& request,
                        const SessionListener& listener) {
  FLYBALL_ASSIGN(const Asked asked, make_problem(profiler, request));
  FLYBALL_ASSIGN(const auto session,
                 Session::open({{&profiler, asked.config}}, request, store, listener));
  FLYBALL_CHECK(session->check(asked.problem));
  TuneResult result = start_result(profiler, request, asked);
  FLYBALL_CHECK(session->begin(request.command, request_json(request, profiler.info())));
  const Status how = answer(profiler, asked, *session, result);
  result.run = session->run();
  FLYBALL_CHECK(session->finish(how, how.ok() ? answer_json(result).dump() : ""));
  if (!how.ok()) return how.error();
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
