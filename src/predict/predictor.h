// A model of time and power over configurations, fitted on measurements and references.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/table.h"

namespace flyball {

/// Mean and calibrated 90 % interval of one figure, one entry per configuration.
struct Estimates {
  std::vector<double> mean, lo90, hi90;
};

/// What a predictor says of a space. Never holds a NaN: a figure that cannot be predicted is
/// absent.
struct Prediction {
  Estimates minibatch_ms;
  Estimates power_w;               ///< empty when no power was measured
  std::vector<bool> extrapolated;  ///< outside the box of the profiled configurations
  bool simulated_outside = false;  ///< a simulation tells of what lies there: no need to widen it
  std::vector<std::string> notes;  ///< fallbacks taken, offsets fitted, rows down_weighted
};

/// Joint samples of what a predictor believes: surfaces that could be the true ones, the noise of
/// readings aside. Logarithms; all draws of a configuration stand beside each other, and time and
/// power of one draw belong together.
struct Draws {
  size_t count = 0;
  std::vector<float> log_ms;  ///< configurations × count
  std::vector<float> log_w;   ///< empty when no power was measured
};

/// Normal distributions of the logarithms of time and power, the noise of a reading included; one
/// entry per configuration.
struct Posterior {
  std::vector<double> log_ms, sd_ms;
  std::vector<double> log_w, sd_w;  ///< empty when no power was measured

  bool has_power() const { return !log_w.empty(); }
};

/// What means and intervals stand for.
Posterior posterior_from(const Prediction& told);

/// Options every predictor takes.
struct FitOptions {
  uint64_t seed = 1;
};

/// Fit once, predict often. A fitted predictor is immutable and may be used from several threads.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// The name under which it stands in the list, e.g. "gp".
  virtual std::string name() const = 0;
  /// `measured`: the profiled configurations of the target (repeats allowed, power may be NaN).
  /// `references`: whole tables of other workloads or boards; a predictor may ignore them.
  /// Errors: too few rows, a time that is not above zero, an axis it cannot do without.
  virtual Status fit(const WorkloadTable& measured, std::span<const WorkloadTable> references,
                     const FitOptions& options) = 0;
  /// Predicts every configuration of `space`, whose axes must include those fitted on.
  virtual Result<Prediction> predict(const Space& space) const = 0;
  /// Equal seeds, equal samples. Of a predictor that knows no more than its intervals each draw
  /// shifts all of a figure alike, by as many standard deviations.
  virtual Result<Draws> draw(const Space& space, size_t count, uint64_t seed) const;
  /// Means and spreads of readings; of a predictor that can, over draws of all that it believes:
  /// where readings are few the mean is another than that of predict(), which is the most probable.
  /// As many draws as it likes, by the size of the space; equal seeds and spaces, equal answers.
  virtual Result<Posterior> posterior(const Space& space, uint64_t seed) const;
};

}  // namespace flyball
