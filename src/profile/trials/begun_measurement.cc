#include "profile/trials/begun_measurement.h"

#include <utility>

#include "base/clock.h"

namespace flyball {

Measurement begin_measurement(const ProfilerInfo& info, Trial trial) {
  Measurement m;
  m.trial = std::move(trial);
  m.device = info.device;
  m.fingerprint = info.fingerprint;
  m.conditions = info.conditions;
  m.power_gap = info.power_gap;
  m.started_utc = wall_clock_utc();
  return m;
}

ProfilerInfo live_info(const DeviceInfo& board, const Device& device, const PowerMeter& meter,
                       const Presets& presets) {
  ProfilerInfo info;
  info.device = board.name;
  info.device_title = board.title;
  info.fingerprint = board.fingerprint;
  info.power_total = meter.total();
  info.power_gap = meter.gap();
  info.gaps = device.gap_texts();
  info.presets = on_axes(presets, device.axes());
  info.live = true;
  return info;
}

Result<Measurement> live_trial(const ProfilerInfo& info, Trial trial,
                               const std::function<Status(Measurement&)>& run,
                               const std::function<bool(const Error&)>& ends) {
  const Stopwatch total;
  Measurement m = begin_measurement(info, std::move(trial));
  if (const Status status = run(m); !status.ok()) {
    if (ends(status.error())) return status.error();
    m.failure = status.error().message;
  }
  m.total_s = total.seconds();
  return m;
}

bool ends_trials(const Error& error) {
  return error.code == Code::interrupted || error.code == Code::not_found ||
         error.code == Code::permission;
}

}  // namespace flyball
