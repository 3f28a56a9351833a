// Gaussian processes around physical forms, one for the logarithm of time and one for that of
// power, which knows the time that the first predicts. docs/prediction.md gives the model.
#pragma once

#include <memory>

#include "predict/gp/reference_weights.h"
#include "predict/gp/surface.h"
#include "predict/gp/told_rows.h"
#include "predict/predictor.h"

namespace flyball {

/// Priors and what references may change. The defaults are what the registry's predictors use.
struct GpSettings {
  SurfacePriors time{{{-2.53, 0.6}, {-3.51, 0.5}, {0.18, 0.6}, {1.1, 2}}};          // 0.08, 0.03
  SurfacePriors power{{{-3.51, 0.6}, {-3.91, 0.5}, {0, 0.6}}, 0.6, 0.4};            // 0.03, 0.02
  SurfacePriors time_transfer{{{-3.0, 0.6}, {-3.51, 0.5}, {0.18, 0.6}, {1.1, 2}}};  // 0.05
  SurfacePriors power_transfer{{{-3.91, 0.6}, {-3.91, 0.5}, {0, 0.6}}, 0.6, 0.4};   // 0.02
  ReferenceWeights reference_weights;
  /// How far a twin lies off a table that its constants did not see: 1.25 times the largest mean
  /// error that docs/twin.md had for tables "left out" when it was set (25.9 and 8.6 %; 23.5 and
  /// 7.6 since), half of the variance in the level.
  ToldSpread prior_time{0.23, 0.23}, prior_power{0.08, 0.08};
};

/// "gp": ignores references.
std::unique_ptr<Predictor> make_gp();
/// "transfer-gp": references shift the priors of the forms' parameters and add their residual
/// fields with learned weights. Time and power are each averaged over sets of references
/// (averaged_surface.h). What a simulation of the workload (WorkloadTable::prior) and the board's
/// form of cost (predict/roofline/cost_form.h) say of it are rows beside the readings
/// (told_rows.h), the simulation's shape is one more set. Needs one reading; with one of these,
/// none.
std::unique_ptr<Predictor> make_transfer_gp();
std::unique_ptr<Predictor> make_gp_with(bool transfer, const GpSettings& settings);

}  // namespace flyball
