// The page of a plan (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace flyball {

/// Of an answer as `flyball plan --json` prints it, and how its choice is applied; `command` as it
/// was typed.
nlohmann::ordered_json plan_page(const nlohmann::ordered_json& answer, const std::string& command);

}  // namespace flyball
