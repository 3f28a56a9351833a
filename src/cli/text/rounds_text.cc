#include "cli/text/rounds_text.h"

#include <fmt/format.h>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/output.h"
#include "cli/text/fleet_text.h"

namespace flyball::cli {
namespace {

std::string training_text(const RoundsAnswer& answer) {
  const RoundsQuestion& question = answer.question;
  return fmt::format(
      "federated training of {}: {} clients, {} samples; {:g} local epoch{}, batch size {:g}, {:g} "
      "loader workers\n",
      question.training.network.name, answer.clients, format_number(answer.samples),
      question.rules.local_epochs, question.rules.local_epochs == 1 ? "" : "s",
      question.training.batch_size, question.training.loader_workers);
}

std::string rules_text(const RoundRules& rules) {
  std::string text = "deadline " + format_seconds({rules.deadline_s});
  if (rules.energy_j) text += ", energy ≤ " + format_joules(*rules.energy_j);
  if (rules.count) text += fmt::format(", at most {} clients", *rules.count);
  return text;
}

std::string groups_text(const RoundsAnswer& answer) {
  TextTable table({"board", "clients", "mode", "minibatch ms", "power W", "samples", "longest",
                   "on time %", "energy", "known"});
  for (const RoundGroup& group : answer.first->groups)
    table.add({answer.kinds[group.kind].name, fmt::format("{}", group.clients),
               fleet_mode_text(group.mode.config), number(group.mode.minibatch_ms, 4),
               number(group.mode.power_w, 4), format_number(group.samples),
               format_seconds({group.longest_s}), fmt::format("{:.1f}", 100 * group.on_time),
               format_joules(group.energy_j), provenance_name(group.mode.known)});
  return table.str();
}

std::string strategies_text(const RoundsAnswer& answer) {
  TextTable table({"strategy", "rounds", "progress %", "time", "energy", "wasted %", "asked",
                   "late", "gone", "fairness"});
  for (const SimulatedRounds& one : answer.strategies)
    table.add({round_strategy_name(one.strategy), fmt::format("{}", one.rounds),
               fmt::format("{:.1f}", 100 * one.progress), format_seconds({one.sum.time_s}),
               format_joules(one.sum.energy_j),
               fmt::format("{:.1f}",
                           one.sum.energy_j > 0 ? 100 * one.sum.wasted_j / one.sum.energy_j : 0.0),
               fmt::format("{}", one.sum.invited), fmt::format("{}", one.sum.late),
               fmt::format("{}", one.sum.dropped), fmt::format("{:.3f}", one.fairness)});
  std::string text = table.str();
  for (const RoundStrategy one : round_strategies)
    text += fmt::format("{}: {}\n", round_strategy_name(one), round_strategy_summary(one));
  return text;
}

}  // namespace

std::string fleet_rounds_text(const RoundsAnswer& answer) {
  std::string text = training_text(answer) + "\n" + fleet_kinds_text(answer.kinds);
  text += fmt::format("\nasked: {}; progress of {:g} % at a gain of {:g}, seed {}\n",
                      rules_text(answer.question.rules), 100 * answer.question.proxy.target,
                      answer.question.proxy.gain, answer.question.seed);
  if (answer.first) {
    text += "\n" + groups_text(answer) + "\n" + round_sentence(answer) + "\n";
    text += "\n" + strategies_text(answer) + "\n" + rounds_sentence(answer) + "\n";
  }
  text += "\n";
  for (const std::string& note : answer.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace flyball::cli
