// The clients of a selection that its bound leaves open, enumerated.
#pragma once

#include "fleet/rounds/lagrangian.h"

namespace flyball {

/// `at` gives the bound. An option that costs more of it than `selection` lies below it is in no
/// better selection; of the others the best are searched client by client, and `selection` becomes
/// them. Sets `exact` where that came to an end.
void search_core(const SelectionProblem& problem, const PricedSelection& at, Selection& selection);

}  // namespace flyball
