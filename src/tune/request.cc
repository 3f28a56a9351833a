#include "tune/request.h"

#include <fmt/format.h>

#include <cmath>

namespace flyball {
namespace {

bool batch_is_open(const Space& space) {
  const auto axis = space.axis_index(axis::batch_size);
  return axis && space.axes()[*axis].values.size() > 1;
}

Status check_power(const Profiler& profiler, const Problem& problem) {
  if (!problem.needs_power() || profiler.info().power_gap.empty()) return {};
  return Error{Code::unavailable,
               "power is not available on this machine: " + profiler.info().power_gap,
               "ask for objective time without power and energy budgets, or use a board with a "
               "power sensor"};
}

// What one epoch's budget leaves for a minibatch, or for a sample where the batch size is open.
Result<double> share_of_epoch(const Profiler& profiler, double samples, bool per_sample,
                              Caller caller) {
  if (per_sample) return 1 / samples;
  const double batch = batch_size_of(profiler, profiler.default_config());
  if (batch > 0) return 1 / std::ceil(samples / batch);
  return Error{Code::invalid_argument, "the batch size is not known, so an epoch has no length",
               fmt::format("leave {} out: the budget is then that of a minibatch",
                           option_name(caller, "samples"))};
}

}  // namespace

LimitFlag tune_flag(const Asked& asked, Constraint constraint, Caller caller) {
  const bool epoch = asked.budget_span == "epoch";
  if (constraint == Constraint::time)
    return {option_name(caller, "time-budget"), epoch ? "s" : "ms",
            epoch ? 1e3 * asked.share : asked.share};
  if (constraint == Constraint::energy)
    return {option_name(caller, "energy-budget"), "J", asked.share};
  if (constraint == Constraint::none) return {option_name(caller, "profiles"), "", 1};
  return {option_name(caller, "power-budget"), "W", 1};
}

Role role_of(const ProfilerInfo& info) {
  Role role{info.workload, info.phase};
  role.device = info.device;
  role.power_total = info.power_total;
  role.cost = info.cost;
  return role;
}

double batch_size_of(const Profiler& profiler, size_t config) {
  const auto axis = profiler.space().axis_index(axis::batch_size);
  if (axis) return profiler.space().row(config)[*axis];
  const auto fixed = profiler.info().job.find(axis::batch_size);
  return fixed == profiler.info().job.end() ? 0 : fixed->second;
}

Result<Asked> make_problem(const Profiler& profiler, const TuneRequest& request, bool whole_runs) {
  const ProfilerInfo& info = profiler.info();
  Asked asked;
  if (whole_runs && request.samples > 0)
    return Error{Code::invalid_argument, "--samples counts minibatches, and the program marks none",
                 "leave it out: budgets are then those of a run; or mark the minibatches "
                 "(docs/your-model.md)"};
  asked.per = whole_runs                        ? Per::run
              : batch_is_open(profiler.space()) ? Per::sample
                                                : Per::minibatch;
  if (!whole_runs) asked.samples = request.samples > 0 ? request.samples : info.samples_per_epoch;
  asked.budget_span = asked.samples > 0 ? "epoch" : whole_runs ? "run" : "minibatch";

  FLYBALL_ASSIGN(Candidates linked, Candidates::link({profiler.space()}));
  auto candidates = std::make_shared<const Candidates>(std::move(linked));
  Problem problem;
  problem.candidates = candidates;
  problem.roles = {role_of(info)};
  problem.roles[0].offline = info.phase == Phase::infer;
  problem.objective = request.objective;
  problem.per_sample = asked.per == Per::sample;
  problem.samples = asked.samples;
  problem.budgets.power_w = request.power_budget_w;
  if (request.time_budget_s != unlimited || request.energy_budget_j != unlimited) {
    double share = 1;
    if (asked.samples > 0) {
      FLYBALL_ASSIGN(share,
                     share_of_epoch(profiler, asked.samples, problem.per_sample, request.caller));
    } else if (problem.per_sample) {
      return Error{
          Code::invalid_argument,
          "a time or energy budget needs the number of samples when the batch size is open",
          fmt::format("give {}: the budget is then that of an epoch",
                      option_text(option_name(request.caller, "samples"), "60000"))};
    }
    asked.share = share;
    problem.budgets.time_ms = request.time_budget_s * 1e3 * share;
    problem.budgets.energy_j = request.energy_budget_j * share;
  }
  FLYBALL_CHECK(check_power(profiler, problem));
  FLYBALL_CHECK(validate(problem));

  for (size_t candidate = 0; candidate < candidates->size(0); ++candidate)
    asked.config.push_back(*profiler.space().find(candidates->space(0).row(candidate)));
  asked.problem = std::make_shared<const Problem>(std::move(problem));
  return asked;
}

}  // namespace flyball
