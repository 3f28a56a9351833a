// What came of both roles of a plan at once, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tune/plan_together.h"

namespace flyball::cli {

std::string together_text(const Together& together);
/// `together` of docs/json.md.
nlohmann::ordered_json together_json(const std::optional<Together>& together);

}  // namespace flyball::cli
