// Serving and training in turns, as a document of the page (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "schedule/live_timeline.h"

namespace flyball {

/// `answer` as `--json` prints it, with how latencies are spread and what ran last, one by one.
nlohmann::ordered_json serve_report(const nlohmann::ordered_json& answer, const LiveResult& result,
                                    const LiveTimeline& timeline, const std::string& command);

}  // namespace flyball
