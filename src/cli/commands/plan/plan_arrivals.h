// `flyball plan … --arrivals`: plans by simulating what `serve` executes.
#pragma once

#include "cli/planning.h"
#include "schedule/arrivals.h"

namespace flyball::cli {

Status plan_for_arrivals(PlanOptions& options, Context& context);

/// What --arrivals says for each service, "poisson" and "constant" with the rates of --rate.
/// Errors: no rate; one that no arrivals take; another number than there are services.
Result<std::vector<ArrivalSpec>> read_arrivals(const std::vector<std::string>& texts,
                                               const std::vector<double>& rates_hz,
                                               size_t services);

}  // namespace flyball::cli
