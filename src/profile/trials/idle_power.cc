#include "profile/trials/idle_power.h"

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "base/statistics.h"
#include "device/measuring.h"
#include "profile/trials/mode_watch.h"
#include "telemetry/sensors/other_load.h"

namespace flyball {
namespace {

constexpr int stretches = 5;
constexpr double longest_settling_s = 30;

Status wait(double seconds, const std::atomic<bool>* interrupted) {
  const int64_t end = monotonic_ns() + nanoseconds(seconds);
  while (monotonic_ns() < end) {
    FLYBALL_CHECK(check_interrupt(interrupted));
    sleep_until_ns(std::min(end, monotonic_ns() + 100'000'000));
  }
  return {};
}

Status settle_idle(PowerMeter& meter, const IdleOptions& options, IdlePower& idle) {
  const Stopwatch watch;
  FLYBALL_CHECK(meter.begin());
  FLYBALL_CHECK(wait(options.settle_s, options.interrupted));
  while (!(idle.settled = meter.settled()) && watch.seconds() < longest_settling_s)
    FLYBALL_CHECK(wait(0.1, options.interrupted));
  idle.settle_s = watch.seconds();
  [[maybe_unused]] const auto ignored = meter.end();
  return {};
}

Status measure(PowerMeter& meter, const IdleOptions& options, IdlePower& idle) {
  std::vector<double> watts;
  for (int i = 0; i < stretches; ++i) {
    FLYBALL_CHECK(meter.begin());
    meter.count();
    FLYBALL_CHECK(wait(options.seconds / stretches, options.interrupted));
    FLYBALL_ASSIGN(const PowerReading reading, meter.end());
    watts.push_back(reading.mean_w);
    idle.updates += reading.distinct_updates;
    idle.seconds += reading.window_s;
  }
  const Quartiles spread = quartiles(watts);
  idle.power_w = spread.median;
  idle.q1_w = spread.q1;
  idle.q3_w = spread.q3;
  return {};
}

}  // namespace

Result<IdlePower> measure_idle(Device& device, PowerMeter& meter, const PowerMode& mode,
                               const IdleOptions& options) {
  if (meter.total().empty())
    return Error{Code::unavailable, "idle power is not known here: " + meter.gap(),
                 "`flyball doctor` lists the power sensors that there are"};
  FLYBALL_CHECK(set_alone(device, mode, std::min(options.settle_s, 0.1)));
  IdlePower idle{.device = device.info().name,
                 .fingerprint = device.info().fingerprint,
                 .mode = mode,
                 .caps = device.caps(),
                 .total = meter.total()};
  idle.measured_utc = wall_clock_utc();
  FLYBALL_CHECK(settle_idle(meter, options, idle));
  const Disturbance disturbance;
  const OtherLoad others;
  FLYBALL_CHECK(measure(meter, options, idle));
  idle.other_cores = others.cores();
  idle.disturbed = disturbance.by();
  FLYBALL_CHECK(device.still_set());
  return idle;
}

}  // namespace flyball
