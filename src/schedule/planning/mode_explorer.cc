#include "schedule/planning/mode_explorer.h"

#include <algorithm>

#include "predictors/registry.h"

namespace flyball {
namespace {

constexpr double caution = 2;  // times the upper half of the 90 % interval of a time
constexpr double least_caution =
    1.25;                          // of the mean: what an interval from few readings leaves out
constexpr size_t most_rows = 300;  // of a fit, which takes their cube: of more, each second, …

bool is_known(const Reading& reading) {
  return reading.minibatch_ms > 0 && !(reading.excess > 0);
}

/// Readings of the modes that may be visited alone, as they are predicted.
struct Foreseen {
  Readings mean, upper;  ///< of times; powers are means in both
};

// Nothing is known of an axis that was profiled at one value but there.
bool within_seen_axes(const WorkloadTable& rows, std::span<const double> config) {
  for (size_t d = 0; d < config.size(); ++d) {
    bool varies = false;
    for (size_t i = 1; i < rows.size() && !varies; ++i)
      varies = rows.space.row(i)[d] != rows.space.row(0)[d];
    if (!varies && config[d] != rows.space.row(0)[d]) return false;
  }
  return true;
}

Status foresee(const Problem& problem, const Readings& known, size_t role,
               const std::set<size_t>& closed, uint64_t seed, Foreseen& foreseen) {
  const Candidates& all = *problem.candidates;
  const Space& space = all.space(role);
  WorkloadTable rows = empty_table(problem.roles[role], space);
  const auto profiled = static_cast<size_t>(std::ranges::count_if(known[role], is_known));
  size_t number = 0;
  for (size_t c = 0; c < space.size(); ++c)
    if (is_known(known[role][c]) && number++ % (1 + profiled / most_rows) == 0)
      rows.add(space.row(c), known[role][c].minibatch_ms, known[role][c].power_w);
  FLYBALL_ASSIGN(const auto predictor, make_predictor("gp"));
  const Status fitted = predictor->fit(rows, {}, {.seed = seed});
  if (!fitted.ok()) return fitted.error().within(problem.roles[role].workload);
  FLYBALL_ASSIGN(const Prediction seen, predictor->predict(space));
  foreseen.mean.emplace_back(space.size());
  foreseen.upper.emplace_back(space.size());
  for (size_t c = 0; c < space.size(); ++c) {
    if (closed.contains(all.mode_of(role, c)) || !within_seen_axes(rows, space.row(c))) continue;
    const double power_w = seen.power_w.mean.empty() ? not_measured : seen.power_w.mean[c];
    foreseen.mean[role][c] = {seen.minibatch_ms.mean[c], power_w};
    const double mean_ms = seen.minibatch_ms.mean[c];
    const double half_ms = std::max(0.0, seen.minibatch_ms.hi90[c] - mean_ms);
    foreseen.upper[role][c] = {std::max(least_caution * mean_ms, mean_ms + caution * half_ms),
                               power_w};
  }
  return {};
}

}  // namespace

std::set<size_t> known_modes(const Problem& problem, const Readings& readings, size_t role) {
  std::set<size_t> modes;
  for (size_t c = 0; c < readings[role].size(); ++c)
    if (is_known(readings[role][c])) modes.insert(problem.candidates->mode_of(role, c));
  return modes;
}

ModeExplorer::ModeExplorer(const Problem& problem, ExploreOptions options)
    : problem_(problem), options_(options) {}

void ModeExplorer::visited(size_t mode) {
  ++visited_;
  passed_.insert(mode);
}

Result<std::optional<ModePromise>> ModeExplorer::next(
    const Readings& known, std::span<const double> rates_hz,
    const std::optional<SimulatedChoice>& best) const {
  Foreseen foreseen;
  std::set<size_t> closed = known_modes(problem_, known, 0);
  closed.insert(passed_.begin(), passed_.end());
  for (size_t role = 0; role < known.size(); ++role)
    FLYBALL_CHECK(foresee(problem_, known, role, closed, options_.seed, foreseen));
  std::vector<ArrivalSpec> arrivals;
  for (const double rate_hz : rates_hz)
    arrivals.push_back(poisson_arrivals(rate_hz * options_.margin));
  ArrivalPlanOptions plan{.percentile = options_.percentile,
                          .requests = options_.requests,
                          .seed = options_.seed,
                          .stop = options_.stop};
  const ServingProblem likely{&problem_, &foreseen.mean, options_.queue};
  const ServingProblem cautious{&problem_, &foreseen.upper, options_.queue};
  ArrivalPlanner safe(cautious, arrivals, plan);
  const double late_allowed = 0.1 * (1 - options_.percentile / 100);
  plan.allowed = [&](std::span<const size_t> choice) {
    const SimulatedChoice& worst = safe.simulated(choice);
    return worst.late_share <= late_allowed &&
           (!problem_.concurrent() || worst.trainings_per_s > 0);
  };
  ArrivalPlanner planner(likely, arrivals, plan);
  const auto found = planner.plan(problem_.budgets.power_w);
  if (!found) return std::optional<ModePromise>();
  const bool better =
      !best || (problem_.concurrent() ? found->trained_per_s > options_.gain * best->trained_per_s
                                      : options_.gain * found->latency_share < best->latency_share);
  if (!better) return std::optional<ModePromise>();
  return std::optional(ModePromise{problem_.candidates->mode_of(0, found->choice[0]), found->choice,
                                   cautious.plan(found->choice), found->trainings_per_s,
                                   found->p99_ms});
}

}  // namespace flyball
