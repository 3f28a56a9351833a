#include "tune/request.h"

#include <fmt/format.h>

#include <cmath>

#include "answers/per_text.h"
#include "base/json.h"

namespace flyball {
namespace {

// Batch size of the default: its axis, else the job's; 0 when unknown.
double default_batch(const Profiler& profiler) {
  const auto axis = profiler.space().axis_index(axis::batch_size);
  if (axis) return profiler.space().row(profiler.default_config())[*axis];
  const auto fixed = profiler.info().job.find(axis::batch_size);
  return fixed == profiler.info().job.end() ? 0 : fixed->second;
}

// What one epoch's budget leaves for a minibatch, or for a sample where the batch size is open.
Result<double> share_of_epoch(const Profiler& profiler, double samples, bool per_sample,
                              Caller caller) {
  if (per_sample) return 1 / samples;
  const double batch = default_batch(profiler);
  if (batch > 0) return 1 / std::ceil(samples / batch);
  return Error{Code::invalid_argument, "the batch size is not known, so an epoch has no length",
               fmt::format("leave {} out: the budget is then that of a minibatch",
                           option_name(caller, "samples"))};
}

// What the budgets of a tune cover: those of a plan are of what its problem counts.
Status find_span(const Request& request, const Profiler& profiler, bool whole_runs, Asked& asked) {
  if (whole_runs && request.samples > 0)
    return Error{Code::invalid_argument, "--samples counts minibatches, and the program marks none",
                 "leave it out: budgets are then those of a run; or mark the minibatches "
                 "(docs/your-model.md)"};
  if (!whole_runs)
    asked.samples = request.samples > 0 ? request.samples : profiler.info().samples_per_epoch;
  asked.budget_span = asked.samples > 0 ? "epoch" : whole_runs ? "run" : "minibatch";
  if (request.time_budget_s == unlimited && request.energy_budget_j == unlimited) return {};
  const bool per_sample = asked.per == Per::sample;
  if (asked.samples > 0) {
    FLYBALL_ASSIGN(asked.share,
                   share_of_epoch(profiler, asked.samples, per_sample, request.caller));
  } else if (per_sample) {
    return Error{Code::invalid_argument,
                 "a time or energy budget needs the number of samples when the batch size is open",
                 fmt::format("give {}: the budget is then that of an epoch",
                             option_text(option_name(request.caller, "samples"), "60000"))};
  }
  return {};
}

// Against what a slowdown is.
Result<size_t> default_of(const MeasuredRole& role) {
  const ProfilerInfo& info = role.profiler->info();
  const auto usual = role.usual();
  // A table's default is its row of the highest mode, or what comes nearest to that.
  if (usual && (info.live || info.default_is_highest)) return *usual;
  return Error{
      Code::invalid_argument,
      fmt::format("a slowdown is against the default, and {} has none{}", info.device_title,
                  info.live ? "" : ": no row that is chosen is the highest of each board axis"),
      "give a time budget, or choose among modes of which the default is one"};
}

}  // namespace

Result<Asked> make_problem(const Request& request, const SharedBoard& board, bool whole_runs) {
  Asked asked;
  Problem problem;
  problem.candidates = board.candidates;
  problem.roles = roles_of(request, board.workloads());
  problem.objective = objective_of(request, board.workloads());
  problem.separate_modes = request.separate_modes;
  problem.preference = request.prefer;
  problem.margin = request.margin;
  problem.switch_ms = request.switch_ms;
  problem.switch_j = request.switch_j;
  problem.idle_w = request.idle_w;
  const bool served = !counted_by(board.info(0)).empty();
  problem.per_sample =
      !whole_runs && !served && trains_in_several_batches(*problem.candidates, problem.roles);
  asked.per = whole_runs ? Per::run : problem.per_sample ? Per::sample : Per::minibatch;
  if (request.is_tune())
    FLYBALL_CHECK(find_span(request, *board.roles.front().profiler, whole_runs, asked));
  problem.samples = asked.samples;
  problem.budgets = {request.power_budget_w, request.time_budget_s * 1e3 * asked.share,
                     request.energy_budget_j * asked.share, request.slowdown};
  if (request.slowdown != unlimited) {
    FLYBALL_ASSIGN(problem.usual, default_of(board.roles.front()));
  }
  asked.problem = std::make_shared<const Problem>(std::move(problem));
  return asked;
}

Status answer_request(const Request& request, const SharedBoard& board, Store* store,
                      const SessionListener& listener,
                      const std::vector<std::shared_ptr<const Problem>>& problems, Json details,
                      const std::function<Result<Json>(Session&)>& work) {
  FLYBALL_ASSIGN(const auto session, Session::open(board.roles, request, store, listener));
  for (const auto& problem : problems) FLYBALL_CHECK(session->check(problem));
  Json asked = request_json(request, board.workloads());
  asked.update(details);
  return session->answer(request.command, std::move(asked), [&] { return work(*session); });
}

}  // namespace flyball
