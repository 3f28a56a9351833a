#include "campaign/temperature.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "telemetry/sensors/detail_sensors.h"

namespace flyball {

Thermometer::Thermometer(const std::filesystem::path& root)
    : sensors_(open_thermal_sensors(root)) {}

std::optional<double> Thermometer::hottest_celsius() const {
  std::optional<double> hottest;
  for (const SensorPtr& sensor : sensors_.sensors) {
    if (sensor->info().unit != "C") continue;
    const auto celsius = sensor->read();
    if (celsius && (!hottest || *celsius > *hottest)) hottest = *celsius;
  }
  return hottest;
}

Status wait_until_cool(double below_c, const Thermometer& thermometer,
                       const std::atomic<bool>* cancelled, double patience_s) {
  const Stopwatch since;
  while (true) {
    const auto celsius = thermometer.hottest_celsius();
    if (!celsius || *celsius < below_c) return {};
    if (is_interrupted(cancelled))
      return Error{Code::interrupted, "stopped while the board cooled down",
                   "`flyball campaign run` goes on with it"};
    if (since.seconds() >= patience_s)
      return Error{
          Code::unavailable,
          fmt::format("the board stays at {:.1f} °C, not below {:g} °C", *celsius, below_c),
          "cool it, or raise start_below_c"};
    sleep_until_ns(monotonic_ns() + nanoseconds(0.2));
  }
}

}  // namespace flyball
