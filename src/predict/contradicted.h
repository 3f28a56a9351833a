// Rows of a table that the rows around them contradict: faults of a measurement, not physics.
#pragma once

#include <vector>

#include "space/table.h"

namespace flyball {

/// What a smooth surface through the rows around lets expect in each row's place, that row left
/// out: a polynomial of second degree in the axes (in the logarithms of those that double), of
/// logarithms of the values, over rows at most two steps away in all, nearer ones counting more.
/// Where too few rows are around for the second degree, of first degree. NaN where what is expected
/// would be far less certain than one reading (a place out of the ends of what is around, say).
/// Rows that lie far off are counted down and the others judged again.
struct Surroundings {
  std::vector<double> expected;
  /// By how much such a surface may miss the row, in logarithms: three standard deviations, from
  /// the median of what it misses in the whole table, more where less is around (at an edge, say).
  /// Over coarse steps that is more than a reading's noise.
  std::vector<double> miss;
};
/// `values` has one value above zero or NaN for each configuration of the space, which holds each
/// once.
Surroundings surroundings(const Space& space, const std::vector<double>& values);

/// Rows whose power lies more than `tolerance` (fraction) below what the rows around let expect,
/// and by more than the surface misses, probably read before power had settled. The robust optimum
/// leaves them out.
/// Repeats of one configuration are judged by their median, and found together.
std::vector<size_t> suspicious_power(const WorkloadTable& table, double tolerance = 0.06);

/// Rows whose time lies off what the rows around let expect by more than that, either way.
std::vector<size_t> suspicious_time(const WorkloadTable& table, double tolerance);

}  // namespace flyball
