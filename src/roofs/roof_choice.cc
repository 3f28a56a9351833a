#include "roofs/roof_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "base/statistics.h"
#include "roofs/bindings.h"
#include "roofs/known_layers.h"

namespace flyball {
namespace {

/// The mode that one figure of the roofs names.
struct Named {
  const ModeFigures* mode = nullptr;
  double least = std::numeric_limits<double>::infinity();

  void consider(const ModeFigures& other, double figure) {
    if (!(figure < least)) return;  // nor one that is not known
    least = figure;
    mode = &other;
  }
};

std::string spread_text(const std::vector<double>& excess_pct) {
  const auto [least, most] = std::ranges::minmax(excess_pct);
  return fmt::format("{:.0f} % (median; {:.0f} to {:.0f} %)", median(excess_pct), least, most);
}

}  // namespace

std::optional<RoofChoice> roof_choice(const EnergyCase& one, const BoardRoofs& roofs,
                                      CountRules rules) {
  const auto layers =
      known_layers(tabled_network(one.workload, one.phase), one.phase, one.batch_size, rules);
  if (!layers) return {};
  RoofChoice choice;
  Named fastest, thriftiest;
  for (const ModeFigures& mode : one.figures) {
    const ModeRoofs* own = roofs.of(mode.mode);
    if (!own) continue;
    ++choice.modes;
    const BoundWorkload bound = bind_layers(*layers, *own, roofs.provenance);
    fastest.consider(mode, bound.roof_s);
    thriftiest.consider(mode, bound.energy_j);
  }
  if (choice.modes < 2 || !fastest.mode) return {};
  choice.fastest = *fastest.mode;
  choice.time_excess =
      choice.fastest.ms / std::ranges::min(one.figures, {}, &ModeFigures::ms).ms - 1;
  if (thriftiest.mode) {
    choice.thriftiest = *thriftiest.mode;
    choice.energy_excess = choice.thriftiest->joules() / one.least.joules() - 1;
  }
  return choice;
}

Json roof_choice_json(const std::optional<RoofChoice>& choice) {
  if (!choice) return nullptr;
  const bool energy = choice->thriftiest.has_value();
  return {{"modes", choice->modes},
          {"least_time", figures_json(choice->fastest)},
          {"time_excess_pct", 100 * choice->time_excess},
          {"least_energy", energy ? figures_json(*choice->thriftiest) : Json(nullptr)},
          {"energy_excess_pct", energy ? Json(100 * choice->energy_excess) : Json(nullptr)}};
}

std::string tuner_verdict(std::span<const EnergyCase> cases,
                          std::span<const std::optional<RoofChoice>> choices) {
  std::vector<double> time, energy;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!choices[i] || !cases[i].doubt().empty()) continue;
    time.push_back(100 * choices[i]->time_excess);
    if (choices[i]->thriftiest) energy.push_back(100 * choices[i]->energy_excess);
  }
  if (time.empty()) return "";
  std::string text = fmt::format(
      "As a tuner, by roofs of the other networks alone, the roofline names a mode whose time is "
      "{} above the least",
      spread_text(time));
  if (!energy.empty())
    text += fmt::format(", and one whose energy is {} above the least", spread_text(energy));
  return text + fmt::format(", in {} case{}.", time.size(), time.size() == 1 ? "" : "s");
}

}  // namespace flyball
