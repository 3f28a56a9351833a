#include "schedule/planning/preference_front.h"

#include <algorithm>

#include "base/random.h"
#include "schedule/planning/arrival_plan.h"

namespace flyball {
namespace {

double simulated_s(const std::vector<ArrivalSpec>& arrivals, double requests) {
  double slowest_hz = unlimited, longest_s = 0;
  for (const ArrivalSpec& spec : arrivals) {
    slowest_hz = std::min(slowest_hz, spec.rate_hz);
    longest_s = std::max(longest_s, spec.seconds().value_or(0));
  }
  constexpr double least_s = 30;
  return longest_s > 0 ? longest_s : std::max(least_s, requests / slowest_hz);
}

// `gathers` 0: as the preference weighs it.
PreferencePoint run_with(const ServingProblem& live, std::span<const size_t> choice,
                         const std::vector<ArrivalSpec>& arrivals,
                         const PreferenceFrontOptions& options, int64_t gathers) {
  Simulation asked = live.simulation(choice);
  std::vector<std::unique_ptr<ArrivalSource>> sources;
  for (size_t s = 0; s < arrivals.size(); ++s) {
    asked.services[s].rate_hz = arrivals[s].rate_hz;
    asked.services[s].gathers = gathers;
    sources.push_back(make_arrivals(arrivals[s], mix_seed(options.seed, s)));
    asked.arrivals.push_back(sources.back().get());
  }
  asked.seconds = simulated_s(arrivals, options.requests);
  asked.seed = options.seed;
  const ServingResult result = simulate(std::move(asked));
  const ServiceResult& service = result.services.back();
  PreferencePoint point{.gathers = gathers == until_deadlines ? 0 : gathers};
  point.median_ms = service.latency.quantile_ms(0.5);
  point.high_ms = latency_at(service, options.percentile);
  point.late_share = service.late_share();
  point.trainings_per_s =
      static_cast<double>(result.trainings.front().minibatches) / result.seconds;
  if (service.batches > 0)
    point.mean_batch = static_cast<double>(service.samples) / static_cast<double>(service.batches);
  return point;
}

// A preference is not had at the price of the limit.
bool in_time(const PreferencePoint& point, const PreferenceFrontOptions& options) {
  return point.late_share <= may_be_late(options.percentile);
}

bool beats(const PreferencePoint& one, const PreferencePoint& other) {
  return one.median_ms <= other.median_ms && one.trainings_per_s >= other.trainings_per_s &&
         (one.median_ms < other.median_ms || one.trainings_per_s > other.trainings_per_s);
}

}  // namespace

std::vector<PreferencePoint> preference_front(const ServingProblem& live,
                                              std::span<const size_t> choice,
                                              const std::vector<ArrivalSpec>& arrivals,
                                              const PreferenceFrontOptions& options) {
  if (live.problem->roles.front().serves()) return {};
  const RunningPlan plan = live.plan(choice);
  std::vector<PreferencePoint> points;
  for (int64_t gathers = 1; gathers <= plan.largest_batch.back(); gathers *= 2)
    points.push_back(run_with(live, choice, arrivals, options, gathers));
  points.push_back(run_with(live, choice, arrivals, options, until_deadlines));
  std::erase_if(points, [&](const auto& point) { return !in_time(point, options); });
  PreferencePoint chosen = run_with(live, choice, arrivals, options, 0);
  chosen.chosen = true;
  std::vector<PreferencePoint> front;
  for (const PreferencePoint& point : points)
    if (std::ranges::none_of(points, [&](const auto& other) { return beats(other, point); }))
      front.push_back(point);
  front.push_back(chosen);
  std::ranges::stable_sort(front, {}, &PreferencePoint::median_ms);
  return front;
}

}  // namespace flyball
