#include "telemetry/sampling/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/statistics.h"
#include "telemetry/sampling/counter.h"

namespace flyball {
namespace {

double seconds(int64_t from_ns, int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-9;
}

// A stretch over which power goes linearly from one value to another.
struct Segment {
  int64_t begin_ns, end_ns;
  double begin_w, end_w;
  bool known;  // false: nobody knows what happened in it
};

// The samples in the window and one more on either side.
std::span<const Sample> around(const std::vector<Sample>& samples, int64_t begin, int64_t end) {
  auto first = std::ranges::upper_bound(samples, begin, {}, &Sample::time_ns);
  auto last = std::ranges::lower_bound(samples, end, {}, &Sample::time_ns);
  if (first != samples.begin()) --first;
  if (last != samples.end()) ++last;
  if (first >= last) return {};
  return {first, last};
}

std::vector<Segment> power_segments(const Trace& trace, std::span<const Sample> samples) {
  std::vector<Segment> segments;
  const double gap_s = trace.gap_s();
  for (size_t i = 1; i < samples.size(); ++i) {
    const Sample &a = samples[i - 1], &b = samples[i];
    const bool known = seconds(a.time_ns, b.time_ns) <= gap_s;
    segments.push_back({a.time_ns, b.time_ns, a.value, b.value, known});
  }
  return segments;
}

// A counter says nothing of its course between two readings, but all of the amount.
std::vector<Segment> counter_segments(const Trace& trace, std::span<const Sample> samples,
                                      EnergyWindow& window) {
  std::vector<Segment> segments;
  UnwrappedCounter counter(trace.info);
  double before = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double amount = counter.add(samples[i].time_ns, samples[i].value);
    if (i > 0) {
      const int64_t begin = samples[i - 1].time_ns, end = samples[i].time_ns;
      const double step_s = seconds(begin, end);
      const double watts = step_s > 0 ? (amount - before) / step_s : 0;
      // After so long a pause the counter may have gone round more than once.
      const bool ambiguous = trace.info.wrap > 0 && step_s > trace.gap_s() &&
                             trace.info.max_rate * step_s > trace.info.wrap;
      segments.push_back({begin, end, watts, watts, !counter.last_was_reset() && !ambiguous});
    }
    before = amount;
  }
  window.wraps = counter.wraps();
  return segments;
}

// Where the trace ends a little short of the window, its nearest value holds.
void hold_edges(std::vector<Segment>& segments, double hold_s, int64_t begin, int64_t end) {
  Segment& first = segments.front();
  if (first.begin_ns > begin && seconds(begin, first.begin_ns) <= hold_s && first.known)
    segments.insert(segments.begin(), {begin, first.begin_ns, first.begin_w, first.begin_w, true});
  Segment& last = segments.back();
  if (last.end_ns < end && seconds(last.end_ns, end) <= hold_s && last.known)
    segments.push_back({last.end_ns, end, last.end_w, last.end_w, true});
}

void integrate(const std::vector<Segment>& segments, int64_t begin, int64_t end,
               EnergyWindow& window) {
  int64_t gap_from = begin;  // everything from here to the next known stretch is unknown
  const auto close_gap = [&](int64_t until) {
    if (until <= gap_from) return;
    const double gap = seconds(gap_from, until);
    ++window.gaps;
    window.gap_s += gap;
    window.longest_gap_s = std::max(window.longest_gap_s, gap);
  };
  for (const Segment& segment : segments) {
    const int64_t from = std::max(begin, segment.begin_ns), to = std::min(end, segment.end_ns);
    if (!segment.known || to <= from) continue;
    close_gap(from);
    gap_from = to;
    const double whole = seconds(segment.begin_ns, segment.end_ns);
    const double slope = (segment.end_w - segment.begin_w) / whole;
    const double middle_s = seconds(segment.begin_ns, from) + seconds(from, to) / 2;
    window.energy_j += (segment.begin_w + slope * middle_s) * seconds(from, to);
    window.covered_s += seconds(from, to);
  }
  close_gap(end);
}

double rectangle_rule(const std::vector<Segment>& segments, int64_t begin, int64_t end) {
  double energy = 0;
  for (const Segment& segment : segments)
    if (segment.end_ns > begin && segment.end_ns <= end)
      energy += segment.end_w * seconds(std::max(begin, segment.begin_ns), segment.end_ns);
  return energy;
}

// Power of every new value: the samples themselves, or the slope since the counter moved last.
std::vector<double> updates(const Trace& trace, std::span<const Sample> samples, int64_t begin,
                            int64_t end) {
  std::vector<double> values;
  const bool counter = trace.info.kind == SensorKind::energy_counter;
  UnwrappedCounter unwrapped(trace.info);
  const Sample* changed = nullptr;
  double changed_amount = 0;
  for (const Sample& sample : samples) {
    const double amount = counter ? unwrapped.add(sample.time_ns, sample.value) : sample.value;
    if (changed != nullptr && changed->value == sample.value) continue;
    const bool inside = sample.time_ns >= begin && sample.time_ns <= end;
    if (inside && !counter) values.push_back(sample.value);
    if (inside && counter && changed != nullptr && !unwrapped.last_was_reset())
      values.push_back((amount - changed_amount) / seconds(changed->time_ns, sample.time_ns));
    changed = &sample;
    changed_amount = amount;
  }
  return values;
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
  window.window_s = seconds(begin_ns, end_ns);
  const auto samples = around(trace.samples, begin_ns, end_ns);
  std::vector<Segment> segments =
      counter ? counter_segments(trace, samples, window) : power_segments(trace, samples);
  if (!segments.empty()) {
    const double hold_s = 2 * std::max(trace.period_s, trace.info.period_s);
    hold_edges(segments, hold_s, begin_ns, end_ns);
    integrate(segments, begin_ns, end_ns, window);
  }
  if (window.covered_s <= 0)
    return Error{
        Code::unavailable,
        fmt::format("{} has no samples in a window of {:.3f} s{}", trace.info.name, window.window_s,
                    trace.stats.last_error.empty() ? "" : ": " + trace.stats.last_error),
        "sample faster than the window is long"};
  window.mean_w = window.energy_j / window.covered_s;
  window.rectangle_j = rectangle_rule(segments, begin_ns, end_ns);
  for (const Sample& sample : samples)
    window.samples += sample.time_ns >= begin_ns && sample.time_ns <= end_ns;
  const auto values = updates(trace, samples, begin_ns, end_ns);
  window.distinct_updates = static_cast<int>(values.size());
  window.noise = relative_noise(values);
  window.min_w = values.empty() ? window.mean_w : std::ranges::min(values);
  window.max_w = values.empty() ? window.mean_w : std::ranges::max(values);
  return window;
}

EnergyWindow sum_of_parts(const std::vector<EnergyWindow>& parts) {
  if (parts.empty()) return {};
  EnergyWindow sum = parts.front();
  double variance = std::pow(sum.noise * sum.mean_w, 2);
  for (size_t i = 1; i < parts.size(); ++i) {
    const EnergyWindow& part = parts[i];
    sum.energy_j += part.energy_j;
    sum.mean_w += part.mean_w;
    sum.rectangle_j += part.rectangle_j;
    sum.min_w += part.min_w;
    sum.max_w += part.max_w;
    sum.samples += part.samples;
    sum.wraps += part.wraps;
    variance += std::pow(part.noise * part.mean_w, 2);
    sum.distinct_updates = std::min(sum.distinct_updates, part.distinct_updates);
    sum.longest_gap_s = std::max(sum.longest_gap_s, part.longest_gap_s);
    if (part.gap_s <= sum.gap_s) continue;
    sum.gap_s = part.gap_s;
    sum.gaps = part.gaps;
    sum.covered_s = part.covered_s;
  }
  sum.noise = sum.mean_w > 0 ? std::sqrt(variance) / sum.mean_w : 0;
  return sum;
}

Result<EnergyWindow> total_between(const std::vector<Trace>& traces, const std::string& total,
                                   int64_t begin_ns, int64_t end_ns) {
  std::vector<EnergyWindow> parts;
  for (const Trace& trace : traces) {
    if (total.empty() || trace.info.total != total) continue;
    FLYBALL_ASSIGN(const EnergyWindow part, energy_between(trace, begin_ns, end_ns));
    parts.push_back(part);
  }
  if (!parts.empty()) return sum_of_parts(parts);
  return Error{Code::unavailable, fmt::format("no sensor belongs to the total '{}'", total),
               "totals here: " + fmt::format("{}", fmt::join(totals_of(traces), ", "))};
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
