// Time as a non-negative sum of terms in 1/f, power as one of terms in f and f³: what the clocks of
// a pipeline without overlap do. Fitted on relative errors; ignores references.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "predict/predictor.h"

namespace flyball {

/// One term of a physical sum: a product of powers of axes.
struct PhysicalTerm {
  struct Factor {
    size_t axis;
    double exponent;
  };
  std::string name;  ///< e.g. "1/(cpu_cores cpu_mhz)"
  std::vector<Factor> factors;
};

/// The terms of time and of power over these axes (those that vary). An axis of unknown meaning may
/// work either way.
std::vector<PhysicalTerm> physical_time_terms(const std::vector<Axis>& axes);
std::vector<PhysicalTerm> physical_power_terms(const std::vector<Axis>& axes);

/// A fitted sum.
struct PhysicalFit {
  std::vector<PhysicalTerm> terms;
  std::vector<double> weights;  ///< ≥ 0, of values relative to `scale`
  std::vector<double> scale;    ///< highest profiled value of each axis, shifted
  std::vector<double> shift;    ///< added first: 0, or what makes the lowest profiled value 1
  double half_width = 1;        ///< of the 90 % interval, a fraction of the value

  /// `x`: one value for each axis the terms were made for.
  double at(std::span<const double> x) const;
};

/// `x` row-major over the axes. Rows that the others contradict weigh less.
PhysicalFit fit_physical(const std::vector<Axis>& axes, std::vector<PhysicalTerm> terms,
                         std::span<const double> x, std::span<const double> y);

/// Named "physical"; fits two rows and more.
std::unique_ptr<Predictor> make_physical();

}  // namespace flyball
