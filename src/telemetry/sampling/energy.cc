#include "telemetry/sampling/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/statistics.h"
#include "telemetry/sampling/counter.h"
#include "telemetry/sampling/counter_energy.h"
#include "telemetry/sampling/energy_segments.h"

namespace flyball {
namespace {

// The samples in the window and one more on either side.
std::span<const Sample> around(const std::vector<Sample>& samples, int64_t begin, int64_t end) {
  auto first = std::ranges::upper_bound(samples, begin, {}, &Sample::time_ns);
  auto last = std::ranges::lower_bound(samples, end, {}, &Sample::time_ns);
  if (first != samples.begin()) --first;
  if (last != samples.end()) ++last;
  if (first >= last) return {};
  return {first, last};
}

std::vector<PowerSegment> power_segments(const Trace& trace, std::span<const Sample> samples) {
  std::vector<PowerSegment> segments;
  const double gap_s = trace.gap_s();
  for (size_t i = 1; i < samples.size(); ++i) {
    const Sample &a = samples[i - 1], &b = samples[i];
    const bool known = seconds_between(a.time_ns, b.time_ns) <= gap_s;
    segments.push_back({a.time_ns, b.time_ns, a.value, b.value, known});
  }
  return segments;
}

// Where the trace ends a little short of the window, its nearest value holds.
void hold_edges(std::vector<PowerSegment>& segments, double hold_s, int64_t begin, int64_t end) {
  PowerSegment& first = segments.front();
  if (first.begin_ns > begin && seconds_between(begin, first.begin_ns) <= hold_s && first.known)
    segments.insert(segments.begin(), {begin, first.begin_ns, first.begin_w, first.begin_w, true});
  PowerSegment& last = segments.back();
  if (last.end_ns < end && seconds_between(last.end_ns, end) <= hold_s && last.known)
    segments.push_back({last.end_ns, end, last.end_w, last.end_w, true});
}

double rectangle_rule(const std::vector<PowerSegment>& segments, int64_t begin, int64_t end) {
  double energy = 0;
  for (const PowerSegment& segment : segments)
    if (segment.known && segment.end_ns > begin && segment.end_ns <= end)
      energy += segment.end_w * seconds_between(std::max(begin, segment.begin_ns), segment.end_ns);
  return energy;
}

// Every new value in the window.
std::vector<double> updates(std::span<const Sample> samples, int64_t begin, int64_t end) {
  std::vector<double> values;
  const Sample* changed = nullptr;
  for (const Sample& sample : samples) {
    if (changed != nullptr && changed->value == sample.value) continue;
    if (sample.time_ns >= begin && sample.time_ns <= end) values.push_back(sample.value);
    changed = &sample;
  }
  return values;
}

// A rail that nothing draws from, e.g.; not a source that is slower than it was watched for.
bool stands_still(const Trace& trace) {
  const auto& samples = trace.samples;
  if (samples.size() < 2) return false;
  const double watched_s = seconds_between(samples.front().time_ns, samples.back().time_ns);
  return watched_s >= 2 * trace.info.period_s &&
         std::ranges::all_of(
             samples, [&](const Sample& sample) { return sample.value == samples.front().value; });
}

// The standard error of the mean, in W.
double error_w(const EnergyWindow& window) {
  return window.still || window.mean_w == 0 ? 0 : window.noise * window.mean_w;
}

EnergyWindow power_energy_between(const Trace& trace, int64_t begin_ns, int64_t end_ns) {
  EnergyWindow window;
  window.window_s = seconds_between(begin_ns, end_ns);
  const auto samples = around(trace.samples, begin_ns, end_ns);
  std::vector<PowerSegment> segments = power_segments(trace, samples);
  if (segments.empty()) return window;
  const double hold_s = 2 * std::max(trace.period_s, trace.info.period_s);
  hold_edges(segments, hold_s, begin_ns, end_ns);
  integrate(segments, begin_ns, end_ns, window);
  if (window.covered_s <= 0) return window;
  window.mean_w = window.energy_j / window.covered_s;
  window.rectangle_j = rectangle_rule(segments, begin_ns, end_ns);
  const auto values = updates(samples, begin_ns, end_ns);
  window.distinct_updates = static_cast<int>(values.size());
  window.noise = relative_noise(values);
  window.min_w = values.empty() ? window.mean_w : std::ranges::min(values);
  window.max_w = values.empty() ? window.mean_w : std::ranges::max(values);
  return window;
}

Result<std::vector<EnergyWindow>> windows_of(const std::vector<const Trace*>& members,
                                             int64_t begin_ns, int64_t end_ns) {
  std::vector<EnergyWindow> windows;
  for (const Trace* trace : members) {
    FLYBALL_ASSIGN(EnergyWindow window, energy_between(*trace, begin_ns, end_ns));
    windows.push_back(std::move(window));
  }
  return windows;
}

// Where any of them is not known, in order; none touches the next.
std::vector<TimeStretch> union_of_gaps(const std::vector<EnergyWindow>& windows) {
  std::vector<TimeStretch> all, merged;
  for (const EnergyWindow& window : windows)
    all.insert(all.end(), window.missing.begin(), window.missing.end());
  std::ranges::sort(all, {}, &TimeStretch::begin_ns);
  for (const TimeStretch& gap : all) {
    if (merged.empty() || gap.begin_ns > merged.back().end_ns)
      merged.push_back(gap);
    else
      merged.back().end_ns = std::max(merged.back().end_ns, gap.end_ns);
  }
  return merged;
}

// What all of them have measured, from one gap to the next.
Result<EnergyWindow> sum_around(const std::vector<const Trace*>& members,
                                const std::vector<TimeStretch>& missing, const std::string& total,
                                int64_t begin_ns, int64_t end_ns) {
  std::optional<EnergyWindow> sum;
  int64_t from = begin_ns;
  const auto add_until = [&](int64_t until) -> Status {
    if (until <= from) return {};
    FLYBALL_ASSIGN(const auto parts, windows_of(members, from, until));
    const EnergyWindow piece = sum_of_parts(parts);
    sum = sum ? joined(*sum, piece) : piece;
    return {};
  };
  for (const TimeStretch& gap : missing) {
    FLYBALL_CHECK(add_until(gap.begin_ns));
    from = gap.end_ns;
  }
  FLYBALL_CHECK(add_until(end_ns));
  if (!sum)
    return Error{
        Code::unavailable,
        fmt::format("the parts of the total '{}' were never measured at the same time", total), ""};
  sum->window_s = seconds_between(begin_ns, end_ns);
  sum->gap_s = sum->longest_gap_s = 0;
  for (const TimeStretch& gap : missing) {
    const double gap_s = seconds_between(gap.begin_ns, gap.end_ns);
    sum->gap_s += gap_s;
    sum->longest_gap_s = std::max(sum->longest_gap_s, gap_s);
  }
  sum->gaps = static_cast<int>(missing.size());
  sum->missing = missing;
  return *sum;
}

}  // namespace

Result<EnergyWindow> energy_between(const Trace& trace, int64_t begin_ns, int64_t end_ns) {
  const bool counter = trace.info.kind == SensorKind::energy_counter;
  if (!counter && trace.info.kind != SensorKind::power)
    return Error{
        Code::invalid_argument,
        fmt::format("{} measures no power (it is in {})", trace.info.name, trace.info.unit),
        "ask for a power sensor or an energy counter"};
  if (end_ns <= begin_ns)
    return Error{Code::invalid_argument,
                 fmt::format("energy of {} over an empty window", trace.info.name), ""};
  EnergyWindow window;
  if (counter) {
    FLYBALL_ASSIGN(window, counter_energy_between(trace, begin_ns, end_ns));
  } else {
    window = power_energy_between(trace, begin_ns, end_ns);
  }
  if (window.covered_s <= 0)
    return Error{
        Code::unavailable,
        fmt::format("{} has no samples in a window of {:.3f} s{}", trace.info.name, window.window_s,
                    trace.stats.last_error.empty() ? "" : ": " + trace.stats.last_error),
        "sample faster than the window is long"};
  window.still = stands_still(trace);
  window.samples =
      static_cast<int>(std::ranges::upper_bound(trace.samples, end_ns, {}, &Sample::time_ns) -
                       std::ranges::lower_bound(trace.samples, begin_ns, {}, &Sample::time_ns));
  return window;
}

EnergyWindow sum_of_parts(const std::vector<EnergyWindow>& parts) {
  if (parts.empty()) return {};
  EnergyWindow sum = parts.front();
  double variance = std::pow(error_w(sum), 2);
  for (size_t i = 1; i < parts.size(); ++i) {
    const EnergyWindow& part = parts[i];
    sum.energy_j += part.energy_j;
    sum.edge_j += part.edge_j;
    sum.mean_w += part.mean_w;
    sum.rectangle_j += part.rectangle_j;
    sum.min_w += part.min_w;
    sum.max_w += part.max_w;
    sum.samples += part.samples;
    sum.wraps += part.wraps;
    variance += std::pow(error_w(part), 2);
    if (sum.still || (!part.still && part.distinct_updates < sum.distinct_updates))
      sum.distinct_updates = part.distinct_updates;
    sum.still = sum.still && part.still;
  }
  sum.noise = sum.still        ? std::numeric_limits<double>::infinity()
              : sum.mean_w > 0 ? std::sqrt(variance) / sum.mean_w
                               : 0;
  return sum;
}

EnergyWindow joined(const EnergyWindow& earlier, const EnergyWindow& later) {
  EnergyWindow whole = earlier;
  whole.energy_j += later.energy_j;
  whole.edge_j += later.edge_j;
  whole.rectangle_j += later.rectangle_j;
  whole.min_w = std::min(whole.min_w, later.min_w);
  whole.max_w = std::max(whole.max_w, later.max_w);
  whole.window_s += later.window_s;
  whole.covered_s += later.covered_s;
  whole.gap_s += later.gap_s;
  whole.longest_gap_s = std::max(whole.longest_gap_s, later.longest_gap_s);
  whole.gaps += later.gaps;
  whole.missing.insert(whole.missing.end(), later.missing.begin(), later.missing.end());
  whole.samples += later.samples;
  whole.distinct_updates += later.distinct_updates;
  whole.wraps += later.wraps;
  whole.still = earlier.still && later.still;
  whole.mean_w = whole.covered_s > 0 ? whole.energy_j / whole.covered_s : 0;
  double variance = 0;
  int known = 0;
  for (const EnergyWindow* window : {&earlier, &later}) {
    if (!std::isfinite(window->noise)) continue;
    variance += std::pow(window->noise * window->energy_j, 2);
    ++known;
  }
  whole.noise = known == 0            ? std::numeric_limits<double>::infinity()
                : whole.energy_j != 0 ? std::sqrt(variance) / std::abs(whole.energy_j)
                                      : 0;
  return whole;
}

Result<EnergyWindow> total_between(const std::vector<Trace>& traces, const std::string& total,
                                   int64_t begin_ns, int64_t end_ns) {
  std::vector<const Trace*> members;
  for (const Trace& trace : traces)
    if (!total.empty() && trace.info.total == total) members.push_back(&trace);
  if (members.empty())
    return Error{Code::unavailable, fmt::format("no sensor belongs to the total '{}'", total),
                 "totals here: " + fmt::format("{}", fmt::join(totals_of(traces), ", "))};
  FLYBALL_ASSIGN(const auto parts, windows_of(members, begin_ns, end_ns));
  const std::vector<TimeStretch> missing = union_of_gaps(parts);
  if (members.size() == 1 || missing.empty()) return sum_of_parts(parts);
  return sum_around(members, missing, total, begin_ns, end_ns);
}

std::vector<std::string> totals_of(const std::vector<Trace>& traces) {
  std::vector<std::string> totals;
  for (const Trace& trace : traces)
    if (!trace.info.total.empty() && std::ranges::count(totals, trace.info.total) == 0)
      totals.push_back(trace.info.total);
  return totals;
}

PowerReading power_reading(const EnergyWindow& window, const std::string& total, int wanted) {
  PowerReading reading;
  reading.mean_w = window.mean_w;
  reading.noise = window.noise;
  reading.total = total;
  reading.samples_wanted = wanted;
  reading.samples_got = window.samples;
  reading.distinct_updates = window.distinct_updates;
  reading.energy_j = window.energy_j;
  reading.window_s = window.window_s;
  return reading;
}

}  // namespace flyball
