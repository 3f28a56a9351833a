#include "evaluate/drawn_problems.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

constexpr size_t windows_of_a_problem = 6;

// From the lowest to the highest of the powers; nothing where none is known.
void draw_power(const std::vector<double>& watts, Random& random, ProblemSpec& spec) {
  if (watts.empty()) return;
  const auto [low, high] = std::ranges::minmax(watts);
  spec.budgets.power_w = random.uniform(low, high);
}

/// A configuration that serves, of one or two roles.
struct Service {
  double busy_ms = 0;         ///< for one request of each
  double minibatches_ms = 0;  ///< one of each, added up
  double batch = 0;           ///< the largest
};
void draw_service(const Service& service, Random& random, ProblemSpec& spec) {
  spec.rate_hz = 1e3 * random.uniform(0.3, 1) / service.busy_ms;
  const double window_ms = 1e3 * service.batch / spec.rate_hz;
  spec.latency_ms = (window_ms + service.minibatches_ms) * random.uniform(1, 2);
}

std::vector<double> known(const std::vector<double>& all) {
  std::vector<double> values;
  for (const double value : all)
    if (std::isfinite(value)) values.push_back(value);
  return values;
}

std::vector<double> all_watts(const Readings& readings) {
  std::vector<double> watts;
  for (const std::vector<Reading>& of_role : readings)
    for (const Reading& reading : of_role) watts.push_back(reading.power_w);
  return known(watts);
}

}  // namespace

std::vector<ProblemSpec> draw_problems(ProblemKind kind, const WorkloadTable& table, size_t count,
                                       uint64_t seed) {
  Random random(mix_seed(seed, table.size()));
  const std::vector<double> watts = known(table.power_w);
  const auto batch_axis = table.space.axis_index(axis::batch_size);
  std::vector<ProblemSpec> specs(count);
  for (ProblemSpec& spec : specs) {
    draw_power(watts, random, spec);
    if (kind == ProblemKind::training || table.size() == 0) continue;
    const size_t row = random.below(table.size());
    const double batch = batch_axis ? table.space.row(row)[*batch_axis] : 1;
    const double ms = table.minibatch_ms[row];
    draw_service({ms / batch, ms, batch}, random, spec);
  }
  return specs;
}

std::vector<ProblemSpec> draw_pair_problems(ProblemKind kind, const Candidates& candidates,
                                            const Readings& readings, size_t count, uint64_t seed) {
  Random random(mix_seed(seed, candidates.mode_count()));
  const std::vector<double> watts = all_watts(readings);
  std::vector<ProblemSpec> specs(count);
  for (ProblemSpec& spec : specs) {
    draw_power(watts, random, spec);
    const size_t mode = random.below(candidates.mode_count());
    Service service;
    for (size_t role = kind == ProblemKind::concurrent ? 1 : 0; role < candidates.roles(); ++role) {
      const auto there = candidates.of_mode(role, mode);
      const size_t candidate = there[random.below(there.size())];
      const double ms = readings[role][candidate].minibatch_ms;
      const double batch = candidates.batch(role, candidate);
      service.busy_ms += ms / batch;
      service.minibatches_ms += ms;
      service.batch = std::max(service.batch, batch);
    }
    draw_service(service, random, spec);
  }
  return specs;
}

std::vector<RateWindow> draw_windows(const ProblemSpec& problem, uint64_t seed) {
  Random random(seed);
  std::vector<RateWindow> windows(windows_of_a_problem);
  for (RateWindow& window : windows) {
    window.rate_hz = problem.rate_hz * random.uniform(0.3, 1);
    window.seconds = 60 * static_cast<double>(5 + random.below(16));
  }
  return windows;
}

}  // namespace flyball
