// The log of a plug meter (time, watts), joined to a run by time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

struct PlugOptions {
  std::string time_column{};   ///< "" finds it: time, timestamp, time_s, date, datetime
  std::string power_column{};  ///< "" finds it: watts, power, power_w, w
  /// Of times that name no zone themselves, in s east of Greenwich.
  double utc_offset_s = 0;
  /// What the meter's clock shows minus what ours shows, in s: subtracted.
  double clock_ahead_s = 0;
};

/// A trace of kind power, total "plug", whose times are monotonic ones of this machine since boot;
/// energy_between() takes it as it is. Errors name file, line and column: no such column, a field
/// that is no time or no finite power, time that does not rise.
Result<Trace> parse_plug_log(std::string_view text, const std::string& name,
                             const PlugOptions& options = {});

/// energy_between() of a log. Error: it does not reach the window, with what it does cover.
Result<EnergyWindow> plug_energy(const Trace& log, int64_t begin_ns, int64_t end_ns);

/// Wall-clock time (ns since 1970) minus monotonic time, now.
int64_t wall_minus_monotonic_ns();

}  // namespace flyball
