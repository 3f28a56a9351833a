#include "recording/summary.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "telemetry/sampling/energy.h"

namespace flyball {
namespace {

constexpr double mean_parts = 100;  // of a step
// Of a counter that moves every 100 ms and is read at 1 kHz its last updates are among as many.
constexpr ptrdiff_t counter_context = 256;

int64_t whole(double value, double step) {
  const double steps = value / step;
  const auto limit = static_cast<double>(largest_in_block);
  return std::llround(std::clamp(steps, -limit, limit));
}

// What energy_between() needs of a stretch: the samples in it and some on either side.
Trace part(const RecordChannel& channel, std::span<const Sample> samples, int64_t begin_ns,
           int64_t end_ns) {
  const ptrdiff_t more = channel.info.kind == SensorKind::energy_counter ? counter_context : 1;
  auto first = std::ranges::lower_bound(samples, begin_ns, {}, &Sample::time_ns);
  auto last = std::ranges::upper_bound(samples, end_ns, {}, &Sample::time_ns);
  first -= std::min(more, first - samples.begin());
  last += std::min(more, samples.end() - last);
  Trace trace{
      .info = channel.info, .period_s = channel.period_s, .samples = {first, last}, .stats = {}};
  if (channel.info.kind == SensorKind::energy_counter) find_repeats(trace);
  return trace;
}

std::optional<RecordSummary> power_summary(const RecordChannel& channel,
                                           std::span<const Sample> samples, int64_t begin,
                                           int64_t end) {
  const int64_t begin_ns = begin * ns_per_tick, end_ns = end * ns_per_tick;
  const Trace trace = part(channel, samples, begin_ns, end_ns);
  if (trace.samples.size() < 2) return {};
  const auto window = energy_between(trace, begin_ns, end_ns);
  if (!window) return {};
  // Counters have updates that lie beside the stretch, whose mean may then lie outside of them.
  return RecordSummary{.begin = begin,
                       .least = std::min(window->min_w, window->mean_w),
                       .mean = window->mean_w,
                       .most = std::max(window->max_w, window->mean_w),
                       .covered_s = window->covered_s};
}

std::optional<RecordSummary> plain_summary(const RecordChannel& channel,
                                           std::span<const Sample> samples, int64_t begin,
                                           int64_t end) {
  const auto first = std::ranges::lower_bound(samples, begin * ns_per_tick, {}, &Sample::time_ns);
  const auto last = std::ranges::lower_bound(samples, end * ns_per_tick, {}, &Sample::time_ns);
  if (first >= last) return {};
  RecordSummary summary{.begin = begin, .least = first->value, .mean = 0, .most = first->value};
  for (const Sample& sample : std::span(first, last)) {
    summary.least = std::min(summary.least, sample.value);
    summary.most = std::max(summary.most, sample.value);
    summary.mean += sample.value / static_cast<double>(last - first);
  }
  const double width_s = static_cast<double>(end - begin) / ticks_per_s;
  summary.covered_s = std::min(width_s, static_cast<double>(last - first) * channel.period_s);
  return summary;
}

RecordSummary merged_one(std::span<const RecordSummary> parts, int64_t begin) {
  RecordSummary all{.begin = begin, .least = parts[0].least, .mean = 0, .most = parts[0].most};
  double weighted = 0;
  for (const RecordSummary& one : parts) {
    all.least = std::min(all.least, one.least);
    all.most = std::max(all.most, one.most);
    weighted += one.mean * one.covered_s;
    all.covered_s += one.covered_s;
  }
  all.mean = all.covered_s > 0 ? weighted / all.covered_s : parts[0].mean;
  return all;
}

}  // namespace

std::vector<RecordSummary> summarise(const RecordChannel& channel, std::span<const Sample> samples,
                                     int64_t begin, int64_t end, int64_t width) {
  std::vector<RecordSummary> all;
  for (int64_t at = begin, until = 0; at < end; at = until) {
    until = std::min(floor_to(at, width) + width, end);
    const auto one = channel.tells_power() ? power_summary(channel, samples, at, until)
                                           : plain_summary(channel, samples, at, until);
    if (one) all.push_back(*one);
  }
  return all;
}

std::vector<RecordSummary> merged(std::span<const RecordSummary> summaries, int64_t width) {
  std::vector<RecordSummary> all;
  for (size_t i = 0; i < summaries.size();) {
    const int64_t begin = floor_to(summaries[i].begin, width);
    size_t end = i + 1;
    while (end < summaries.size() && floor_to(summaries[end].begin, width) == begin) ++end;
    all.push_back(merged_one(summaries.subspan(i, end - i), begin));
    i = end;
  }
  return all;
}

Series series_of(uint32_t number, const RecordChannel& channel,
                 std::span<const RecordSummary> summaries) {
  Series series{.channel = number, .times = {}, .columns = {{}, {}, {}, {}}};
  const double step = channel.summary_step();
  for (const RecordSummary& one : summaries) {
    series.times.push_back(one.begin);
    series.columns[0].push_back(whole(one.least, step));
    series.columns[1].push_back(whole(one.mean, step / mean_parts));
    series.columns[2].push_back(whole(one.most, step));
    series.columns[3].push_back(whole(one.covered_s, 1.0 / ticks_per_s));
  }
  return series;
}

Result<std::vector<RecordSummary>> summaries_of(const RecordChannel& channel,
                                                const Series& series) {
  if (series.columns.size() != 4)
    return Error{Code::corrupt, "the block is damaged: it holds no summaries", ""};
  std::vector<RecordSummary> all;
  const double step = channel.summary_step();
  for (size_t i = 0; i < series.times.size(); ++i) {
    const auto value = [&](size_t column) {
      return static_cast<double>(series.columns[column][i]);
    };
    all.push_back({.begin = series.times[i],
                   .least = value(0) * step,
                   .mean = value(1) * step / mean_parts,
                   .most = value(2) * step,
                   .covered_s = std::max(0.0, value(3) / ticks_per_s)});
  }
  return all;
}

Series series_of(uint32_t number, const RecordChannel& channel, std::span<const Sample> samples) {
  Series series{.channel = number, .times = {}, .columns = {{}}};
  for (const Sample& sample : samples) {
    if (!std::isfinite(sample.value)) continue;
    series.times.push_back(tick_of(sample.time_ns));
    series.columns[0].push_back(whole(sample.value, channel.step));
  }
  return series;
}

std::vector<Sample> samples_of(const RecordChannel& channel, const Series& series) {
  std::vector<Sample> samples;
  if (series.columns.size() != 1) return samples;
  samples.reserve(series.times.size());
  for (size_t i = 0; i < series.times.size(); ++i)
    samples.push_back(
        {series.times[i] * ns_per_tick, static_cast<double>(series.columns[0][i]) * channel.step});
  return samples;
}

}  // namespace flyball
