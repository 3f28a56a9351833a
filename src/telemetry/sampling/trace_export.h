// Traces as files: CSV for tables, Chrome trace for pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/sampling/trace.h"

namespace flyball {

/// Something that took time: a stall, a fetch, a step.
struct Span {
  std::string track;  ///< the line it is drawn on: "compute", "loader worker 1"
  std::string name;   ///< "stall", "fetch", "step 12"
  int64_t begin_ns = 0, end_ns = 0;
};

/// The samples without those that repeat the one before and the one after, at least one a second:
/// joined by lines they make the same picture.
std::vector<Sample> without_repeats(const std::vector<Sample>& samples);

/// "time_s,sensor,unit,value", sorted by time, times since `origin_ns`; repeats are left out.
std::string traces_csv(const std::vector<Trace>& traces, int64_t origin_ns);

/// The JSON that chrome://tracing and ui.perfetto.dev open: a counter per sensor, a line per track,
/// times since `origin_ns`. Energy counters are drawn as the power between two new values.
std::string chrome_trace(const std::vector<Trace>& traces, const std::vector<Span>& spans,
                         int64_t origin_ns);

}  // namespace flyball
