// How long each clock ran at which frequency.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

struct ClockShare {
  double mhz = 0;
  double share = 0;  ///< of the samples, 0 to 1
};

struct ClockResidency {
  std::string clock;               ///< "cpu0_mhz", "gpu_mhz", "emc_mhz"
  double step_mhz = 0;             ///< values are told in these steps; 0: as they read
  std::vector<ClockShare> values;  ///< ascending

  /// Share of the time below this clock.
  double below(double mhz) const;
};

/// Of the traces of clocks (MHz) between two monotonic times, as far as they are kept: of a longer
/// run the last two hours (Sampler::add()). Values are rounded to 1 MHz; a clock
/// that shows more than 40 of them is told in steps of 100 MHz.
std::vector<ClockResidency> residency_of(const std::vector<Trace>& traces, int64_t begin_ns,
                                         int64_t end_ns);

/// {"gpu_mhz": {"step_mhz": 0, "values": [{"mhz", "share"}]}}
Json residency_json(const std::vector<ClockResidency>& clocks);
/// Throws what SortedJson throws for another document.
std::vector<ClockResidency> parse_residency(const Json& json);

}  // namespace flyball
