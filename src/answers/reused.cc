#include "answers/reused.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/json.h"
#include "base/statistics.h"
#include "space/trial_facts.h"
#include "telemetry/sampling/time_stamp.h"

namespace flyball {
namespace {

/// Seconds since 1970; NaN where it is no time.
double seconds_of(const std::string& utc) {
  return parse_time_stamp(utc).value_or(not_known);
}

/// What a table answers is nobody's trial; a board's readings are measured, or simulated by us.
bool is_of_a_table(const Measurement& m) {
  return m.origin == Origin::table && m.provenance != Provenance::measured;
}

std::string age_text(double age_s) {
  if (std::isnan(age_s)) return "of unknown age";
  if (age_s < 90) return fmt::format("{:.0f} s ago", std::max(0.0, age_s));
  if (age_s < 90 * 60) return fmt::format("{:.0f} min ago", age_s / 60);
  if (age_s < 36 * 3600) return fmt::format("{:.0f} h ago", age_s / 3600);
  return fmt::format("{:.0f} days ago", age_s / 86400);
}

}  // namespace

std::vector<Reused> reused_trials(std::span<const Observation> trials, std::optional<int64_t> own,
                                  const std::string& now_utc) {
  std::map<std::optional<int64_t>, std::vector<const Measurement*>> by_run;
  for (const Observation& trial : trials)
    if (trial.from_store && !is_of_a_table(trial.measurement) && (!own || trial.run != own))
      by_run[trial.run].push_back(&trial.measurement);
  std::vector<Reused> reused;
  for (const auto& [run, measurements] : by_run) {
    Reused one;
    one.run = run;
    one.trials = measurements.size();
    std::vector<double> cores;
    for (const Measurement* m : measurements) {
      one.measured_utc = std::max(one.measured_utc, m->started_utc);
      if (m->interference.cores) cores.push_back(*m->interference.cores);
    }
    one.age_s = seconds_of(now_utc) - seconds_of(one.measured_utc);
    if (!cores.empty()) one.other_cores = median(cores);
    one.busy = one.other_cores.value_or(0) >= noticeable_load;
    reused.push_back(std::move(one));
  }
  return reused;
}

Json reused_json(std::span<const Reused> reused) {
  Json list = Json::array();
  for (const Reused& one : reused)
    list.push_back({{"run", or_null(one.run)},
                    {"trials", one.trials},
                    {"measured_utc", one.measured_utc},
                    {"age_s", or_null(one.age_s)},
                    {"other_cores", or_null(one.other_cores)},
                    {"busy", one.busy}});
  return list;
}

std::string reused_text(std::span<const Reused> reused, Caller caller) {
  std::string text;
  for (const Reused& one : reused) {
    const std::string whose =
        one.run ? fmt::format("from run {}", *one.run) : std::string("from the store");
    text += fmt::format("{}{} trial{} {}, {}{}", text.empty() ? "" : "; ", one.trials,
                        one.trials == 1 ? "" : "s", whose, age_text(one.age_s),
                        one.busy ? ", on a busy machine" : "");
  }
  return text.empty() ? "" : fmt::format("{}; {} measures again", text, flag_text(caller, "fresh"));
}

std::string known_text(size_t known, size_t configurations, size_t trials,
                       std::span<const Reused> reused, Caller caller) {
  if (reused.empty()) return "";
  size_t made = trials;
  for (const Reused& one : reused) made -= one.trials;
  const std::string now =
      made == 0 ? "" : fmt::format("{} trial{} now, ", made, made == 1 ? "" : "s");
  return fmt::format("{} of {} configurations known: {}{}", known, configurations, now,
                     reused_text(reused, caller));
}

}  // namespace flyball
