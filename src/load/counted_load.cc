#include "load/counted_load.h"

#include <time.h>

#include <cmath>

namespace flyball {
namespace {

constexpr int64_t least_lap_ns = 200'000'000;  // answers in between are of the lap before, nearly

int64_t thread_cpu_ns() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * int64_t{1'000'000'000} + used.tv_nsec;
}

PowerReading joined(const PowerReading& earlier, const PowerReading& later) {
  PowerReading whole = earlier;
  whole.samples_wanted += later.samples_wanted;
  whole.samples_got += later.samples_got;
  whole.distinct_updates += later.distinct_updates;
  whole.window_s += later.window_s;
  whole.energy_j = earlier.mean_w * earlier.window_s + later.mean_w * later.window_s;
  if (!(whole.window_s > 0) || !(whole.energy_j > 0)) return whole;
  whole.mean_w = whole.energy_j / whole.window_s;
  double error_j = 0;  // a lap too short for a noise of its own has that of the rest
  for (const PowerReading* part : {&earlier, &later})
    if (std::isfinite(part->noise))
      error_j = std::hypot(error_j, part->noise * part->mean_w * part->window_s);
  whole.noise = std::isfinite(earlier.noise) || std::isfinite(later.noise)
                    ? error_j / whole.energy_j
                    : earlier.noise;
  return whole;
}

}  // namespace

void CountedLoad::begin(int64_t now_ns) {
  begun_ns_ = now_ns;
  cpu_from_ns_ = cpu_ns_ = thread_cpu_ns();
  if (meter_) meter_->count();
}

void CountedLoad::reach(int64_t now_ns) {
  reached_ns_ = now_ns;
  cpu_ns_ = thread_cpu_ns();
  if (!meter_ || (lap_ns_ >= 0 && now_ns - lap_ns_ < least_lap_ns)) return;
  lap_ns_ = now_ns;
  take(meter_->lap());
}

void CountedLoad::end(int64_t now_ns) {
  if (!reached()) {
    reached_ns_ = now_ns;
    cpu_ns_ = thread_cpu_ns();
  }
  if (!meter_) return;
  const auto rest = meter_->end();
  if (lap_ns_ < 0) take(rest);
}

void CountedLoad::take(const Result<PowerReading>& lap) {
  if (!gap_.empty()) return;
  if (!lap) {
    gap_ = lap.error().message;
    power_.reset();
  } else {
    power_ = power_ ? joined(*power_, *lap) : *lap;
  }
}

double CountedLoad::client_cpu() const {
  if (!begun() || reached_ns_ <= begun_ns_) return 0;
  return static_cast<double>(cpu_ns_ - cpu_from_ns_) / static_cast<double>(reached_ns_ - begun_ns_);
}

}  // namespace flyball
