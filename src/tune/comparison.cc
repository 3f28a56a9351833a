#include "tune/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.h"
#include "device/measuring.h"
#include "telemetry/sensors/power_sensors.h"
#include "tune/reused.h"

namespace flyball {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double same_pct = 0.05;  // rounds to 0.0 %

/// A figure with its interval, and what its trials knew of the machine.
struct Figure {
  double value = unknown, lo = unknown, hi = unknown;
  double others = 0;  ///< cores that other processes kept busy in its quietest trial
  bool predicted = false;
  bool disturbed = false;  ///< somebody else measured on this machine during each of its trials
  bool throttled = false;  ///< the board throttled in each of its trials
};

double quietest(const TuneResult& result, size_t config) {
  double least = std::numeric_limits<double>::infinity();
  for (const Profiled& trial : result.profiled)
    if (trial.config == config && !trial.measurement.failed())
      least = std::min(least, trial.measurement.other_cores.value_or(0));
  return std::isfinite(least) ? least : 0;
}

bool is_disturbed(const TuneResult& result, size_t config) {
  const auto readings = result.readings(config);
  return !readings.empty() && std::ranges::all_of(readings, [](const Measurement* m) {
    return m->conditions && m->conditions->contains(disturbed_condition);
  });
}

bool is_throttled(const TuneResult& result, size_t config) {
  const auto readings = result.readings(config);
  return !readings.empty() && std::ranges::all_of(readings, &Measurement::throttled);
}

/// Time, power or energy of a configuration, as it is compared.
Figure figure_of(const TuneResult& result, size_t config, Objective quantity) {
  const Configuration& c = result.configurations[config];
  const double per = result.counted(config);
  Figure figure{c.minibatch_j() / per, c.joules_lo() / per, c.joules_hi() / per};
  if (quantity == Objective::power) figure = {c.power_w, c.power_lo, c.power_hi};
  if (quantity == Objective::time)
    figure = {c.minibatch_ms / per, c.time_lo / per, c.time_hi / per};
  figure.others = quietest(result, config);
  figure.predicted = c.provenance == Provenance::predicted;
  figure.disturbed = is_disturbed(result, config);
  figure.throttled = is_throttled(result, config);
  return figure;
}

std::string doubt_of(const Figure& chosen, const Figure& usual, Objective quantity) {
  if (usual.predicted) return "the default was not measured";
  if (chosen.predicted) return "the answer was not measured";
  if (chosen.disturbed || usual.disturbed)
    return "another flyball measured on this machine at the same time";
  if (usual.throttled != chosen.throttled)
    return fmt::format("the board throttled in {}", usual.throttled ? "the default" : "the answer");
  if (!std::isfinite(chosen.hi - chosen.lo) || !std::isfinite(usual.hi - usual.lo))
    return "one reading alone has no known spread";
  const auto overlap = [](double lo, double hi, double other_lo, double other_hi) {
    return lo <= other_hi && other_lo <= hi;
  };
  if (overlap(chosen.lo, chosen.hi, usual.lo, usual.hi)) return "the 90 % intervals overlap";
  const double most = std::max(chosen.others, usual.others);
  const std::string busy =
      fmt::format("other processes kept up to {:.2g} cores busy, which may explain it", most);
  if (quantity != Objective::time) return most < noticeable_load ? "" : busy;
  const auto quiet = [](const Figure& figure) {
    const double share = figure.others < noticeable_load ? 0 : 2 * figure.others;
    return figure.lo * (1 - std::min(1.0, share));
  };
  return overlap(quiet(chosen), chosen.hi, quiet(usual), usual.hi) ? busy : "";
}

Change change_of(const TuneResult& result, Objective quantity) {
  const Figure chosen = figure_of(result, *result.choice, quantity);
  const Figure usual = figure_of(result, result.default_config, quantity);
  if (!(chosen.value > 0) || !(usual.value > 0)) return {unknown, false};
  return {100 * (chosen.value / usual.value - 1), doubt_of(chosen, usual, quantity).empty()};
}

std::string amount(double pct, const char* quantity) {
  if (std::abs(pct) < same_pct) return fmt::format("the same {}", quantity);
  return fmt::format("{:.1f} % {} {}", std::abs(pct), pct < 0 ? "less" : "more", quantity);
}

std::string than_default(const TuneResult& result, const Comparison& comparison) {
  std::string text, unclear;
  const std::string per = fmt::format(" per {}", per_name(result.per));
  const auto add = [&](const Change& change, const char* quantity, const std::string& unit) {
    if (std::isnan(change.pct)) return;
    if (change.established || std::abs(change.pct) < same_pct)
      text += (text.empty() ? "" : ", ") + amount(change.pct, quantity) + unit;
    else
      unclear += (unclear.empty() ? "" : " and ") + std::string(quantity);
  };
  add(comparison.time, "time", per);
  add(comparison.power, "power", "");
  add(comparison.energy, "energy", per);
  text += " than the default";
  if (!unclear.empty()) text += fmt::format("; of {} no difference is established", unclear);
  return text;
}

const char* quantity_name(Objective objective) {
  return objective == Objective::power ? "power" : objective_name(objective);
}

const Change& objective_change(const Comparison& comparison, Objective objective) {
  if (objective == Objective::power) return comparison.power;
  return objective == Objective::energy ? comparison.energy : comparison.time;
}

void put_into_words(const TuneResult& result, Comparison& comparison) {
  const Objective objective = result.request.objective;
  const Change& change = objective_change(comparison, objective);
  const std::string per =
      objective == Objective::power ? "" : fmt::format(" per {}", per_name(result.per));
  comparison.doubt = doubt_of(figure_of(result, *result.choice, objective),
                              figure_of(result, result.default_config, objective), objective);
  comparison.established = change.established;
  if (change.established) {
    comparison.text = than_default(result, comparison);
  } else if (std::isnan(change.pct)) {
    comparison.text = "difference from the default not established: " + comparison.doubt;
  } else if (std::abs(change.pct) < same_pct) {
    comparison.text = fmt::format("the same {}{} as the default", quantity_name(objective), per);
  } else {
    comparison.text =
        fmt::format("difference from the default not established: {}{} was read, but {}",
                    amount(change.pct, quantity_name(objective)), per, comparison.doubt);
  }
}

}  // namespace

std::optional<Comparison> compare_with_default(const TuneResult& result) {
  if (!result.choice) return {};
  Comparison comparison;
  comparison.time = change_of(result, Objective::time);
  comparison.power = change_of(result, Objective::power);
  comparison.energy = change_of(result, Objective::energy);
  if (*result.choice == result.default_config) {
    comparison.doubt = "they are the same configuration";
    comparison.text = "the default is already the best found";
    for (Change* change : {&comparison.time, &comparison.power, &comparison.energy})
      change->established = false;
    return comparison;
  }
  put_into_words(result, comparison);
  return comparison;
}

double gap_pct(const TuneResult& result, const std::optional<TableRow>& optimum) {
  if (!optimum || !result.choice) return unknown;
  const auto value = [&](double ms, double watts, size_t config) {
    if (result.request.objective == Objective::power) return watts;
    const double time = ms / result.counted(config);
    return result.request.objective == Objective::energy ? watts * time : time;
  };
  const Configuration& chosen = result.configurations[*result.choice];
  return 100 * (value(chosen.minibatch_ms, chosen.power_w, *result.choice) /
                    value(optimum->minibatch_ms, optimum->power_w, optimum->config) -
                1);
}

std::string oracle_text(const TuneResult& result) {
  if (!result.oracle || !result.choice) return "";
  const double raw = gap_pct(result, result.oracle->raw);
  const double robust = gap_pct(result, result.oracle->robust);
  if (std::isnan(raw)) return "";
  const char* quantity = quantity_name(result.request.objective);
  std::string text = amount(raw, quantity) +
                     (std::abs(raw) < same_pct ? " as the raw optimum" : " than the raw optimum");
  if (!std::isnan(robust))
    text +=
        fmt::format(", {}{}", amount(robust, quantity),
                    std::abs(robust) < same_pct ? " as the robust one" : " than the robust one");
  return text;
}

std::string power_notice(const ProfilerInfo& profiler) {
  if (profiler.power_gap.empty()) return "";
  return profiler.live ? brief_power_gap("power is not available on this machine")
                       : profiler.power_gap;
}

std::string effort_text(const TuneResult& result) {
  const size_t known = result.profiles(), all = result.space.size();
  const std::string text = known_text(known, all, result.profiled.size(), result.reused());
  if (!text.empty()) return text;
  return fmt::format("{} of {} configurations profiled in {}", known, all,
                     format_seconds({result.seconds}));
}

}  // namespace flyball
