// Roofs of modes that were not measured: constants as non-negative sums over the clocks.
#pragma once

#include <vector>

#include "predict/roofline/roofline.h"

namespace flyball {

/// A sample with its power mode (one value per board axis).
struct RoofRow {
  std::vector<double> mode;
  RoofSample sample;
};

/// τ_flop and τ_mem are sums of 1 and 1/axis (and 1/(cores·CPU clock)); ε_flop, ε_mem and π0 of 1
/// and the axes (π0 also of cores·CPU clock).
class ClockRoofs {
 public:
  /// Alternates between which roof binds a row and the least relative error of each roof's rows.
  static ClockRoofs fit(const std::vector<Axis>& board, const std::vector<RoofRow>& rows);

  double time_s(const std::vector<double>& mode, double flop, double bytes) const;
  double power_w(const std::vector<double>& mode, double flop, double bytes, double time_s) const;

 private:
  std::vector<double> inverse_terms(const std::vector<double>& mode) const;
  std::vector<double> direct_terms(const std::vector<double>& mode) const;
  void fit_time(const std::vector<RoofRow>& rows);
  void fit_power(const std::vector<RoofRow>& rows);
  std::vector<double> power_features(const std::vector<double>& mode, double flop, double bytes,
                                     double time_s) const;

  std::vector<size_t> varying_;  // axes that take more than one value
  std::vector<double> top_;      // their highest values, so that terms are of order one
  int cores_ = -1, cpu_ = -1;    // positions in varying_
  double flop_scale_ = 1, byte_scale_ = 1;
  std::vector<double> tau_flop_, tau_mem_, power_;
};

}  // namespace flyball
