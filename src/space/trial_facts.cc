#include "space/trial_facts.h"

#include <fmt/format.h>

#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace flyball {
namespace {

void add_power(const Measurement& m, Json& json) {
  json["power_w"] = m.power ? or_null(m.power->mean_w) : Json(nullptr);
  json["power_gap"] = text_or_null(m.power_gap);
  json["power_total"] = m.power ? text_or_null(m.power->total) : Json(nullptr);
  const bool spread = m.power && m.power->noise < unknown_noise && !from_table(m);
  json["power_noise_pct"] = spread ? or_null(100 * m.power->noise) : Json(nullptr);
  const bool sampled = m.power && m.power->distinct_updates > 0;
  const auto known = [&](const Json& value) { return sampled ? value : Json(nullptr); };
  const PowerReading power = m.power.value_or(PowerReading());
  json["power_updates"] = known(power.distinct_updates);
  json["power_samples"] = known(power.samples_got);
  json["power_samples_wanted"] = known(power.samples_wanted);
  json["window_s"] = known(power.window_s);
  json["window_j"] = known(power.energy_j);
}

}  // namespace

Json clocks_json(const Measurement& m) {
  Json clocks = Json::array();
  for (const SeenClock& clock : m.clocks) {
    const auto asked = m.trial.mode.values.find(clock.axis);
    if (asked == m.trial.mode.values.end()) continue;  // a file may say so of an axis not set
    clocks.push_back({{"axis", clock.axis},
                      {"unit", named_axis(clock.axis).unit},
                      {"asked", asked->second},
                      {"seen_mean", clock.mean},
                      {"seen_min", clock.least}});
  }
  return clocks;
}

std::string short_names(const std::string& disturbed_by) {
  std::vector<std::string> names;
  for (const std::string& one : split(disturbed_by, ';'))
    names.emplace_back(trim(one.substr(0, one.find(" ("))));
  return join(names, ", ");
}

bool splits_time(const Measurement& m) {
  return !m.minibatches.empty() && m.origin != Origin::told;
}

bool from_table(const Measurement& m) {
  return m.origin == Origin::table || m.origin == Origin::imported;
}

bool measured_here(const Measurement& m) {
  return m.origin == Origin::live;
}

std::optional<bool> power_settled(const Measurement& m) {
  if (!measured_here(m) || m.failed() || !m.power || m.whole_run()) return {};
  return m.warm_up_s < power_patience_s;
}

std::string trial_doubts(const Measurement& m) {
  const Interference& found = m.interference;
  std::vector<std::string> doubts;
  if (found.throttled.value_or(false)) doubts.emplace_back("throttled");
  if (const double cores = found.cores.value_or(0); cores >= noticeable_load)
    doubts.push_back(fmt::format("others kept {:.2g} cores busy", cores));
  if (!found.by.empty()) doubts.push_back("beside " + short_names(found.by));
  return join(doubts, "; ");
}

bool tells_noise(const Measurement& m) {
  return m.noise < unknown_noise && !from_table(m);
}

Json noise_pct(const Measurement& m) {
  return tells_noise(m) ? or_null(100 * m.noise) : Json(nullptr);
}

Json trial_facts(const Measurement& m) {
  const bool counted = splits_time(m);
  Json json;
  json["minibatch_ms"] = m.failed() ? Json(nullptr) : or_null(m.minibatch_ms);
  add_power(m, json);
  json["stall_ms"] = counted ? Json(m.stall_ms) : Json(nullptr);
  json["compute_ms"] = counted ? Json(m.compute_ms) : Json(nullptr);
  json["noise_pct"] = noise_pct(m);
  json["minibatches"] = m.minibatches.size();
  json["first_ms"] = counted && m.first.e2e_ms > 0 ? Json(m.first.e2e_ms) : Json(nullptr);
  json["provenance"] = provenance_name(m.provenance);
  json["origin"] = origin_name(m.origin);
  json["span"] = span_name(m.span);
  json["stop_reason"] = m.stop_reason;
  json["settle_s"] = m.settle_s;
  json["warm_up_s"] = m.warm_up_s;
  const auto settled = power_settled(m);
  json["power_settled"] = settled ? Json(*settled) : Json(nullptr);
  json["total_s"] = m.total_s;
  json["measured_utc"] = text_or_null(m.started_utc);
  json["other_cores"] = or_null(m.interference.cores);
  json["throttled"] = or_null(m.interference.throttled);
  json["clocks"] = clocks_json(m);
  json["disturbed"] = text_or_null(m.interference.by);
  json["doubts"] = text_or_null(trial_doubts(m));
  json["repeat"] = m.repeated;
  json["failure"] = text_or_null(m.failure);
  json["figures"] = m.figures;
  json["seed"] = m.seed;
  return json;
}

}  // namespace flyball
