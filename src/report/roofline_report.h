// Roofs as a page: what a board can do at most, the workloads under it, what its modes say of
// energy (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>

#include "roofs/roofline_answer.h"

namespace flyball {

nlohmann::ordered_json roofline_report(const RooflineAnswer& answer);

}  // namespace flyball
