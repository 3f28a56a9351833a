#include "experiment/findings/board_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amounts.h"
#include "base/text.h"
#include "base/units.h"
#include "experiment/alike.h"
#include "experiment/findings/finding_words.h"
#include "space/pareto.h"

namespace flyball {
namespace {

constexpr double near_the_top = 0.9;  // below this share of its highest value a clock was lowered

std::string energy_text(const std::optional<double>& energy_j) {
  return energy_j ? format_joules(*energy_j) : "energy is not measured";
}

/// What the claim of `share-of-the-base-load` (studies/jetson_training.toml) says, which
/// `flyball experiment findings` judges; "" of what it is not about.
std::string published_base(const RunSettings& settings) {
  if (settings.phase != Phase::train) return "";
  if (settings.workload == "lenet5") return "; published of it: 65 to 80 %";
  const bool larger =
      settings.workload == "mobilenet_v3" || settings.workload == "resnet18_cifar10";
  return larger ? "; published of it: 20 to 45 %" : "";
}

/// The groups of which a figure is least and most; null where none has it.
template <class Figure>
std::pair<const Group*, const Group*> extremes(const std::vector<Group>& groups, Figure figure) {
  const Group *least = nullptr, *most = nullptr;
  for (const Group& group : groups) {
    const auto value = figure(group.steady());
    if (!value) continue;
    if (!least || *value < *figure(least->steady())) least = &group;
    if (!most || *value > *figure(most->steady())) most = &group;
  }
  return {least, most};
}

/// Which share of the energy the board draws while nothing trains, beside the published one.
void base_finding(const std::vector<Group>& groups, std::vector<Finding>& list) {
  const auto [least, most] = extremes(groups, [](const EpochAverage& a) { return a.base_pct(); });
  if (!least) return;
  const double low = *least->steady().base_pct(), high = *most->steady().base_pct();
  const bool one_network = least->settings.workload == most->settings.workload;
  list.push_back(
      {fmt::format("Base load, drawn while nothing trains, is {:.0f} % of the energy ({}) to "
                   "{:.0f} % ({}){}.",
                   low, least->label, high, most->label,
                   one_network ? published_base(least->settings) : ""),
       {}});
}

const Group* of_dvfs(const std::vector<Group>& alike, const char* dvfs) {
  const auto found =
      std::ranges::find(alike, dvfs, [](const Group& group) { return group.settings.dvfs; });
  return found == alike.end() ? nullptr : &*found;
}

double highest_of(const std::vector<Group>& groups, const std::string& clock) {
  double highest = 0;
  for (const Group& group : groups)
    for (const ClockResidency& one : group.residency)
      if (one.clock == clock && !one.values.empty())
        highest = std::max(highest, one.values.back().mhz);
  return highest;
}

void residency_findings(const std::vector<Group>& groups, std::vector<Finding>& list) {
  for (const Group& group : groups)
    for (const ClockResidency& clock : group.residency) {
      const double top = highest_of(groups, clock.clock);
      const auto most = std::ranges::max_element(clock.values, {}, &ClockShare::share);
      list.push_back({fmt::format("{}: {} is at {} MHz for {:.0f} % of the time and below {:.0f} % "
                                  "of {} MHz for {:.0f} %.",
                                  group.label, clock.clock, format_number(most->mhz),
                                  100 * most->share, 100 * near_the_top, format_number(top),
                                  100 * clock.below(near_the_top * top)),
                      {}});
    }
}

std::string gpu_words(const Group& group) {
  const EpochAverage& a = group.steady();
  const std::string clock =
      a.gpu_mhz ? fmt::format(" at {} MHz", format_number(std::round(*a.gpu_mhz))) : "";
  return fmt::format("{:.0f} % of the time{} ({})", *a.gpu_load_pct, clock, group.label);
}

void compare_modes(const std::string& others, const std::vector<Group>& alike,
                   std::vector<Finding>& list) {
  const auto add = [&](const std::string& text) {
    list.push_back({others.empty() ? text : others + ": " + text, {}});
  };
  const Group& fastest =
      *std::ranges::min_element(alike, {}, [](const Group& group) { return group.steady().e2e_s; });
  add(fmt::format("The fastest is {}: {} for an epoch, {}.", fastest.label,
                  format_seconds({fastest.steady().e2e_s}),
                  energy_text(fastest.steady().energy_j)));
  const auto front = pareto_modes(alike);
  if (front.empty())
    return add(
        "Which mode is thriftiest is not known here: energy is not "
        "measured.");
  const EpochAverage& thrifty = front.front()->steady();
  add(fmt::format(
      "The thriftiest is {}: {} and {} for an epoch ({} of energy and {} of time "
      "against the fastest).",
      front.front()->label, energy_text(thrifty.energy_j), format_seconds({thrifty.e2e_s}),
      change(*fastest.steady().energy_j, *thrifty.energy_j),
      change(fastest.steady().e2e_s, thrifty.e2e_s)));
  std::vector<std::string> names;
  for (const Group* group : front) names.push_back(group->label);
  add(fmt::format("No other mode is both faster and thriftier than these: {}.", join(names, "; ")));
}

}  // namespace

void gpu_finding(const std::vector<Group>& groups, std::vector<Finding>& list) {
  const auto [least, most] = extremes(groups, [](const EpochAverage& a) { return a.gpu_load_pct; });
  if (!least) return;
  list.push_back({least == most ? fmt::format("The GPU is busy {}.", gpu_words(*least))
                                : fmt::format("The GPU is busy from {} to {}.", gpu_words(*least),
                                              gpu_words(*most)),
                  {}});
}

void dvfs_findings(const ExperimentSpec& spec, const std::vector<Group>& groups,
                   std::vector<Finding>& list) {
  for (const std::vector<Group>& alike : alike_but({"dvfs"}, groups)) {
    const Group *pinned = of_dvfs(alike, "off"), *free = of_dvfs(alike, "on");
    if (!pinned || !free) continue;
    const std::string others = others_label(spec, {"dvfs", "workload"}, pinned->settings);
    const EpochAverage &off = pinned->steady(), &on = free->steady();
    const std::string energy =
        off.energy_j && on.energy_j
            ? fmt::format(" and its energy from {} to {} ({})", format_joules(*off.energy_j),
                          format_joules(*on.energy_j), change(*off.energy_j, *on.energy_j))
            : "; energy is not measured";
    list.push_back({fmt::format("{}{}: with clocks free an epoch goes from {} to {} ({}){}.",
                                pinned->settings.workload, others.empty() ? "" : ", " + others,
                                format_seconds({off.e2e_s}), format_seconds({on.e2e_s}),
                                change(off.e2e_s, on.e2e_s), energy),
                    {}});
  }
  residency_findings(groups, list);
}

std::vector<const Group*> pareto_modes(const std::vector<Group>& groups) {
  std::vector<double> energies, times;
  for (const Group& group : groups) {
    if (!group.steady().energy_j) return {};
    energies.push_back(*group.steady().energy_j);
    times.push_back(group.steady().e2e_s);
  }
  std::vector<const Group*> front;
  for (const size_t group : pareto_front(energies, times)) front.push_back(&groups[group]);
  return front;
}

void mode_findings(const ExperimentSpec& spec, const std::vector<Group>& groups,
                   std::vector<Finding>& list) {
  if (groups.size() < 2) return;
  for (const std::vector<Group>& alike : alike_but({"power_mode"}, groups))
    if (alike.size() > 1)
      compare_modes(others_label(spec, {"power_mode"}, alike.front().settings), alike, list);
  base_finding(groups, list);
}

}  // namespace flyball
