// A load test as the document of `flyball loadtest --json`.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "load/load_summary.h"

namespace flyball {

struct LoadTestRun {
  LoadTarget target;
  LoadRequest request;
  std::string arrivals;
  double duration_s = 0, warm_up_s = 0, timeout_s = 0;
  uint64_t seed = 1;
  bool stopped = false;  ///< before its duration, by who asked for it
  std::string started_utc;
  LoadSummary summary;
};

Json to_json(const LoadTestRun& run);

}  // namespace flyball
