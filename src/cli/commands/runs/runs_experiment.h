// The measured runs of an experiment, for `flyball runs show`.
#pragma once

#include <vector>

#include "experiment/stored_figures.h"

namespace flyball::cli {

void print_experiment_runs(const std::vector<StoredFigures>& runs);

}  // namespace flyball::cli
