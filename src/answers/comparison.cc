#include "answers/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "answers/doubt.h"

namespace flyball {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double same_pct = 0.05;  // rounds to 0.0 %

/// Time, power or energy of a configuration, as it is compared.
Figure figure_at(const TuneResult& result, size_t config, Objective quantity) {
  return figure_of(result.configurations[config], result.readings(config), quantity,
                   result.counted(config));
}

std::string doubt_of(const Figure& chosen, const Figure& usual, Objective quantity) {
  return flyball::doubt_of(usual, chosen, quantity, "the default", "the answer");
}

Change change_of(const TuneResult& result, Objective quantity) {
  const Figure chosen = figure_at(result, *result.choice, quantity);
  const Figure usual = figure_at(result, result.default_config, quantity);
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
  const Objective objective = result.objective();
  const Change& change = objective_change(comparison, objective);
  const std::string per =
      objective == Objective::power ? "" : fmt::format(" per {}", per_name(result.per));
  comparison.doubt = doubt_of(figure_at(result, *result.choice, objective),
                              figure_at(result, result.default_config, objective), objective);
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
    if (result.objective() == Objective::power) return watts;
    const double time = ms / result.counted(config);
    return result.objective() == Objective::energy ? watts * time : time;
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
  const char* quantity = quantity_name(result.objective());
  std::string text = amount(raw, quantity) +
                     (std::abs(raw) < same_pct ? " as the raw optimum" : " than the raw optimum");
  if (!std::isnan(robust))
    text +=
        fmt::format(", {}{}", amount(robust, quantity),
                    std::abs(robust) < same_pct ? " as the robust one" : " than the robust one");
  return text;
}

}  // namespace flyball
