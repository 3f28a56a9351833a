#include "answers/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answers/plan.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/text.h"

namespace flyball {
namespace {

const char* limit_words(Constraint constraint) {
  switch (constraint) {
    case Constraint::latency:
      return "latency limit";
    case Constraint::arrival_rate:
      return "arrival rate";
    case Constraint::slowdown:
      return "limit on the slowdown";
    case Constraint::energy:
      return "energy budget";
    case Constraint::time:
      return "time budget";
    default:
      return "power budget";
  }
}

BrokenLimit broken(const Margin& margin) {
  const std::string words = limit_words(margin.constraint);
  if (std::isnan(margin.used)) return {margin.constraint, words, true};
  if (margin.constraint == Constraint::power || margin.constraint == Constraint::latency)
    return {margin.constraint,
            fmt::format("{} ({} {})", words, upper_figure(margin.used, 3), margin.unit)};
  return {margin.constraint, words};
}

}  // namespace

std::string PresetAnswer::title() const {
  return fmt::format("preset {}{}", name, in_force ? " (in force)" : "");
}

std::vector<BrokenLimit> broken_limits(const Problem& problem, const Readings& readings,
                                       std::span<const size_t> choice) {
  std::vector<BrokenLimit> breaks;
  const std::vector<Margin> margins = margins_of(problem, readings, choice);
  for (const Margin& margin : margins) {
    if (!margin.missed()) continue;
    BrokenLimit limit = broken(margin);
    // Of two services both have one.
    if (std::ranges::count(margins, margin.constraint, &Margin::constraint) > 1)
      limit.text += " of " + margin.workload;
    breaks.push_back(std::move(limit));
  }
  for (size_t role = 0; role < choice.size(); ++role)
    if (!readings[role][choice[role]].keeps_figures())
      breaks.push_back({Constraint::figure, "limit on what is reported"});
  return breaks;
}

std::string breaks_text(const std::string& name, const std::vector<BrokenLimit>& breaks) {
  std::vector<std::string> broken, unknown;
  for (const BrokenLimit& limit : breaks)
    (limit.unknown ? unknown : broken).push_back("the " + limit.text);
  if (!broken.empty()) return name + " breaks " + join(broken, " and ");
  return unknown.empty() ? "" : name + " is not known to keep " + join(unknown, " and ");
}

std::string default_name(const ProfilerInfo& workload, const Space& space) {
  const bool gpu = space.axis_index(axis::gpu_mhz).has_value();
  return gpu && workload.default_is_highest ? "MAXN" : "the default";
}

std::vector<PresetAnswer> preset_answers(const Strategy& strategy, const Presets& presets,
                                         const Readings& readings, Provenance known) {
  const Problem& problem = strategy.problem();
  const std::vector<Baseline>& baselines = strategy.options().baselines;
  std::vector<PresetAnswer> all;
  for (size_t i = 0; i < baselines.size(); ++i) {
    PresetAnswer& one = all.emplace_back();
    one.id = presets.list[i].id;
    one.name = presets.list[i].name;
    one.in_force = baselines[i].in_force;
    one.choice = baselines[i].choice;
    one.is_default = one.choice == strategy.options().default_choice;
    if (one.choice.empty()) continue;
    one.settings = problem.candidates->space(0).settings(one.choice[0]);
    one.minibatch_ms = readings[0][one.choice[0]].minibatch_ms;
    one.power_w = power_of(readings, one.choice);
    bool measured = true, read = true;
    for (size_t role = 0; role < one.choice.size(); ++role) {
      const Record* record = strategy.history().find(role, one.choice[role]);
      measured = measured && record && !record->failed();
      read = read && readings[role][one.choice[role]].minibatch_ms > 0;
    }
    if (measured) one.provenance = known;
    if (!read) continue;
    one.outcome = outcome_of(problem, readings, one.choice);
    one.breaks = broken_limits(problem, readings, one.choice);
  }
  return all;
}

const PresetAnswer* best_preset(const std::vector<PresetAnswer>& presets) {
  const PresetAnswer* best = nullptr;
  for (const PresetAnswer& preset : presets)
    if (preset.will_do() && (!best || preset.outcome.better_than(best->outcome))) best = &preset;
  return best;
}

const PresetAnswer* preset_in_force(const std::vector<PresetAnswer>& presets) {
  const auto found = std::ranges::find(presets, true, &PresetAnswer::in_force);
  return found == presets.end() ? nullptr : &*found;
}

Json to_json(const PresetAnswer& preset) {
  Json breaks = Json::array();
  for (const BrokenLimit& limit : preset.breaks)
    if (!limit.unknown) breaks.push_back(constraint_name(limit.constraint));
  const bool searched = !preset.choice.empty();
  return {{"id", preset.id},
          {"name", preset.name},
          {"in_force", preset.in_force},
          {"default", preset.is_default},
          {"config", searched ? Json(preset.settings) : Json()},
          {"minibatch_ms", or_null(preset.minibatch_ms)},
          {"power_w", or_null(preset.power_w)},
          {"provenance", searched ? Json(provenance_name(preset.provenance)) : Json()},
          {"breaks", std::move(breaks)},
          {"text", text_or_null(preset.text)}};
}

}  // namespace flyball
