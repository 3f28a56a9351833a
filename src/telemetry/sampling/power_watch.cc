#include "telemetry/sampling/power_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

constexpr double kContextS = 0.1;  // clocks and throttling change slowly and cost as much to read

}  // namespace

bool SettleRule::settled(const std::vector<Trace>& traces, const std::string& total,
                         int64_t begin_ns, int64_t now_ns) const {
  double stretch_s = stretch.value;
  for (const Trace& trace : traces) {
    if (trace.info.total != total) continue;
    const double source_s = std::max({trace.period_s, trace.info.period_s,
                                      trace.stats.repeats ? trace.stats.true_period_s : 0.0});
    stretch_s = std::max(stretch_s, 5 * source_s);
  }
  const int64_t middle = now_ns - nanoseconds(stretch_s);
  const int64_t start = middle - nanoseconds(stretch_s);
  if (start < begin_ns) return false;
  const auto before = total_between(traces, total, start, middle);
  const auto after = total_between(traces, total, middle, now_ns);
  if (!before || !after) return false;
  const double difference = std::abs(after->mean_w - before->mean_w);
  const double error = std::hypot(after->noise * after->mean_w, before->noise * before->mean_w);
  const bool known = std::isfinite(after->noise) && std::isfinite(before->noise);
  return difference <= tolerance * after->mean_w || (known && difference <= 2 * error);
}

PowerWatch::PowerWatch(SensorList sensors, const std::string& wish, Seconds interval,
                       SettleRule rule, Seconds lap)
    : sensors_(std::move(sensors)),
      total_(preferred_total(sensors_, wish)),
      interval_(interval),
      lap_(lap),
      rule_(rule) {
  if (!total_.empty()) return;
  gap_ = power_gap(sensors_);
  if (!gap_.empty()) return;
  gap_ = "power is measured, but of no total:";
  for (const Error& gap : sensors_.gaps) gap_ += " " + gap.message;
}

PowerWatch::~PowerWatch() {
  end_laps();
}

Status PowerWatch::begin() {
  end_laps();
  sampler_ = std::make_unique<Sampler>();
  for (const SensorPtr& sensor : sensors_.sensors) {
    const bool part = sensor->info().total == total_;
    const Seconds every{part ? interval_.value : std::max(interval_.value, kContextS)};
    FLYBALL_CHECK(sampler_->add(sensor, every, {2 * lap_.value}));
  }
  FLYBALL_CHECK(sampler_->start());
  begin_ns_ = monotonic_ns();
  count_from(begin_ns_);
  throttling_ = {};
  next_look_ns_ = 0;
  settled_ = end_ = false;
  laps_ = std::thread([this] { take_laps(); });
  return {};
}

void PowerWatch::take_laps() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::duration<double>(lap_.value), [this] { return end_; }))
    sum_up();
}

void PowerWatch::end_laps() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (laps_.joinable()) laps_.join();
}

void PowerWatch::count_from(int64_t time_ns) {
  count_ns_ = watched_ns_ = time_ns;
  next_count_ns_ = 0;
  updates_ = 0;
  counted_.reset();
  failed_ = {};
}

template <class Wanted>
std::vector<Trace> PowerWatch::traces_of(const Wanted& wanted, int64_t since_ns) const {
  std::vector<Trace> traces;
  for (size_t i = 0; sampler_ && i < sampler_->size(); ++i)
    if (wanted(sensors_.sensors[i]->info()))
      traces.push_back(sampler_->trace(i, since_ns, monotonic_ns()));
  return traces;
}

std::vector<Trace> PowerWatch::parts(int64_t since_ns) const {
  return traces_of([this](const SensorInfo& info) { return info.total == total_; }, since_ns);
}

bool PowerWatch::settled() {
  const std::lock_guard lock(mutex_);
  const int64_t now = monotonic_ns();
  if (total_.empty() || settled_) return true;
  if (now < next_look_ns_) return false;
  next_look_ns_ = now + 100'000'000;
  settled_ = rule_.settled(parts(begin_ns_), total_, begin_ns_, now);
  return settled_;
}

void PowerWatch::count() {
  const std::lock_guard lock(mutex_);
  count_from(monotonic_ns());
  throttling_ = {};
  if (sampler_) sampler_->sample_now();
}

int PowerWatch::updates() {
  const std::lock_guard lock(mutex_);
  const int64_t now = monotonic_ns();
  if (total_.empty() || now < next_count_ns_) return updates_;
  next_count_ns_ = now + 50'000'000;
  const auto window = total_between(parts(count_ns_), total_, count_ns_, now);
  if (window) updates_ = window->distinct_updates + (counted_ ? counted_->distinct_updates : 0);
  return updates_;
}

// Adds what was sampled since the last time, up to now.
void PowerWatch::sum_up() {
  const int64_t edge_ns = monotonic_ns();
  sampler_->sample_now();  // what a slow sensor saw since its last turn belongs to it
  const int64_t end_ns = monotonic_ns();
  const auto window = total_between(parts(count_ns_), total_, count_ns_, end_ns);
  if (window)
    counted_ = counted_ ? joined(*counted_, *window) : *window;
  else if (failed_.ok())
    failed_ = window.error();
  const auto tells = [](const SensorInfo& info) { return info.throttling != Throttling::none; };
  throttling_.add(throttling_between(traces_of(tells, watched_ns_), watched_ns_, end_ns));
  count_ns_ = end_ns;
  watched_ns_ = edge_ns;  // an event counter is compared with what it showed here
}

Result<PowerReading> PowerWatch::end() {
  end_laps();
  if (total_.empty()) {
    sampler_.reset();
    return Error{Code::unavailable, gap_, ""};
  }
  if (!sampler_) return Error{Code::internal, "power was never begun to be measured", ""};
  sum_up();
  sampler_.reset();
  return reading();
}

Result<PowerReading> PowerWatch::lap() {
  if (total_.empty()) return Error{Code::unavailable, gap_, ""};
  if (!sampler_) return Error{Code::internal, "power was never begun to be measured", ""};
  const std::lock_guard lock(mutex_);
  sum_up();
  auto power = reading();
  count_from(count_ns_);
  return power;
}

Result<PowerReading> PowerWatch::reading() const {
  FLYBALL_CHECK(failed_);
  if (!counted_->complete())
    return Error{Code::unavailable,
                 fmt::format("power of the total '{}' was not measured for {:.3f} s of {:.3f} s",
                             total_, counted_->gap_s, counted_->window_s),
                 "the sensor failed or the machine was too busy to read it"};
  const auto parts_of_total = std::ranges::count_if(
      sensors_.sensors, [&](const SensorPtr& sensor) { return sensor->info().total == total_; });
  const double wanted = counted_->window_s / interval_.value * static_cast<double>(parts_of_total);
  return power_reading(*counted_, total_, static_cast<int>(wanted));
}

}  // namespace flyball
