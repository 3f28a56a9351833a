#include "telemetry/sampling/counter_timeline.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "telemetry/sampling/counter.h"

namespace flyball {
double CounterTimeline::step_s(const Trace& trace) {
  return std::max(trace.info.period_s, trace.stats.repeats ? 1.5 * trace.stats.true_period_s : 0);
}

CounterTimeline::CounterTimeline(const Trace& trace, std::span<const Sample> samples)
    : step_s_(step_s(trace)), baseline_s_(2 * (step_s_ + trace.period_s)) {
  UnwrappedCounter counter(trace.info);
  bool repeated = false;
  int64_t since_ns = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto& [time_ns, value] = samples[i];
    CounterKnot knot{
        .time_ns = time_ns, .amount = counter.add(time_ns, value), .sample_ns = time_ns};
    knot.moved = i > 0 && value != samples[i - 1].value;
    const double pause_s = i > 0 ? seconds_between(samples[i - 1].time_ns, time_ns) : step_s_;
    knot.known = counter.last_step_known();
    if (i > 0 && !knot.moved && knot.known) {
      repeated = true;
      add_standing(since_ns, knot);
      continue;
    }
    // A source of unknown rhythm updates at once, unless it has just shown that it does not.
    const double width_s = step_s_ > 0 ? std::min(pause_s, step_s_) : repeated ? pause_s : 0;
    knot.spread_s = width_s / 2;
    knot.time_ns -= nanoseconds(width_s / 2);
    knots_.push_back(knot);
    since_ns = time_ns;
    repeated = false;
  }
  // Of a source of unknown rhythm the last value counts as standing.
  if (step_s_ == 0 && repeated)
    knots_.push_back({.time_ns = samples.back().time_ns,
                      .amount = knots_.back().amount,
                      .sample_ns = samples.back().time_ns});
  wraps_ = counter.wraps();
}

// A value that has stood for two steps is no step any more: nothing was counted since.
void CounterTimeline::add_standing(int64_t since_ns, CounterKnot now) {
  now.time_ns -= nanoseconds(2 * step_s_);
  if (step_s_ == 0 || now.time_ns <= since_ns) return;
  if (const bool stood = knots_.size() > 1 && !knots_.back().moved && knots_.back().known; stood)
    knots_.back() = now;
  else
    knots_.push_back(now);
}

double CounterTimeline::watts(size_t i) const {
  const CounterKnot &a = knots_[i - 1], &b = knots_[i];
  return b.known ? (b.amount - a.amount) / seconds_between(a.time_ns, b.time_ns) : 0;
}

CounterTimeline::Outer CounterTimeline::outer(bool last) const {
  if (knots_.size() < 2) return {};
  const size_t end = knots_.size() - 1;
  size_t a = last ? end - 1 : 0, b = last ? end : 1;
  const auto length_s = [&] { return seconds_between(knots_[a].time_ns, knots_[b].time_ns); };
  if (!knots_[b].known) return {};
  while (length_s() < baseline_s_) {
    if (last && (a == 0 || !knots_[a].known)) break;
    if (!last && (b == end || !knots_[b + 1].known)) break;
    last ? --a : ++b;
  }
  return {(knots_[b].amount - knots_[a].amount) / length_s(), length_s(),
          knots_[a].spread_s + knots_[b].spread_s};
}

// The mean power over all knots if their moments lay as close together as they can have.
double CounterTimeline::highest_mean() const {
  const CounterKnot &a = knots_.front(), &b = knots_.back();
  const double shortest_s = seconds_between(a.time_ns, b.time_ns) - a.spread_s - b.spread_s;
  return shortest_s > 0 ? (b.amount - a.amount) / shortest_s : 0;
}

double CounterTimeline::outside(double distance_s, bool last) const {
  const Outer edge = outer(last);
  if (edge.length_s <= 0) return 0;
  const CounterKnot& knot = last ? knots_.back() : knots_.front();
  const double highest = std::max(edge.watts, highest_mean());
  const double moment = highest * (knot.spread_s + distance_s / edge.length_s * edge.spread_s);
  const size_t step = last ? knots_.size() - 1 : 1;
  return moment + std::abs(watts(step) - edge.watts) * distance_s;
}

double CounterTimeline::inside(size_t next, int64_t time_ns) const {
  const CounterKnot &a = knots_[next - 1], &b = knots_[next];
  if (!b.known) return 0;
  const double length_s = seconds_between(a.time_ns, b.time_ns);
  const double share = seconds_between(a.time_ns, time_ns) / length_s;
  const double here = watts(next);
  const double before = next > 1 && a.known ? watts(next - 1) : here;
  const double after = next + 1 < knots_.size() && knots_[next + 1].known ? watts(next + 1) : here;
  const double highest = std::max({here, before, after, highest_mean()});
  const double moment = highest * ((1 - share) * a.spread_s + share * b.spread_s);
  // Exact for a load that goes from one neighbour's power to the other's at this very moment, as
  // one does that begins or ends with the window.
  return moment + share * (1 - share) * length_s * std::abs(after - before);
}

double CounterTimeline::bound(int64_t time_ns) const {
  if (knots_.size() < 2) return 0;
  const auto next = std::ranges::upper_bound(knots_, time_ns, {}, &CounterKnot::time_ns);
  if (next == knots_.begin()) return outside(seconds_between(time_ns, next->time_ns), false);
  if (next == knots_.end()) return outside(seconds_between(knots_.back().time_ns, time_ns), true);
  return inside(static_cast<size_t>(next - knots_.begin()), time_ns);
}

int CounterTimeline::moves(int64_t begin_ns, int64_t end_ns) const {
  return static_cast<int>(std::ranges::count_if(knots_, [&](const CounterKnot& knot) {
    return knot.moved && knot.known && knot.sample_ns >= begin_ns && knot.sample_ns <= end_ns;
  }));
}

std::vector<double> CounterTimeline::updates(int64_t begin_ns, int64_t end_ns) const {
  std::vector<double> values;
  size_t from = 0;
  for (size_t i = 1; i < knots_.size(); ++i) {
    const CounterKnot &a = knots_[from], &b = knots_[i];
    if (!b.known) from = i;
    if (!b.known || !b.moved) continue;
    const double length_s = seconds_between(a.time_ns, b.time_ns);
    if (a.spread_s + b.spread_s > length_s / 4) continue;
    if (b.sample_ns >= begin_ns && b.sample_ns <= end_ns)
      values.push_back((b.amount - a.amount) / length_s);
    from = i;
  }
  return values;
}

}  // namespace flyball
