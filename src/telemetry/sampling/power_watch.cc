#include "telemetry/sampling/power_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "telemetry/sensors/firmware_tool.h"
#include "telemetry/sensors/nvidia.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

constexpr double kKeepS = 600;
constexpr double kContextS = 0.1;  // clocks and throttling change slowly and cost as much to read

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::count(list, text) == 0) list.push_back(text);
}

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
                       SettleRule rule)
    : sensors_(std::move(sensors)),
      total_(preferred_total(sensors_, wish)),
      interval_(interval),
      rule_(rule) {
  if (!total_.empty()) return;
  gap_ = power_gap(sensors_);
  if (!gap_.empty()) return;
  gap_ = "power is measured, but of no total:";
  for (const Error& gap : sensors_.gaps) gap_ += " " + gap.message;
}

PowerWatch::~PowerWatch() = default;

Status PowerWatch::begin() {
  sampler_ = std::make_unique<Sampler>();
  for (const SensorPtr& sensor : sensors_.sensors) {
    const bool part = sensor->info().total == total_;
    const Seconds every{part ? interval_.value : std::max(interval_.value, kContextS)};
    FLYBALL_CHECK(sampler_->add(sensor, every, {kKeepS}));
  }
  FLYBALL_CHECK(sampler_->start());
  begin_ns_ = count_ns_ = monotonic_ns();
  next_look_ns_ = next_count_ns_ = 0;
  settled_ = false;
  updates_ = 0;
  traces_.clear();
  throttling_.clear();
  return {};
}

std::vector<Trace> PowerWatch::parts(int64_t since_ns) const {
  std::vector<Trace> traces;
  for (size_t i = 0; sampler_ && i < sampler_->size(); ++i)
    if (sensors_.sensors[i]->info().total == total_)
      traces.push_back(sampler_->trace(i, since_ns, monotonic_ns()));
  return traces;
}

bool PowerWatch::settled() {
  const int64_t now = monotonic_ns();
  if (total_.empty() || settled_) return true;
  if (now < next_look_ns_) return false;
  next_look_ns_ = now + 100'000'000;
  settled_ = rule_.settled(parts(begin_ns_), total_, begin_ns_, now);
  return settled_;
}

void PowerWatch::count() {
  count_ns_ = monotonic_ns();
  if (sampler_) sampler_->sample_now();
  updates_ = 0;
  next_count_ns_ = 0;
}

int PowerWatch::updates() {
  const int64_t now = monotonic_ns();
  if (total_.empty() || now < next_count_ns_) return updates_;
  next_count_ns_ = now + 50'000'000;
  const auto window = total_between(parts(count_ns_), total_, count_ns_, now);
  if (window) updates_ = window->distinct_updates;
  return updates_;
}

Result<PowerReading> PowerWatch::end() {
  if (total_.empty()) {
    sampler_.reset();
    return Error{Code::unavailable, gap_, ""};
  }
  if (!sampler_) return Error{Code::internal, "power was never begun to be measured", ""};
  sampler_->sample_now();  // what a slow sensor saw since its last turn belongs to the window
  const int64_t end_ns = monotonic_ns();
  sampler_->stop();
  traces_ = sampler_->traces();
  sampler_.reset();
  throttling_ = throttling_between(traces_, count_ns_, end_ns);
  return counted(traces_, end_ns);
}

Result<PowerReading> PowerWatch::lap() {
  if (total_.empty()) return Error{Code::unavailable, gap_, ""};
  if (!sampler_) return Error{Code::internal, "power was never begun to be measured", ""};
  sampler_->sample_now();
  const int64_t end_ns = monotonic_ns();
  auto reading = counted(parts(count_ns_), end_ns);
  count_ns_ = end_ns;
  return reading;
}

Result<PowerReading> PowerWatch::counted(const std::vector<Trace>& traces, int64_t end_ns) const {
  FLYBALL_ASSIGN(const EnergyWindow window, total_between(traces, total_, count_ns_, end_ns));
  if (!window.complete())
    return Error{Code::unavailable,
                 fmt::format("power of the total '{}' was not measured for {:.3f} s of {:.3f} s",
                             total_, window.gap_s, window.window_s),
                 "the sensor failed or the machine was too busy to read it"};
  const auto parts_of_total =
      std::ranges::count_if(traces, [&](const Trace& trace) { return trace.info.total == total_; });
  const double wanted = window.window_s / interval_.value * static_cast<double>(parts_of_total);
  return power_reading(window, total_, static_cast<int>(wanted));
}

bool PowerWatch::watches_throttling() const {
  return std::ranges::any_of(sensors_.sensors, [](const SensorPtr& sensor) {
    return sensor->info().throttling != Throttling::none;
  });
}

std::vector<std::string> throttling_between(const std::vector<Trace>& traces, int64_t begin_ns,
                                            int64_t end_ns) {
  std::vector<std::string> reasons;
  for (const Trace& trace : traces) {
    const Throttling told = trace.info.throttling;
    if (told == Throttling::none) continue;
    const Sample* first = nullptr;
    for (const Sample& sample : trace.samples) {
      if (sample.time_ns < begin_ns || sample.time_ns > end_ns) continue;
      if (first == nullptr) first = &sample;
      if (told == Throttling::cpu_events && sample.value > first->value)
        add_once(reasons, "cpu thermal slowdown");
      const auto bits = static_cast<uint64_t>(std::max(sample.value, 0.0));
      if (told == Throttling::firmware_bits)
        for (const std::string& reason : firmware_throttle_reasons(bits)) add_once(reasons, reason);
      if (told == Throttling::gpu_bits && is_throttled(bits))
        for (const std::string& reason : throttle_reasons(bits))
          add_once(reasons, trace.info.name.substr(0, trace.info.name.find('_')) + " " + reason);
    }
  }
  return reasons;
}

}  // namespace flyball
