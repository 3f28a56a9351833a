#include "telemetry/sampling/counter_energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "base/clock.h"
#include "base/statistics.h"
#include "telemetry/sampling/counter_timeline.h"
#include "telemetry/sampling/energy_segments.h"

namespace flyball {
namespace {

constexpr int kStepsAround = 6;  // an edge is judged by the steps before and after it

std::span<const Sample> around(const Trace& trace, int64_t begin, int64_t end) {
  const double margin_s = kStepsAround * (CounterTimeline::step_s(trace) + trace.period_s);
  const auto margin = nanoseconds(margin_s);
  const auto& samples = trace.samples;
  auto first = std::ranges::upper_bound(samples, begin - margin, {}, &Sample::time_ns);
  auto last = std::ranges::lower_bound(samples, end + margin, {}, &Sample::time_ns);
  if (first != samples.begin()) --first;
  if (last != samples.end()) ++last;
  if (first >= last) return {};
  return {first, last};
}

// A counter says nothing of its course between two updates, but all of the amount. Before the first
// and after the last one it goes as it does beside them: as far as it was read, and a little more.
std::vector<PowerSegment> segments_of(const CounterTimeline& counter, double hold_s, int64_t begin,
                                      int64_t last_sample, int64_t end) {
  std::vector<PowerSegment> segments;
  const auto& knots = counter.knots();
  if (knots.size() < 2) return segments;
  const auto hold = nanoseconds(hold_s);
  const int64_t first = knots.front().time_ns, last = knots.back().time_ns;
  const double first_w = counter.first_watts(), last_w = counter.last_watts();
  if (begin < first && first - begin <= hold)
    segments.push_back({begin, first, first_w, first_w, knots[1].known});
  for (size_t i = 1; i < knots.size(); ++i) {
    const double watts = counter.watts(i);
    segments.push_back({knots[i - 1].time_ns, knots[i].time_ns, watts, watts, knots[i].known});
  }
  const int64_t until = end - last_sample <= hold ? end : last_sample;
  if (until > last) segments.push_back({last, until, last_w, last_w, knots.back().known});
  return segments;
}

// What was counted in the step that holds the whole window; nothing when an update is inside it.
std::optional<double> surrounding_step_j(const CounterTimeline& counter, double step_s,
                                         const EnergyWindow& window, int64_t begin, int64_t end) {
  const auto& knots = counter.knots();
  const auto next = std::ranges::upper_bound(knots, begin, {}, &CounterKnot::time_ns);
  if (next != knots.end() && next->time_ns < end) return {};
  if (next == knots.begin() || next == knots.end())
    return window.mean_w * std::max(step_s, window.window_s);
  return next->amount - (next - 1)->amount;
}

}  // namespace

Result<EnergyWindow> counter_energy_between(const Trace& trace, int64_t begin_ns, int64_t end_ns) {
  const auto samples = around(trace, begin_ns, end_ns);
  const CounterTimeline counter(trace, samples);
  const double step_s = CounterTimeline::step_s(trace);
  EnergyWindow window;
  window.window_s = seconds_between(begin_ns, end_ns);
  window.wraps = counter.wraps();
  const double hold_s = 2 * std::max(trace.period_s, trace.info.period_s);
  const int64_t last_sample = samples.empty() ? begin_ns : samples.back().time_ns;
  const auto segments = counter.knots().empty()
                            ? std::vector<PowerSegment>()
                            : segments_of(counter, hold_s, begin_ns, last_sample, end_ns);
  integrate(segments, begin_ns, end_ns, window);
  if (window.covered_s <= 0 && trace.stats.last_error.empty() && counter.knots().size() == 1)
    return Error{Code::unavailable,
                 fmt::format("{} did not move in a window of {:.3g} s: it updates every {:g} ms",
                             trace.info.name, window.window_s, step_s * 1e3),
                 "measure for longer"};
  if (window.covered_s <= 0) return window;
  window.mean_w = window.energy_j / window.covered_s;
  window.rectangle_j = window.energy_j;
  window.distinct_updates = counter.moves(begin_ns, end_ns);
  const auto values = counter.updates(begin_ns, end_ns);
  window.min_w = values.empty() ? window.mean_w : std::ranges::min(values);
  window.max_w = values.empty() ? window.mean_w : std::ranges::max(values);
  const std::array edges = {
      segments.front().begin_ns <= begin_ns ? counter.bound(begin_ns) : 0,
      segments.back().end_ns >= end_ns ? counter.bound(end_ns) : 0,
  };
  window.edge_j = edges[0] + edges[1];
  const auto whole_j = surrounding_step_j(counter, step_s, window, begin_ns, end_ns);
  // All of the step may have been used inside the window, or nothing of it.
  if (whole_j && step_s > 0)
    window.edge_j = std::max({window.edge_j, window.energy_j, *whole_j - window.energy_j});
  // Each edge lies anywhere within its bound: a uniform distribution.
  const double edges_error_j = std::hypot(edges[0], edges[1]) / std::sqrt(3.0);
  window.noise = relative_noise(values);
  if (edges_error_j > 0) window.noise = std::hypot(window.noise, edges_error_j / window.energy_j);
  return window;
}

}  // namespace flyball
