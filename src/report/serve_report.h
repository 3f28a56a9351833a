// Serving and training in turns, as a document of the page (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schedule/live_timeline.h"

namespace flyball {

struct LiveResult;

/// What `flyball serve` knows beside its result.
struct ServeReport {
  const LiveResult& result;
  const LiveTimeline& timeline;
  bool simulated = false;  ///< in simulated time, over tables
  std::string device, power_gap, command, started_utc;
  nlohmann::ordered_json plan{};  ///< workload and config of each role; null: the mode stayed
  std::vector<std::string> notes{};
};

nlohmann::ordered_json serve_report(const ServeReport& told);

}  // namespace flyball
