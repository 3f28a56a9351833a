// Whether two figures differ by more than noise and the state of the machine explain: the one rule,
// for the answer against the default and presets (comparison.h) as for two runs.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>

#include "answers/tune_result.h"

namespace flyball {

/// A figure with its 90 % interval, and what its readings knew of the machine.
struct Figure {
  double value = std::numeric_limits<double>::quiet_NaN();
  double lo = value, hi = value;  ///< NaN where its spread is not known
  double others = 0;              ///< cores that other processes kept busy in its quietest reading
  bool load_unknown = false;      ///< no reading knows them, though it was measured here
  bool predicted = false;
  bool disturbed = false;  ///< somebody else measured on this machine during each of its readings
  bool throttled = false;  ///< the board throttled in each of its readings
};

/// What the readings of one configuration knew of the machine, into the figure that rests on them
/// (none failed); of a figure of several configurations the worst counts.
void take_conditions(std::span<const Measurement* const> readings, Figure& figure);

/// Time, power or energy of a configuration, divided by `per`, from all its readings; none of them
/// failed, and there may be none.
Figure figure_of(const Configuration& known, std::span<const Measurement* const> readings,
                 Objective quantity, double per = 1);

/// Why no difference between the two is established; "" where one is: the 90 % intervals do not
/// overlap, both were measured (or looked up), and other processes cannot explain it. Power and
/// energy of a busy machine are not the workload's alone, and with c cores busy a time may be
/// shorter by a share of 2c on a quiet one. Threads wait for the one whose core is shared, so from
/// half a core on no bound is known (measured: LeNet-5's default, 394 ms for 1.4 ms).
/// `first_name`: "the default", "run 3".
std::string doubt_of(const Figure& first, const Figure& second, Objective quantity,
                     const std::string& first_name, const std::string& second_name);

}  // namespace flyball
