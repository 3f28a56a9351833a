// What came of both roles of a plan at once, for people and for programs.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "tune/plan_together.h"

namespace flyball::cli {

std::string together_text(const Together& together, const Plan& plan);
/// `together` of docs/json.md.
Json together_json(const std::optional<Together>& together);

}  // namespace flyball::cli
