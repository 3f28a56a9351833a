// The document of `flyball fleet choose --json`.
#include "answers/infeasible.h"
#include "base/json.h"
#include "fleet/choose.h"
#include "fleet/kind_json.h"

namespace flyball {
namespace {

Json asked_json(const FleetQuestion& question) {
  const FleetLimits& limits = question.limits;
  return {{"workload", question.training.network.name},
          {"samples", question.training.network.samples},
          {"epochs", question.epochs},
          {"work", question.each ? "each" : "shared"},
          {"unused", question.unused_idles ? "idle" : "off"},
          {"batch_size", question.training.batch_size},
          {"loader_workers", question.training.loader_workers},
          {"prefetch", question.training.prefetch},
          {"objective", fleet_objective_name(question.objective)},
          {"deadline_s", or_null(limits.deadline_s)},
          {"power_budget_w", or_null(limits.power_w)},
          {"count", limits.count ? Json(*limits.count) : Json(nullptr)},
          {"text", limits.text(question.each)}};
}

Json plan_json(const FleetAnswer& answer) {
  if (!answer.plan) return nullptr;
  Json groups = Json::array();
  for (const FleetGroup& group : answer.plan->groups) {
    const FleetKind& kind = answer.kinds[group.kind];
    const FleetMode& mode = kind.front[group.mode];
    groups.push_back({{"board", kind.name},
                      {"title", kind.title},
                      {"boards", group.boards},
                      {"config", mode.config},
                      {"minibatch_ms", mode.minibatch_ms},
                      {"power_w", mode.power_w},
                      {"provenance", provenance_name(mode.known)},
                      {"samples", group.samples},
                      {"finished_s", group.finished_s},
                      {"energy_j", group.energy_j}});
  }
  return {{"groups", groups},
          {"boards", answer.plan->boards},
          {"time_s", answer.plan->time_s},
          {"power_w", answer.plan->power_w},
          {"energy_j", answer.plan->energy_j},
          {"waiting_j", answer.plan->waiting_j}};
}

}  // namespace

Json to_json(const FleetAnswer& answer) {
  const bool chosen = answer.plan.has_value();
  Json kinds = Json::array(), without = Json::array();
  for (const FleetKind& kind : answer.kinds) kinds.push_back(fleet_kind_json(kind));
  for (const WithoutLimit& one : answer.without)
    without.push_back({{"limit", one.limit}, {"value", one.value}});
  return {{"asked", asked_json(answer.question)},
          {"kinds", kinds},
          {"choice", plan_json(answer)},
          {"value", chosen ? Json(answer.value) : Json(nullptr)},
          {"bound", chosen ? Json(answer.bound) : Json(nullptr)},
          {"gap_pct", chosen ? Json(answer.gap_pct()) : Json(nullptr)},
          {"exact", answer.exact},
          {"without", without},
          {"nearest_deadline_s", or_null(answer.nearest_deadline_s)},
          {"nearest_power_w", or_null(answer.nearest_power_w)},
          {"text", chosen ? Json(fleet_sentence(answer)) : Json(nullptr)},
          {"infeasible", answer.infeasible ? infeasible_json(*answer.infeasible) : Json(nullptr)},
          {"notes", answer.notes}};
}

}  // namespace flyball
