// The analytical model of the manuscript on PowerTrain's data, a weak
// baseline: for each memory clock
//
//   log T = a·log f_cpu + b·log f_gpu + c        P = a·f_cpu + b·f_gpu + c
//
// Every other axis that varies (cores, batch size, …) is one more term of the same kind; an axis
// that reaches zero or below enters the time without logarithm. A memory clock with too few rows,
// or whose rows leave a term open, is served by one fit over all rows with the memory clock as a
// term. The manuscript's choice of modes near its balance lines, made by eye, is left out.
#pragma once

#include <memory>

#include "predict/predictor.h"

namespace flyball {

/// Named "analytical"; ignores references. Fits at least 2 rows. The interval comes from
/// leave-one-out errors, and is ±100 % where every row is needed for the fit itself.
std::unique_ptr<Predictor> make_analytical();

}  // namespace flyball
