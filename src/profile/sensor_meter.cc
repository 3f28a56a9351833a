// Power of a live trial from the machine's own sensors.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/clock.h"
#include "profile/power_meter.h"
#include "telemetry/energy.h"
#include "telemetry/power_sensors.h"
#include "telemetry/sampler.h"

namespace flyball {
namespace {

constexpr double settle_tolerance = 0.02;  // two neighbouring windows agree within this
constexpr int64_t settle_window_ns = 1'000'000'000;
constexpr int64_t look_every_ns = 50'000'000;  // a look copies the trace: not after each minibatch
constexpr Seconds kept_trace{900};

// The broadest total first: the whole board before its parts.
std::string choose_total(const SensorList& list) {
  std::string found;
  for (const std::string preferred : {"module", "package", "gpu"})
    for (const SensorPtr& sensor : list.sensors)
      if (found.empty() && sensor->info().total == preferred) found = preferred;
  return found;
}

class SensorMeter final : public PowerMeter {
 public:
  explicit SensorMeter(std::string total) : total_(std::move(total)) {}

  Status start(const SensorList& list) {
    for (const SensorPtr& sensor : list.sensors) {
      if (sensor->info().total != total_) continue;
      const double natural = sensor->info().period_s;
      const Seconds period{std::clamp(natural > 0 ? natural : 0.02, 0.005, 1.0)};
      FLYBALL_ASSIGN([[maybe_unused]] const size_t index, sampler_.add(sensor, period, kept_trace));
    }
    return sampler_.start();
  }

  std::string total() const override { return total_; }
  std::string gap() const override { return ""; }

  void begin() override {
    begin_ns_ = last_look_ns_ = monotonic_ns();
    settled_ = false;
  }

  bool settled() override {
    const int64_t now = monotonic_ns();
    if (settled_ || now - last_look_ns_ < look_every_ns || now - begin_ns_ < 2 * settle_window_ns)
      return settled_;
    last_look_ns_ = now;
    const auto traces = sampler_.traces();
    const auto before =
        total_between(traces, total_, now - 2 * settle_window_ns, now - settle_window_ns);
    const auto after = total_between(traces, total_, now - settle_window_ns, now);
    settled_ = before && after && std::abs(after->mean_w / before->mean_w - 1) <= settle_tolerance;
    return settled_;
  }

  void count() override {
    count_ns_ = last_look_ns_ = monotonic_ns();
    updates_ = 0;
  }

  int updates() override {
    const int64_t now = monotonic_ns();
    if (updates_ >= power_updates_wanted || now - last_look_ns_ < look_every_ns) return updates_;
    last_look_ns_ = now;
    const auto window = total_between(sampler_.traces(), total_, count_ns_, now);
    if (window) updates_ = window->distinct_updates;
    return updates_;
  }

  Result<PowerReading> end() override {
    FLYBALL_ASSIGN(const EnergyWindow window,
                   total_between(sampler_.traces(), total_, count_ns_, monotonic_ns()));
    int wanted = 0;
    for (const Trace& trace : sampler_.traces())
      wanted += static_cast<int>(window.window_s / trace.period_s);
    return power_reading(window, total_, wanted);
  }

 private:
  std::string total_;
  Sampler sampler_;
  int64_t begin_ns_ = 0, count_ns_ = 0, last_look_ns_ = 0;
  bool settled_ = false;
  int updates_ = 0;
};

}  // namespace

std::unique_ptr<PowerMeter> open_power_meter(const std::filesystem::path& root) {
  const SensorList list = open_power_sensors(root);
  constexpr std::string_view prefix = "power is not available on this machine: ";
  std::string gap = power_gap(list);
  if (gap.starts_with(prefix)) gap.erase(0, prefix.size());
  const std::string total = choose_total(list);
  if (!gap.empty() || total.empty())
    return make_no_power(gap.empty() ? "no sensor measures a whole board, package or GPU" : gap);
  auto meter = std::make_unique<SensorMeter>(total);
  const Status started = meter->start(list);
  if (!started.ok()) return make_no_power(started.error().message);
  return meter;
}

}  // namespace flyball
