// The page of a plan (docs/report-data.md).
#pragma once

#include <string>

#include "base/json.h"

namespace flyball {

/// Of an answer as `flyball plan --json` prints it, and how its choice is applied; `command` as it
/// was typed.
Json plan_page(const Json& answer, const std::string& command);

}  // namespace flyball
