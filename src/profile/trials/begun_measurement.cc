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
  m.started_utc = wall_clock_utc();
  return m;
}

}  // namespace flyball
