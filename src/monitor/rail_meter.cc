#include "monitor/rail_meter.h"

#include <utility>

#include "base/clock.h"
#include "telemetry/sampling/energy.h"

namespace flyball {

RailMeter::RailMeter(SensorPtr sensor, bool in_total, Seconds period)
    : sensor_(std::move(sensor)), counter_(sensor_->info()) {
  frame_.name = sensor_->info().name;
  frame_.in_total = in_total;
  pair_.info = sensor_->info();
  pair_.period_s = period.value;
}

Status RailMeter::read() {
  const int64_t before = monotonic_ns();
  const auto value = sensor_->read();
  frame_.reads = value.ok();
  if (!value) {
    frame_.power_w.reset();
    pair_.samples.clear();
    return value.error().within(frame_.name);
  }
  const Sample now{before + (monotonic_ns() - before) / 2, *value};
  if (pair_.info.kind == SensorKind::energy_counter) return take_energy(now);
  take_power(now);
  return {};
}

void RailMeter::take_power(const Sample& now) {
  frame_.power_w = now.value;
  if (pair_.samples.size() == 2) pair_.samples.erase(pair_.samples.begin());
  pair_.samples.push_back(now);
  if (pair_.samples.size() < 2) return;
  const auto window = energy_between(pair_, pair_.samples.front().time_ns, now.time_ns);
  if (window) frame_.energy_j += window->energy_j;
}

// Power is the slope between two moves of the counter: one that stands still in between has not
// stopped.
Status RailMeter::take_energy(const Sample& now) {
  const double amount = counter_.add(now.time_ns, now.value);
  frame_.energy_j = amount;
  if (!counter_.last_step_known()) {
    frame_.power_w.reset();
    moved_ = Sample{now.time_ns, amount};
    return Error{Code::unavailable,
                 frame_.name +
                     " went round or was reset since it was last read: what it counted "
                     "meanwhile is not known",
                 "look more often: --interval 10s"};
  }
  if (!moved_) {
    moved_ = Sample{now.time_ns, amount};
    return {};
  }
  const double seconds = static_cast<double>(now.time_ns - moved_->time_ns) * 1e-9;
  if (amount == moved_->value && seconds < pair_.gap_s()) return {};
  if (seconds <= 0) return {};
  frame_.power_w = (amount - moved_->value) / seconds;
  moved_ = Sample{now.time_ns, amount};
  return {};
}

}  // namespace flyball
