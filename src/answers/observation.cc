#include "answers/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answers/figure_limit.h"
#include "answers/repeats.h"
#include "base/figure.h"
#include "base/json.h"
#include "space/trial_facts.h"

namespace flyball {

Provenance provenance_of(std::span<const Observation> trials) {
  Provenance known = Provenance::measured;
  for (const Observation& trial : trials)
    if (!trial.measurement.failed()) known = std::max(known, trial.measurement.provenance);
  return known;
}

Json to_json(const Observation& trial) {
  Json json{{"workload", trial.measurement.trial.job.workload}, {"config", trial.settings}};
  json.update(trial_facts(trial.measurement));
  json.update(trial_intervals(trial.measurement));
  json["reason"] = trial.reason;
  json["repeat"] = trial.repeat;
  json["verification"] = trial.verification;
  json["from_store"] = trial.from_store;
  json["run"] = or_null(trial.run);
  return json;
}

Json to_json(const SetAside& trial) {
  return {{"config", trial.settings}, {"reason", trial.reason}};
}

std::string reading_text(const Observation& trial) {
  const Measurement& m = trial.measurement;
  if (m.failed()) return "failed: " + m.failure;
  const std::string time = number(m.minibatch_ms, 4) + " ms";
  const double watts = m.power_w().value_or(std::nan(""));
  return std::isnan(watts) ? time : fmt::format("{} {} W", time, number(watts, 4));
}

std::string reason_text(const Observation& trial) {
  return trial.reason + (trial.from_store ? " (from the store)" : "");
}

std::string also_known(const Measurement& m) {
  std::string text = trial_doubts(m);
  for (const auto& [name, value] : m.figures)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", name, figure_text(name, value));
  return text;
}

}  // namespace flyball
