#include "profile/trials/begun_measurement.h"

#include <utility>

#include "base/clock.h"
#include "space/axis.h"

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

std::string default_mode_text(const Settings& settings, const Device& device) {
  const Settings before = device.baseline().values;
  bool clocks = false, as_it_was = true, all_cores = true;
  for (const auto& [name, value] : settings) {
    const auto was = before.find(name);
    if (was == before.end()) continue;
    const bool cores = name == axis::cpu_cores;
    clocks = clocks || !cores;
    as_it_was = as_it_was && was->second == value;
    const std::vector<Axis> axes = device.axes();
    const Axis* whole = cores ? find_axis(axes, name) : nullptr;
    all_cores = all_cores && (!whole || value == whole->values.back());
  }
  if (!as_it_was) return "the mode nearest to the one before";
  return clocks || !all_cores ? "the mode as it was" : "all cores";
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
