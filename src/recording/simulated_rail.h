// A rail as an INA3221 shows it: voltage and current, each in its own steps, with noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.h"
#include "twin/board.h"

namespace flyball {

/// The chip resolves 40 µV over its shunt and 8 mV of the bus. AGX kits have shunts of 2 mΩ (20 mA
/// a step; AGX Xavier 5 mΩ) and measure most rails at their input of 19 V; the others have 5 mΩ
/// (8 mA) at 5 V.
class SimulatedRail {
 public:
  static constexpr double step_v = 8e-3;
  static constexpr double sample_noise = 0.02;  ///< of each sample, relative
  static double step_a(const TwinBoard& board) {
    return board.id.starts_with("orin_agx") ? 20e-3 : 8e-3;
  }

  SimulatedRail(const TwinBoard& board, const TwinRail& rail) : step_a_(step_a(board)) {
    const bool low =
        rail.name.find("5V0") != std::string::npos || rail.name.find("1V8") != std::string::npos;
    bus_v_ = board.id.find("agx") != std::string::npos && !low ? 19 : 5;
  }

  /// One sample of a rail that draws so much, in W.
  double read(double watts, Random& random) const {
    const double volts = round_to(bus_v_ + 4e-3 * random.normal(), step_v);
    const double noisy_w = watts * (1 + sample_noise * random.normal());
    // The chip's own noise is about half a step.
    const double amperes =
        round_to(std::max(0.0, noisy_w / volts + 0.5 * step_a_ * random.normal()), step_a_);
    return volts * amperes;
  }

 private:
  static double round_to(double value, double step) { return step * std::round(value / step); }
  double step_a_, bus_v_ = 5;
};

}  // namespace flyball
