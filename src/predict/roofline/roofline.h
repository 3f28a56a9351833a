// Time and energy rooflines of each power mode (Pagoda, arXiv 2509.20189).
//
//   T = max(W·τ_flop, Q·τ_mem)        E = W·ε_flop + Q·ε_mem + π0·T        P = E/T
//
// W are a minibatch's FLOPs, Q its DRAM bytes (space/cost.h). Constants cannot be
// negative.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "predict/predictor.h"

namespace flyball {

/// One workload measured in one power mode.
struct RoofSample {
  double flop = 0, bytes = 0;  ///< of a minibatch
  double time_s = 0;
  double energy_j = 0;  ///< of a minibatch; NaN where there was no power
};

struct TimeRoof {
  double tau_flop = 0, tau_mem = 0;  ///< s per FLOP, s per byte: 1/F_peak, 1/BW

  double at(double flop, double bytes) const;  ///< s
};

struct EnergyRoof {
  double eps_flop = 0, eps_mem = 0;  ///< J per FLOP, J per byte
  double pi0 = 0;                    ///< W

  double at(double flop, double bytes, double time_s) const;
};

/// Least squares of the logarithms; exact, since the samples a roof binds are those below (above)
/// one intensity. A roof that binds no sample is set to the best that any of them attained, which
/// it cannot be worse than. At least one sample.
TimeRoof fit_time_roof(std::span<const RoofSample> samples);
/// Non-negative least squares of the relative errors, over the samples that have energy. Three
/// samples of different intensity and time are needed to tell the constants apart.
EnergyRoof fit_energy_roof(std::span<const RoofSample> samples);

/// Named "roofline". The constants of a mode come from the references of the same board (and power
/// total) that were measured in it, those of a mode which fewer than two of them know from
/// constants that are non-negative sums of clocks. What the target itself attains of the roof is
/// one factor for time and one for power, from its own rows; none are needed. Without usable
/// references its own rows give the constants. Tables have to say what their networks cost. Where
/// they say it by kind of operator, and the references, each predicted from the others, err less by
/// the board's form of cost (cost_form.h) than by roofs, or no roofs can be had, that form answers
/// in their place.
std::unique_ptr<Predictor> make_roofline();

}  // namespace flyball
