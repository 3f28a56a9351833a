// Linear predictors of the characterisation study (POMACS 6(3), 2022, section 5.7).
//
//   T = a·f_cpu + b·cores + c·f_gpu + d·f_mem + e            one fit for each workload
//   E = β0 + T·(β1·cores + β2·f_cpu + β3·f_gpu + β4·f_mem)   one universal fit
//
// Both are ordinary least squares. Four modes give fewer distinct rows than unknowns, so the time
// fit is the minimum-norm solution on centred features, frequencies all in MHz and cores raw.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "predict/predictor.h"

namespace flyball {

/// A fitted hyperplane: value = offset + coefficients · x.
struct LinearFit {
  double offset = 0;
  std::vector<double> coefficients;  ///< one per axis

  double at(std::span<const double> x) const;
};

/// Minimum-norm least squares of `y` on the rows of `x` (row-major, y.size() × dimensions),
/// features centred. Never fails: directions that the rows do not span get no weight.
LinearFit fit_linear(std::span<const double> x, size_t dimensions, std::span<const double> y);

/// E = offset + T·(coefficients · x), minimum-norm least squares; units are the caller's.
struct EnergyFit {
  double offset = 0;
  std::vector<double> coefficients;

  double at(std::span<const double> x, double time) const;
};
EnergyFit fit_energy(std::span<const double> x, size_t dimensions, std::span<const double> time,
                     std::span<const double> energy);

/// The two models as a Predictor, named "linear". Power is E/T. References that share the axes join
/// the universal energy fit. Intervals are jackknife: quantiles of leave-one-out relative errors.
std::unique_ptr<Predictor> make_linear();

}  // namespace flyball
