#include "telemetry/sampling/energy_laps.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"

namespace flyball {
namespace {

// Of a lap in which nothing was measured.
EnergyWindow nothing_between(int64_t begin_ns, int64_t end_ns) {
  EnergyWindow window;
  window.window_s = window.gap_s = window.longest_gap_s = seconds_between(begin_ns, end_ns);
  window.gaps = 1;
  window.min_w = window.noise = std::numeric_limits<double>::infinity();
  window.max_w = -window.min_w;
  window.still = true;
  return window;
}

}  // namespace

EnergyLaps::EnergyLaps(const Sampler& sampler, int64_t begin_ns, Seconds lap)
    : sampler_(sampler), lap_s_(lap.value), begin_ns_(begin_ns), from_ns_(begin_ns) {
  for (size_t i = 0; i < sampler.size(); ++i) {
    const SensorInfo& info = sampler.info(i);
    if (info.throttling != Throttling::none) {
      lap_s_ = std::max(lap_s_, 100 * sampler.period_s(i));
      tells_throttling_.push_back(i);
    }
    if (info.kind != SensorKind::power && info.kind != SensorKind::energy_counter) continue;
    lap_s_ = std::max(lap_s_, 100 * sampler.period_s(i));
    sensors_.push_back({.name = info.name, .index = i});
    if (!info.total.empty() && std::ranges::count(totals_, info.total, &Entry::name) == 0)
      totals_.push_back({.name = info.total});
  }
}

// Up to a while ago: an edge is judged by the samples on both of its sides.
void EnergyLaps::look(int64_t until_ns) {
  const int64_t edge_ns = monotonic_ns() - nanoseconds(lap_s_ / 10);
  if (until_ns > from_ns_ && seconds_between(from_ns_, edge_ns) >= lap_s_)
    sum_up(std::min(edge_ns, until_ns));
}

void EnergyLaps::end(int64_t end_ns) {
  if (end_ns > from_ns_) sum_up(end_ns);
}

// With a part of the lap before: what a counter of events showed last is what it rises from.
void EnergyLaps::sum_up_throttling(int64_t until_ns) {
  const int64_t since_ns = std::max(begin_ns_, from_ns_ - nanoseconds(lap_s_ / 10));
  std::vector<Trace> traces;
  for (const size_t sensor : tells_throttling_)
    traces.push_back(sampler_.trace(sensor, since_ns, until_ns));
  throttling_.add(throttling_between(traces, since_ns, until_ns));
}

void EnergyLaps::sum_up(int64_t until_ns) {
  sum_up_throttling(until_ns);
  std::vector<Trace> traces;
  for (const Entry& sensor : sensors_)
    traces.push_back(sampler_.trace(sensor.index, from_ns_, until_ns));
  const auto add = [&](Entry& entry, const Result<EnergyWindow>& window) {
    const EnergyWindow lap = window ? *window : nothing_between(from_ns_, until_ns);
    entry.sum = entry.sum ? joined(*entry.sum, lap) : lap;
    entry.measured = entry.measured || window.ok();
    if (!window) entry.failed = window.error();
  };
  for (size_t i = 0; i < sensors_.size(); ++i)
    add(sensors_[i], energy_between(traces[i], from_ns_, until_ns));
  for (Entry& total : totals_) add(total, total_between(traces, total.name, from_ns_, until_ns));
  from_ns_ = until_ns;
}

std::optional<EnergyWindow> EnergyLaps::total(const std::string& name) const {
  for (const Entry& entry : totals_)
    if (entry.name == name && entry.measured) return entry.sum;
  return {};
}

std::vector<EnergyLaps::Sum> EnergyLaps::sums(const std::vector<Entry>& entries) {
  std::vector<Sum> all;
  for (const Entry& entry : entries) {
    if (entry.measured)
      all.push_back({entry.name, *entry.sum});
    else if (entry.failed)
      all.push_back({entry.name, *entry.failed});
  }
  return all;
}

}  // namespace flyball
