// A load test for people.
#pragma once

#include <string>

#include "load/load_json.h"

namespace flyball::cli {

std::string load_text(const LoadTestRun& run);

}  // namespace flyball::cli
