// What is known of a workload before it is read, by what it costs (predict/roofline/cost_form.h) or
// by a simulation of its board (WorkloadTable::prior): rows beside the readings. They err in level
// together, which one reading mends, and each by itself.
#pragma once

#include <vector>

#include "predict/gp/surface.h"
#include "space/table.h"

namespace flyball {

/// How far what is told lies off, as standard deviations of logarithms.
struct ToldSpread {
  double level = 0;  ///< of all rows together
  double each = 0;   ///< of each around that
};

/// What one of them says of a workload.
struct PriorKnowledge {
  Space space;           ///< few configurations, on the axes of the readings
  Vector log_ms, log_w;  ///< of each; no power: empty
  ToldSpread time, power;

  /// Few rows of `table`, spread evenly over those that are finite and above zero, on the axes of
  /// `target`. An axis that the table lacks
  /// has the highest value that was read, and is left out where none was. `time`, `power`: as far
  /// as its rows lie off.
  static PriorKnowledge of(const WorkloadTable& table, const Space& target, ToldSpread time,
                           ToldSpread power);
};

/// Of one figure, as surfaces take it.
struct ToldRows {
  Space space;
  SurfaceRows rows;  ///< fields and log_time are filled in by whoever knows them
  Vector log_values;
  ToldSpread spread;
};

/// What is said of time, and of power by those that know it.
std::vector<ToldRows> told_times(const std::vector<PriorKnowledge>& known,
                                 const Coordinates& coordinates);
std::vector<ToldRows> told_powers(const std::vector<PriorKnowledge>& known,
                                  const Coordinates& coordinates);

/// The covariance of the errors of `readings` rows, which have none here, and of those told behind
/// them; no rows where nothing is told.
Matrix told_errors(Index readings, const std::vector<ToldRows>& told);

/// The rows of both, `a` first.
SurfaceRows joined(const SurfaceRows& a, const SurfaceRows& b);
Vector joined(const Vector& a, const Vector& b);

}  // namespace flyball
