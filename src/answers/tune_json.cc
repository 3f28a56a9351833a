#include "answers/tune_json.h"

#include <cmath>
#include <set>

#include "answers/comparison.h"
#include "answers/per_text.h"
#include "answers/repeats.h"
#include "base/json.h"

namespace flyball {
namespace {

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
  const double samples = result.samples_of(config);
  Json json = known_json(result.space.settings(config), c);
  const double joules = tells_energy(result.board()) ? c.minibatch_j() : std::nan("");
  json["minibatch_j"] = or_null(joules);
  json["sample_ms"] = or_null(c.minibatch_ms / samples);
  json["sample_j"] = or_null(joules / samples);
  json["epoch_s"] = or_null(c.minibatch_ms * 1e-3 * epoch);
  json["epoch_j"] = or_null(joules * epoch);
  json["readings"] = readings_json(result, config);
  return json;
}

Json change_json(const Change& change) {
  return std::isnan(change.pct) ? Json(nullptr)
                                : Json({{"pct", change.pct}, {"established", change.established}});
}

Json table_row_json(const TuneResult& result, const std::optional<TableRow>& row) {
  if (!row) return nullptr;
  return {{"config", Json(result.space.settings(row->config))},
          {"minibatch_ms", row->minibatch_ms},
          {"power_w", or_null(row->power_w)},
          {"provenance", provenance_name(row->provenance)}};
}

Json oracle_json(const TuneResult& result) {
  Json oracle;
  oracle["raw"] = table_row_json(result, result.oracle->raw);
  oracle["robust"] = table_row_json(result, result.oracle->robust);
  oracle["gap_pct"] = or_null(gap_pct(result, result.oracle->raw));
  oracle["robust_gap_pct"] = or_null(gap_pct(result, result.oracle->robust));
  oracle["text"] = oracle_text(result);
  oracle["excluded_rows"] = result.oracle->excluded.size();
  oracle["excluded"] = Json::array();
  for (size_t config : result.oracle->excluded)
    oracle["excluded"].push_back(result.space.settings(config));
  return oracle;
}

Json axes_json(const Space& space) {
  Json axes = Json::array();
  for (const Axis& axis : space.axes())
    axes.push_back({{"name", axis.name},
                    {"unit", axis.unit},
                    {"scope", axis.scope == Scope::board ? "board" : "run"}});
  return axes;
}

// Each configuration that was read, once, in the order of its first trial.
Json measured_json(const TuneResult& result) {
  Json list = Json::array();
  std::set<size_t> seen;
  for (const Observation& trial : result.profiled)
    if (!trial.measurement.failed() && seen.insert(trial.config).second)
      list.push_back(known_json(trial.settings, result.configurations[trial.config]));
  return list;
}

Json held_out_json(const TuneResult& result) {
  Json list = Json::array();
  for (const HeldOut& held : result.held_out)
    list.push_back(known_json(result.space.settings(held.config), held.predicted));
  return list;
}

Json comparison_json(const TuneResult& result) {
  const auto comparison = compare_with_default(result);
  if (!comparison) return nullptr;
  return {{"text", comparison->text},
          {"per", per_text(result)},
          {"established", comparison->established},
          {"doubt", text_or_null(comparison->doubt)},
          {"time", change_json(comparison->time)},
          {"power", change_json(comparison->power)},
          {"energy", change_json(comparison->energy)}};
}

}  // namespace

Json to_json(const TuneResult& result) {
  Json json = asked_json(result);
  json["request"]["budget_span"] = result.budget_span;
  json["request"]["samples"] = result.samples > 0 ? Json(result.samples) : Json(nullptr);
  json["request"]["settings"] = result.board().job;
  if (const std::string figure = served_figure(result.board()); !figure.empty())
    json["request"]["figure"] = figure;
  json["asked"] = describe(result);
  json["axes"] = axes_json(result.space);
  json["choice"] = nullptr;
  const auto with_figures = [&](size_t config) {
    Json known = configuration_json(result, config);
    if (const Figures figures = figures_of(result, config); !figures.empty())
      known["figures"] = figures;
    return known;
  };
  if (result.choice) json["choice"] = with_figures(*result.choice);
  if (result.idle) json["choice"]["idle"] = to_json(*result.idle);
  json["default"] = with_figures(result.default_config);
  json["default"]["reason"] = result.default_reason;
  json["per"] = per_text(result);
  json["comparison"] = comparison_json(result);
  json["front"] = Json::array();
  for (size_t config : result.front) json["front"].push_back(configuration_json(result, config));
  json["measured"] = measured_json(result);
  json["held_out"] = held_out_json(result);
  json["configurations"] = result.offered();
  json["modes"] = modes_json(result.board().modes);
  if (result.gap) json["gap_pct"] = 100 * *result.gap;
  if (result.oracle) json["oracle"] = oracle_json(result);
  json.update(search_json(result, result.offered()));
  return json;
}

}  // namespace flyball
