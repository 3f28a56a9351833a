#include "cli/text/fleet_text.h"

#include <fmt/format.h>

#include <limits>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

std::string asked_text(const FleetQuestion& question) {
  return fmt::format("training of {}: {} samples{}, {}; batch size {:g}, {:g} loader workers\n",
                     question.training.network.name, format_number(question.samples()),
                     question.epochs == 1 ? "" : fmt::format(" in {:g} epochs", question.epochs),
                     question.each ? "all of them on each board" : "shared by the boards",
                     question.training.batch_size, question.training.loader_workers);
}

std::string plan_text(const FleetAnswer& answer) {
  TextTable table({"board", "boards", "mode", "minibatch ms", "power W", "samples each", "finished",
                   "energy", "known"});
  for (const FleetGroup& group : answer.plan->groups) {
    const FleetKind& kind = answer.kinds[group.kind];
    const FleetMode& mode = kind.front[group.mode];
    const double limit_w =
        answer.question.limits.power_w.value_or(no_limit) / static_cast<double>(group.boards);
    table.add({kind.name, fmt::format("{}", group.boards), fleet_mode_text(mode.config),
               upper_figure(mode.minibatch_ms), upper_figure(mode.power_w, 4, limit_w),
               fmt::format("{:.0f}", group.samples), upper_seconds({group.finished_s}),
               format_joules(group.energy_j), provenance_name(mode.known)});
  }
  return table.str();
}

}  // namespace

std::string fleet_kinds_text(const std::vector<FleetKind>& kinds) {
  TextTable table({"board", "name", "boards", "idle W", "modes", "front"});
  for (const FleetKind& kind : kinds)
    table.add({kind.name, kind.title, fmt::format("{}", kind.boards), or_dash(kind.idle_w),
               fmt::format("{}", kind.known_modes), fmt::format("{}", kind.front.size())});
  return table.str();
}

std::string fleet_mode_text(const Settings& config) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : config)
    if (name != axis::batch_size && name != axis::loader_workers && name != axis::prefetch)
      parts.push_back(name + " " + format_number(value));
  return join(parts, ", ");
}

std::string fleet_choice_text(const FleetAnswer& answer) {
  std::string text = asked_text(answer.question) + "\n" + fleet_kinds_text(answer.kinds);
  text +=
      fmt::format("\nasked: objective {}, {}\n", fleet_objective_name(answer.question.objective),
                  answer.question.limits.text(answer.question.each));
  if (answer.plan) {
    text += "\n" + plan_text(answer) + "\n" + fleet_sentence(answer) + "\n";
    if (answer.plan->waiting_j > 0)
      text += fmt::format("{} of the energy is drawn by boards that wait\n",
                          format_joules(answer.plan->waiting_j));
  }
  text += "\n";
  for (const std::string& note : answer.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace flyball::cli
