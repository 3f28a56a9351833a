// The document of `flyball fleet rounds --json`.
#include "answers/infeasible.h"
#include "base/json.h"
#include "fleet/kind_json.h"
#include "fleet/rounds/rounds.h"

namespace flyball {
namespace {

Json drawn_json(const std::optional<DrawnClients>& drawn) {
  if (!drawn) return nullptr;
  return {{"samples", drawn->samples},          {"samples_spread", drawn->samples_spread},
          {"available", drawn->available},      {"dropout", drawn->dropout},
          {"transfer_s", drawn->transfer_s},    {"transfer_spread", drawn->transfer_spread},
          {"board_spread", drawn->board_spread}};
}

Json asked_rounds_json(const RoundsQuestion& question) {
  const RoundRules& rules = question.rules;
  return {{"workload", question.training.network.name},
          {"batch_size", question.training.batch_size},
          {"loader_workers", question.training.loader_workers},
          {"prefetch", question.training.prefetch},
          {"local_epochs", rules.local_epochs},
          {"deadline_s", rules.deadline_s},
          {"energy_budget_j", or_null(rules.energy_j)},
          {"count", rules.count ? Json(*rules.count) : Json(nullptr)},
          {"straggling", rules.straggling},
          {"gain", question.proxy.gain},
          {"target", question.proxy.target},
          {"most_rounds", question.proxy.most_rounds},
          {"seed", question.seed},
          {"drawn", drawn_json(question.drawn)}};
}

Json round_group_json(const RoundsAnswer& answer, const RoundGroup& group) {
  const FleetKind& kind = answer.kinds[group.kind];
  return {{"board", kind.name},
          {"title", kind.title},
          {"clients", group.clients},
          {"config", group.mode.config},
          {"minibatch_ms", group.mode.minibatch_ms},
          {"power_w", group.mode.power_w},
          {"provenance", provenance_name(group.mode.known)},
          {"samples", group.samples},
          {"longest_s", group.longest_s},
          {"on_time", group.on_time},
          {"energy_j", group.energy_j}};
}

Json first_json(const RoundsAnswer& answer) {
  if (!answer.first) return nullptr;
  Json groups = Json::array();
  for (const RoundGroup& group : answer.first->groups)
    groups.push_back(round_group_json(answer, group));
  return {{"groups", groups},
          {"clients", answer.first->asked.size()},
          {"progress", answer.first->progress},
          {"energy_j", answer.first->energy_j},
          {"gap_pct", answer.first->gap_pct},
          {"exact", answer.first->exact},
          {"text", round_sentence(answer)}};
}

Json strategy_json(const SimulatedRounds& one) {
  return {{"strategy", round_strategy_name(one.strategy)},
          {"summary", round_strategy_summary(one.strategy)},
          {"rounds", one.rounds},
          {"reached", one.reached},
          {"progress", one.progress},
          {"covered", one.covered},
          {"time_s", one.sum.time_s},
          {"energy_j", one.sum.energy_j},
          {"wasted_j", one.sum.wasted_j},
          {"invited", one.sum.invited},
          {"arrived", one.sum.arrived},
          {"late", one.sum.late},
          {"dropped", one.sum.dropped},
          {"fairness", one.fairness},
          {"most_gap_pct", one.most_gap_pct}};
}

}  // namespace

Json to_json(const RoundsAnswer& answer) {
  Json kinds = Json::array(), strategies = Json::array();
  for (const FleetKind& kind : answer.kinds) kinds.push_back(fleet_kind_json(kind));
  for (const SimulatedRounds& one : answer.strategies) strategies.push_back(strategy_json(one));
  return {{"asked", asked_rounds_json(answer.question)},
          {"kinds", kinds},
          {"clients", answer.clients},
          {"available", answer.available},
          {"samples", answer.samples},
          {"round", first_json(answer)},
          {"strategies", strategies},
          {"text", answer.first ? Json(rounds_sentence(answer)) : Json(nullptr)},
          {"infeasible", answer.infeasible ? infeasible_json(*answer.infeasible) : Json(nullptr)},
          {"notes", answer.notes}};
}

}  // namespace flyball
