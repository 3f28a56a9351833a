#include "tune/tune_json.h"

#include <cmath>

#include "base/clock.h"
#include "base/json.h"
#include "plan/plan.h"
#include "space/trial_facts.h"
#include "tune/comparison.h"
#include "tune/reused.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [name, value] : settings) json[name] = value;
  return json;
}

Json interval(double low, double high) {
  // What is taken at its word, as a table's readings are, has no interval.
  if (!std::isfinite(low) || !std::isfinite(high) || low == high) return nullptr;
  return Json::array({low, high});
}

// Every reading by itself, in the order in which they were made; empty where it is predicted.
Json readings_json(const TuneResult& result, size_t config) {
  Json readings = Json::array();
  for (const Measurement* m : result.readings(config))
    readings.push_back({{"minibatch_ms", or_null(m->minibatch_ms)},
                        {"power_w", m->power ? or_null(m->power->mean_w) : Json(nullptr)}});
  return readings;
}

Json configuration_json(const TuneResult& result, size_t config) {
  const Configuration& c = result.configurations[config];
  const double minibatches = result.minibatches_per_epoch(config);
  const double epoch = minibatches > 0 ? minibatches : std::nan("");
  const double samples = result.batch_size(config) > 0 ? result.batch_size(config) : std::nan("");
  Json json;
  json["config"] = settings_json(result.space.settings(config));
  json["minibatch_ms"] = or_null(c.minibatch_ms);
  json["minibatch_ms_90"] = interval(c.time_lo, c.time_hi);
  json["power_w"] = or_null(c.power_w);
  json["power_w_90"] = interval(c.power_lo, c.power_hi);
  json["minibatch_j"] = or_null(c.minibatch_j());
  json["sample_ms"] = or_null(c.minibatch_ms / samples);
  json["sample_j"] = or_null(c.minibatch_j() / samples);
  json["epoch_s"] = or_null(c.minibatch_ms * 1e-3 * epoch);
  json["epoch_j"] = or_null(c.minibatch_j() * epoch);
  json["readings"] = readings_json(result, config);
  json["provenance"] = provenance_name(c.provenance);
  return json;
}

Json change_json(const Change& change) {
  return std::isnan(change.pct) ? Json(nullptr)
                                : Json({{"pct", change.pct}, {"established", change.established}});
}

Json trial_json(const TuneResult& result, const Profiled& trial) {
  const Measurement& m = trial.measurement;
  Json json;
  json["config"] = settings_json(result.space.settings(trial.config));
  json.update(trial_facts(m));
  json["reason"] = trial.reason;
  json["repeat"] = trial.repeat;
  json["verification"] = trial.verification;
  json["from_store"] = trial.from_store;
  json["run"] = trial.run ? Json(*trial.run) : Json(nullptr);
  return json;
}

Json table_row_json(const TuneResult& result, const std::optional<TableRow>& row) {
  if (!row) return nullptr;
  return {{"config", settings_json(result.space.settings(row->config))},
          {"minibatch_ms", row->minibatch_ms},
          {"power_w", or_null(row->power_w)},
          {"provenance", provenance_name(row->provenance)}};
}

Json budget(double value) {
  return value == unlimited ? Json(nullptr) : Json(value);
}

}  // namespace

Json limits_json(std::span<const FigureLimit> limits) {
  Json all = Json::array();
  for (const FigureLimit& limit : limits)
    all.push_back(
        {{"figure", limit.figure}, {limit.at_most ? "at_most" : "at_least", limit.limit}});
  return all;
}

Json modes_json(const ProfilerInfo& profiler) {
  if (!profiler.modes) return nullptr;
  const KeptModes& modes = *profiler.modes;
  return {{"asked", modes.asked},
          {"kept", modes.kept},
          {"of", modes.of},
          {"seed", modes.seed ? Json(*modes.seed) : Json(nullptr)},
          {"notes", modes.notes}};
}

Json comparison_json(const TuneResult& result) {
  const auto comparison = compare_with_default(result);
  if (!comparison) return nullptr;
  return {{"text", comparison->text},
          {"per", per_name(result.per)},
          {"established", comparison->established},
          {"doubt", comparison->doubt.empty() ? Json(nullptr) : Json(comparison->doubt)},
          {"time", change_json(comparison->time)},
          {"power", change_json(comparison->power)},
          {"energy", change_json(comparison->energy)}};
}

Json reused_json(const TuneResult& result) {
  Json list = Json::array();
  for (const Reused& one : result.reused())
    list.push_back({{"run", one.run ? Json(*one.run) : Json(nullptr)},
                    {"trials", one.trials},
                    {"measured_utc", one.measured_utc},
                    {"age_s", or_null(one.age_s)},
                    {"other_cores", one.other_cores ? Json(*one.other_cores) : Json(nullptr)},
                    {"busy", one.busy}});
  return list;
}

Json request_json(const TuneRequest& request, const ProfilerInfo& profiler) {
  Json json;
  json["workload"] = profiler.workload;
  json["phase"] = phase_name(profiler.phase);
  json["device"] = profiler.device;
  json["objective"] = objective_name(request.objective);
  json["power_budget_w"] = budget(request.power_budget_w);
  json["time_budget_s"] = budget(request.time_budget_s);
  json["energy_budget_j"] = budget(request.energy_budget_j);
  if (!request.limits.empty()) json["limits"] = limits_json(request.limits);
  json["profiles_limit"] = request.profiles;
  if (request.gap > 0) json["gap_pct"] = 100 * request.gap;
  if (request.time_limit_s != unlimited) json["time_limit_s"] = request.time_limit_s;
  json["strategy"] = request.strategy;
  json["predictor"] = request.predictor;
  json["seed"] = request.seed;
  json["references"] = Json::array();
  for (const WorkloadTable& reference : request.references)
    json["references"].push_back(reference.title());
  return json;
}

Json answer_json(const TuneResult& result) {
  Json json;
  json["request"] = request_json(result.request, result.profiler);
  json["request"]["asked"] = describe(result.request, result.budget_span);
  json["request"]["budget_span"] = result.budget_span;
  json["request"]["samples"] = result.samples > 0 ? Json(result.samples) : Json(nullptr);
  json["device"] = {
      {"name", result.profiler.device},
      {"title", result.profiler.device_title},
      {"fingerprint", result.profiler.fingerprint},
      {"conditions", result.profiler.conditions},
      {"power_total",
       result.profiler.power_total.empty() ? Json(nullptr) : Json(result.profiler.power_total)},
      {"power_gap",
       result.profiler.power_gap.empty() ? Json(nullptr) : Json(result.profiler.power_gap)},
      {"gaps", result.profiler.gaps}};
  json["choice"] = nullptr;
  if (result.choice) {
    json["choice"] = configuration_json(result, *result.choice);
    if (const Figures figures = figures_of(result, *result.choice); !figures.empty())
      json["choice"]["figures"] = figures;
  }
  json["infeasible"] = nullptr;
  if (result.infeasible) json["infeasible"] = infeasible_json(*result.infeasible, result.easing);
  json["default"] = configuration_json(result, result.default_config);
  json["default"]["reason"] = result.default_reason;
  json["per"] = per_name(result.per);
  json["comparison"] = comparison_json(result);
  json["effort"] = effort_text(result);
  json["reused"] = reused_json(result);
  json["profiles"] = result.profiles();
  json["trials"] = result.profiled.size();
  json["profiled"] = Json::array();
  for (const Profiled& trial : result.profiled)
    json["profiled"].push_back(trial_json(result, trial));
  json["set_aside"] = Json::array();
  for (const SetAside& trial : result.set_aside)
    json["set_aside"].push_back(
        {{"config", settings_json(result.space.settings(trial.config))}, {"reason", trial.reason}});
  json["front"] = Json::array();
  for (size_t config : result.front) json["front"].push_back(configuration_json(result, config));
  json["configurations"] = result.offered();
  json["modes"] = modes_json(result.profiler);
  json["stopped"] = result.stopped;
  if (result.gap) json["gap_pct"] = 100 * *result.gap;
  if (result.oracle) {
    Json& oracle = json["oracle"];
    oracle["raw"] = table_row_json(result, result.oracle->raw);
    oracle["robust"] = table_row_json(result, result.oracle->robust);
    oracle["gap_pct"] = or_null(gap_pct(result, result.oracle->raw));
    oracle["robust_gap_pct"] = or_null(gap_pct(result, result.oracle->robust));
    oracle["excluded_rows"] = result.oracle->excluded.size();
    oracle["excluded"] = Json::array();
    for (size_t config : result.oracle->excluded)
      oracle["excluded"].push_back(settings_json(result.space.settings(config)));
  }
  json["notes"] = result.notes;
  json["started_utc"] = result.started_utc;
  json["seconds"] = result.seconds;
  json["own_seconds"] = result.own_seconds;
  return json;
}

}  // namespace flyball
