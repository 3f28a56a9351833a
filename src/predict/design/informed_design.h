// An information-driven design: what a Gaussian process would ask for before it knows any reading.
#pragma once

#include "predict/design/design.h"

namespace flyball {

/// Greedy: after a random first one, each next configuration is the one that lowers the variance of
/// time and power, averaged over the space, the most (Cohn 1996, active learning of Gaussian
/// processes), under the priors of `gp`, or with references under those of `transfer-gp`. Large
/// spaces stand for themselves by a random subset. Errors: as choose_configurations().
Result<std::vector<size_t>> choose_informed(const DesignRequest& request);

}  // namespace flyball
