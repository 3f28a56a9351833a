// Serving and training in turns, as a document of the page (docs/report-data.md).
#pragma once

#include <string>

#include "base/json.h"
#include "schedule/serving_timeline.h"

namespace flyball {

/// `answer` as `--json` prints it, with how latencies are spread and what ran last, one by one.
Json serve_report(const Json& answer, const ServingResult& result, const ServingTimeline& timeline,
                  const std::string& command);

}  // namespace flyball
