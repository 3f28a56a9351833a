#include "answers/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "answers/doubt.h"
#include "answers/per_text.h"
#include "answers/repeats.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "search/registry.h"

namespace flyball {
namespace {

constexpr double same_pct = 0.05;  // rounds to 0.0 %

/// Time, power or energy of a configuration, as it is compared.
Figure figure_at(const TuneResult& result, size_t config, Objective quantity) {
  return figure_of(result.configurations[config], result.readings(config), quantity,
                   result.counted(config));
}

std::string doubt_of(const Figure& chosen, const Figure& other, Objective quantity,
                     const std::string& name) {
  return flyball::doubt_of(other, chosen, quantity, name, "the answer");
}

Change change_of(const TuneResult& result, size_t config, Objective quantity) {
  if (quantity == Objective::energy && !tells_energy(result.board())) return {not_known, false};
  const Figure chosen = figure_at(result, *result.choice, quantity);
  const Figure other = figure_at(result, config, quantity);
  if (!(chosen.value > 0) || !(other.value > 0)) return {not_known, false};
  return {100 * (chosen.value / other.value - 1), doubt_of(chosen, other, quantity, "").empty()};
}

constexpr double told_as_times = 10;  // from which multiple on percent are no figure to read

/// "5.2 % less power", "the same time", "208 times as much time": but for what it is compared with.
std::string change_words(double pct, const std::string& quantity) {
  if (std::abs(pct) < same_pct) return fmt::format("the same {}", quantity);
  const double times = 1 + pct / 100;
  if (times >= told_as_times) return fmt::format("{} times as much {}", number(times), quantity);
  return fmt::format("{:.1f} % {} {}", std::abs(pct), pct < 0 ? "less" : "more", quantity);
}

/// What leads from those words to what it is compared with.
const char* than_or_as(double pct) {
  return std::abs(pct) < same_pct || 1 + pct / 100 >= told_as_times ? " as " : " than ";
}

// " per minibatch"; a latency is that of one request anyway.
std::string per_of_time(const TuneResult& result) {
  return tells_energy(result.board()) ? fmt::format(" per {}", per_text(result)) : "";
}

std::string than_default(const TuneResult& result, const Comparison& comparison) {
  std::string text, unclear;
  const char* leads = " than ";
  const std::string per = per_of_time(result);
  const auto add = [&](const Change& change, const std::string& quantity, const std::string& unit) {
    if (std::isnan(change.pct)) return;
    if (change.established || std::abs(change.pct) < same_pct) {
      text += (text.empty() ? "" : ", ") + change_words(change.pct, quantity) + unit;
      leads = than_or_as(change.pct);
    } else
      unclear += (unclear.empty() ? "" : " and ") + quantity;
  };
  add(comparison.time, time_name(result.board()), per);
  add(comparison.power, "power", "");
  add(comparison.energy, "energy", per);
  text += std::string(leads) + "the default";
  if (!unclear.empty()) text += fmt::format("; of {} no difference is established", unclear);
  return text;
}

std::string quantity_name(const TuneResult& result) {
  const Objective objective = result.objective();
  return objective == Objective::time ? time_name(result.board()) : objective_name(objective);
}

const Change& objective_change(const Comparison& comparison, Objective objective) {
  if (objective == Objective::power) return comparison.power;
  return objective == Objective::energy ? comparison.energy : comparison.time;
}

std::string unclear_text(const std::string& name, const std::string& read,
                         const std::string& doubt) {
  return fmt::format("difference from {} not established: {} was read, but {}", name, read, doubt);
}

// `than`: what is said of an established difference.
void put_into_words(const TuneResult& result, size_t config, const std::string& name,
                    const std::string& than, Comparison& comparison) {
  const Objective objective = result.objective();
  const Change& change = objective_change(comparison, objective);
  const std::string per = objective == Objective::power ? "" : per_of_time(result);
  comparison.doubt = doubt_of(figure_at(result, *result.choice, objective),
                              figure_at(result, config, objective), objective, name);
  comparison.established = change.established;
  if (change.established) {
    comparison.text = than;
  } else if (std::isnan(change.pct)) {
    comparison.text = fmt::format("difference from {} not established: {}", name, comparison.doubt);
  } else if (std::abs(change.pct) < same_pct) {
    comparison.text = fmt::format("the same {}{} as {}", quantity_name(result), per, name);
  } else {
    comparison.text =
        unclear_text(name, change_words(change.pct, quantity_name(result)) + per, comparison.doubt);
  }
}

Comparison changes_against(const TuneResult& result, size_t config) {
  Comparison comparison;
  comparison.time = change_of(result, config, Objective::time);
  comparison.power = change_of(result, config, Objective::power);
  comparison.energy = change_of(result, config, Objective::energy);
  return comparison;
}

Comparison against_default(const TuneResult& result) {
  Comparison comparison = changes_against(result, result.default_config);
  if (*result.choice == result.default_config) {
    comparison.doubt = "they are the same configuration";
    comparison.text = "the default is already the best found";
    for (Change* change : {&comparison.time, &comparison.power, &comparison.energy})
      change->established = false;
    return comparison;
  }
  put_into_words(result, result.default_config, "the default", than_default(result, comparison),
                 comparison);
  return comparison;
}

constexpr double told_as_factor = 1.5;  // a ratio from which on percent say less

/// "35.1 % faster", "1.9x faster", "4.2 % more time": of a time that changed by so many percent.
std::string speed(double pct) {
  if (pct >= -same_pct) return change_words(pct, "time");
  const double ratio = 1 / (1 + pct / 100);
  return ratio < told_as_factor ? fmt::format("{:.1f} % faster", 100 * (ratio - 1))
                                : fmt::format("{:.1f}x faster", ratio);
}

/// "the answer is to this preset"; `within`: what is said of the preset, behind its name.
using TextOf = std::function<std::string(const PresetAnswer&, const std::string& within)>;

/// The sentences of a headline about limits that the default breaks and about presets.
std::string preset_sentences(const SearchAnswer& answer, const std::string& usual,
                             const TextOf& text_of) {
  std::string text = breaks_text(usual, answer.default_breaks);
  const auto add = [&](const std::string& more) {
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  };
  const PresetAnswer* best = best_preset(answer.presets);
  const PresetAnswer* own = preset_in_force(answer.presets);
  if (own && !own->is_default && own->measured()) add(breaks_text(own->title(), own->breaks));
  if (best && !best->is_default) add(text_of(*best, text.empty() ? "" : " within the limits"));
  if (own && own != best && !own->is_default && own->will_do()) add(text_of(*own, ""));
  const auto searched = [](const PresetAnswer& preset) { return !preset.choice.empty(); };
  if (!text.empty() && !best && !answer.presets.empty() &&
      std::ranges::all_of(answer.presets, searched))
    add("no preset is known to keep the limits");
  return text;
}

std::string compare_with_preset(const TuneResult& result, const PresetAnswer& preset,
                                const std::string& within) {
  const size_t config = *result.space.find(*result.space.to_row(preset.settings));
  if (config == *result.choice) return "the answer is " + preset.title();
  if (!preset.breaks.empty()) return breaks_text(preset.title(), preset.breaks);
  Comparison comparison = changes_against(result, config);
  const Objective objective = result.objective();
  const double pct = objective_change(comparison, objective).pct;
  const bool energy = objective == Objective::energy;
  std::string than = objective == Objective::time && tells_energy(result.board())
                         ? speed(pct)
                         : change_words(pct, quantity_name(result));
  if (energy) than += fmt::format(" per {}", per_text(result));
  than += than_or_as(pct) + preset.title() + within;
  const double watts = result.configurations[*result.choice].power_w;
  if (objective != Objective::power && !std::isnan(watts))
    than += fmt::format("{} at {} W", within.empty() ? "" : ",",
                        upper_figure(watts, 3, result.request.power_budget_w));
  put_into_words(result, config, preset.title(), than, comparison);
  return comparison.text;
}

/// What a plan gains over a preset, in words.
std::string gain_text(const Problem& problem, double mine, double theirs) {
  const double pct = 100 * (mine / theirs - 1);
  switch (problem.objective) {
    case Objective::time:
      return speed(pct);
    case Objective::throughput:
    case Objective::minibatches:
      return change_words(pct, "training");
    default:
      return change_words(pct, objective_name(problem.objective));
  }
}

/// The objective of a choice, or its power, from all readings of its roles, as a figure that is
/// better the less it is: the bounds are those of all roles at once. NaN where one is not known.
Figure figure_at(const Plan& plan, std::span<const size_t> choice, Objective quantity) {
  const Problem& problem = *plan.problem;
  std::vector<Reading> middle, low, high;
  Figure figure;
  for (size_t role = 0; role < choice.size(); ++role) {
    std::vector<const Measurement*> readings;
    for (const Observation& trial : plan.profiled)
      if (trial.role == role && trial.candidate == choice[role] && !trial.measurement.failed())
        readings.push_back(&trial.measurement);
    if (readings.empty()) return {.predicted = true};
    const Configuration known = pooled(readings);
    take_conditions(readings, figure);
    middle.push_back({known.minibatch_ms, known.power_w});
    low.push_back({known.time_lo, known.power_lo});
    high.push_back({known.time_hi, known.power_hi});
  }
  const bool counts = counts_training(quantity);
  const auto value = [&](std::span<const Reading> readings) {
    for (const Reading& reading : readings)
      if (!std::isfinite(quantity == Objective::power ? reading.power_w : reading.minibatch_ms))
        return not_known;
    if (quantity == Objective::power)
      return std::ranges::max(readings, {}, &Reading::power_w).power_w;
    const double found = objective_value(problem, outcome(problem, readings, choice));
    if (!std::isfinite(found)) return not_known;
    constexpr double none = 1e-9;  // of training: as good as endless
    return counts ? 1 / std::max(found, none) : found;
  };
  figure.value = value(middle);
  figure.lo = value(low);
  figure.hi = value(high);
  return figure;
}

std::string doubt_of(const Plan& plan, std::span<const size_t> other, Objective quantity,
                     const std::string& name) {
  if (knows_all(plan.request.strategy)) return "";
  const bool takes_time = quantity != Objective::power && quantity != Objective::energy;
  return flyball::doubt_of(figure_at(plan, other, quantity),
                           figure_at(plan, plan.answer->choice, quantity),
                           takes_time ? Objective::time : quantity, name, "the answer");
}

/// " at batch_size 4": run settings in which the preset was taken, where they are not the answer's.
std::string own_settings(const Plan& plan, const PresetAnswer& preset) {
  const Problem& problem = *plan.problem;
  const auto run_settings = [&](size_t role, size_t candidate) {
    const Role& asked = problem.roles[role];
    return problem.candidates->space(role)
        .trial(candidate, asked.workload, asked.phase)
        .job.settings;
  };
  std::vector<std::string> parts;
  for (size_t role = 0; role < preset.choice.size(); ++role) {
    const Settings own = run_settings(role, preset.choice[role]);
    if (own == run_settings(role, plan.answer->choice[role])) continue;
    const std::string whose = problem.roles.size() > 1 ? role_name(problem, role) + " " : "";
    parts.push_back(whose + describe(own));
  }
  return parts.empty() ? "" : " at " + join(parts, ", ");
}

/// Is it the preset's mode, in other run settings?
bool same_mode(const Plan& plan, const PresetAnswer& preset) {
  for (size_t role = 0; role < preset.choice.size(); ++role)
    if (plan.problem->candidates->mode_of(role, preset.choice[role]) !=
        plan.problem->candidates->mode_of(role, plan.answer->choice[role]))
      return false;
  return true;
}

std::string compare_with_preset(const Plan& plan, const PresetAnswer& preset,
                                const std::string& within) {
  if (preset.choice == plan.answer->choice) return "the answer is " + preset.title();
  if (!preset.breaks.empty()) return breaks_text(preset.title(), preset.breaks);
  const Problem& problem = *plan.problem;
  if (trains_nothing(problem, preset.outcome)) return preset.title() + " trains nothing beside it";
  const double mine = objective_value(problem, plan.answer->outcome);
  const double theirs = objective_value(problem, preset.outcome);
  if (!std::isfinite(mine) || !std::isfinite(theirs))
    return preset.title() + ": what it takes is not known";
  const double pct = 100 * (mine / theirs - 1);
  const std::string gain = gain_text(problem, mine, theirs);
  const std::string settings = own_settings(plan, preset), title = preset.title() + settings;
  const std::string doubt = doubt_of(plan, preset.choice, problem.objective, preset.title());
  const bool differs = doubt.empty() || std::abs(pct) < same_pct;
  if (same_mode(plan, preset))
    return fmt::format("the answer's mode is {}{}", preset.title(),
                       differs ? fmt::format(": {}{}that{}", gain, than_or_as(pct), settings) : "");
  if (!differs) return unclear_text(title, gain, doubt);
  std::string text = gain + than_or_as(pct) + title + within;
  if (problem.objective != Objective::power && !std::isnan(plan.chosen.power_w))
    text += fmt::format("{} at {} W", within.empty() ? "" : ",",
                        upper_figure(plan.chosen.power_w, 3, problem.budgets.power_w));
  return text;
}

}  // namespace

void compare_with_presets(TuneResult& result) {
  for (PresetAnswer& preset : result.presets)
    if (result.choice && preset.measured()) preset.text = compare_with_preset(result, preset, "");
}

void compare_with_presets(Plan& plan) {
  for (PresetAnswer& preset : plan.presets)
    if (plan.answer && preset.measured()) preset.text = compare_with_preset(plan, preset, "");
}

std::optional<Comparison> compare_with_default(const TuneResult& result) {
  if (!result.choice) return {};
  Comparison comparison = against_default(result);
  const std::string presets =
      preset_sentences(result, default_name(result.board(), result.space),
                       [&](const PresetAnswer& preset, const std::string& within) {
                         return compare_with_preset(result, preset, within);
                       });
  if (presets.empty()) return comparison;
  // What breaks a limit is no choice, so only what is sure is said against it.
  if (result.default_breaks.empty())
    comparison.text += "; " + presets;
  else if (best_preset(result.presets) || !comparison.established)
    comparison.text = presets;
  else
    comparison.text = presets + "; " + comparison.text;
  return comparison;
}

std::string compare_with_default(const Plan& plan) {
  if (!plan.answer) return "";
  const Problem& problem = *plan.problem;
  const bool serves = std::ranges::any_of(problem.roles, &Role::serves);
  // Its batch size is as much of a service's default as its mode is.
  const std::string usual = plan.usual && !serves
                                ? default_name(plan.workloads.front(), problem.candidates->space(0))
                                : "the default";
  const std::string presets =
      preset_sentences(plan, usual, [&](const PresetAnswer& preset, const std::string& within) {
        return compare_with_preset(plan, preset, within);
      });
  if (!trains_nothing(problem, plan.answer->outcome)) return presets;
  const bool all_known = plan.coverage && *plan.coverage != Provenance::predicted;
  // By the equations: the scheduler trains in gaps of any length.
  return fmt::format(
      "no training {} beside this service within these limits, in whole minibatches between its "
      "batches (what runs in other gaps is planned with --arrivals){}{}",
      all_known ? "fits" : "is known to fit", presets.empty() ? "" : "; ", presets);
}

Json established_json(const Plan& plan) {
  if (!plan.answer || !plan.usual) return nullptr;
  const auto established = [&](Objective quantity) {
    return doubt_of(plan, plan.usual->choice.candidates, quantity, "").empty();
  };
  return {{"objective", established(plan.problem->objective)},
          {"power", established(Objective::power)}};
}

double gap_pct(const TuneResult& result, const std::optional<TableRow>& optimum) {
  if (!optimum || !result.choice) return not_known;
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
  const std::string quantity = quantity_name(result);
  std::string text = change_words(raw, quantity) + than_or_as(raw) + "the raw optimum";
  if (!std::isnan(robust))
    text += ", " + change_words(robust, quantity) + than_or_as(robust) + "the robust one";
  return text;
}

}  // namespace flyball
