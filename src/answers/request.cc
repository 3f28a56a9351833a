#include "answers/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "space/table_hash.h"

namespace flyball {
namespace {

// What only plans have.
void add_roles(const Request& request, const Workloads& workloads, Json& json) {
  json["separate_modes"] = request.separate_modes;
  json["switch_ms"] = request.switch_ms;
  if (request.switch_j > 0) json["switch_j"] = request.switch_j;
  if (!request.idle_w.empty()) json["idle_w"] = request.idle_w;
  const std::vector<Role> roles = roles_of(request, workloads);
  for (size_t i = 0; i < roles.size(); ++i)
    json["roles"].push_back({{"workload", roles[i].workload},
                             {"phase", phase_name(roles[i].phase)},
                             {"rate_hz", roles[i].rate_hz},
                             {"latency_ms", or_null(roles[i].latency_ms)},
                             {"fingerprint", workloads[i]->fingerprint}});
}

void add_options(const SessionOptions& options, Json& json) {
  if (!options.limits.empty()) json["limits"] = limits_json(options.limits);
  json["profiles_limit"] = options.profiles;
  if (options.gap > 0) json["gap_pct"] = 100 * options.gap;
  if (options.time_limit_s != unlimited) json["time_limit_s"] = options.time_limit_s;
  json["strategy"] = options.strategy;
  json["predictor"] = options.predictor;
  json["seed"] = options.seed;
  json["references"] = Json::array();
  for (const WorkloadTable& reference : options.references)
    json["references"].push_back(reference.title());
  for (const auto& prior : options.priors)
    if (prior)
      json["priors"].push_back(fmt::format("{} ({:016x})", prior->title(), content_hash(*prior)));
}

}  // namespace

Role role_of(const ProfilerInfo& info) {
  Role role{info.workload, info.phase};
  role.device = info.device;
  if (const auto fixed = info.job.find(axis::batch_size); fixed != info.job.end())
    role.batch_size = fixed->second;
  role.power_total = info.power_total;
  role.cost = info.cost;
  return role;
}

std::vector<Role> roles_of(const Request& request, const Workloads& workloads) {
  std::vector<Role> roles;
  size_t service = 0;
  for (const ProfilerInfo* info : workloads) {
    Role& role = roles.emplace_back(role_of(*info));
    if (roles.size() <= request.priors.size()) role.prior = request.priors[roles.size() - 1];
    if (role.phase != Phase::infer) continue;
    role.offline = request.is_tune();
    role.rate_hz = of_service(request.rates_hz, service, 0);
    role.latency_ms = of_service(request.latencies_ms, service, unlimited);
    ++service;
  }
  return roles;
}

Objective objective_of(const Request& request, const Workloads& workloads) {
  if (request.objective) return *request.objective;
  const bool trains = workloads.front()->phase == Phase::train;
  const bool serves = workloads.back()->phase == Phase::infer;
  if (request.is_tune() || !serves) return Objective::time;
  if (trains) return Objective::throughput;
  return request.kind == "dynamic" ? Objective::power : Objective::latency;
}

bool Request::needs_power() const {
  const bool counts = objective ? *objective == Objective::power || *objective == Objective::energy
                                : kind == "dynamic";
  return counts || power_budget_w != unlimited || energy_budget_j != unlimited;
}

double of_service(const std::vector<double>& figures, size_t which, double otherwise) {
  return figures.empty() ? otherwise : figures[std::min(which, figures.size() - 1)];
}

LimitFlag limit_flag(Constraint constraint, Caller caller, double epoch_share) {
  const bool epoch = epoch_share > 0;
  switch (constraint) {
    case Constraint::time:
      return {option_name(caller, "time-budget"), epoch ? "s" : "ms", epoch ? 1e3 * epoch_share : 1,
              epoch ? "epoch" : ""};
    case Constraint::energy:
      return {option_name(caller, "energy-budget"), "J", epoch ? epoch_share : 1,
              epoch ? "epoch" : ""};
    case Constraint::slowdown:
      return {option_name(caller, "at-most"), "%", 0.01, "", slowdown_figure, 100};
    case Constraint::latency:
      return {option_name(caller, "latency"), "ms"};
    case Constraint::arrival_rate:
      return {option_name(caller, "rate"), "requests/s"};
    case Constraint::none:
      return {option_name(caller, "profiles"), ""};
    default:
      return {option_name(caller, "power-budget"), "W"};
  }
}

Json request_json(const Request& request, const Workloads& workloads) {
  const ProfilerInfo& first = *workloads.front();
  Json json;
  if (request.is_tune()) {
    json["workload"] = first.workload;
    json["phase"] = phase_name(first.phase);
  } else {
    json["problem"] = request.kind;
  }
  json["device"] = first.device;
  json["objective"] = objective_name(objective_of(request, workloads));
  json["power_budget_w"] = or_null(request.power_budget_w);
  if (request.is_tune())
    json["time_budget_s"] = or_null(request.time_budget_s);
  else
    json["time_budget_ms"] = or_null(request.time_budget_s * 1e3);
  json["energy_budget_j"] = or_null(request.energy_budget_j);
  if (request.slowdown != unlimited)
    json["slowdown_limit_pct"] = percent_of_slowdown(request.slowdown);
  if (!request.is_tune()) add_roles(request, workloads, json);
  add_options(request, json);
  return json;
}

Json limits_json(std::span<const FigureLimit> limits) {
  Json all = Json::array();
  for (const FigureLimit& limit : limits)
    all.push_back(
        {{"figure", limit.figure}, {limit.at_most ? "at_most" : "at_least", limit.limit}});
  return all;
}

}  // namespace flyball
