#include "answers/doubt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/figure.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

bool overlap(double lo, double hi, double other_lo, double other_hi) {
  return lo <= other_hi && other_lo <= hi;
}

std::string busy_doubt(const Figure& first, const Figure& second, Objective quantity) {
  const double most = std::max(first.others, second.others);
  const std::string busy = fmt::format(
      "other processes kept at least {} cores busy during one of them, which may explain it",
      number(most, 2));
  if (quantity != Objective::time) return most < noticeable_load ? "" : busy;
  const auto quiet = [](const Figure& figure) {
    const double share = figure.others < noticeable_load ? 0 : 2 * figure.others;
    return figure.lo * (1 - std::min(1.0, share));
  };
  return overlap(quiet(first), first.hi, quiet(second), second.hi) ? busy : "";
}

}  // namespace

void take_conditions(std::span<const Measurement* const> readings, Figure& figure) {
  if (readings.empty()) return;
  double least = std::numeric_limits<double>::infinity();
  for (const Measurement* m : readings) {
    if (m->interference.cores) least = std::min(least, *m->interference.cores);
    // A table, and a program that tells, vouch for their own figures.
    if (!m->interference.cores && !measured_here(*m)) least = 0;
  }
  figure.load_unknown = figure.load_unknown || !std::isfinite(least);
  if (std::isfinite(least)) figure.others = std::max(figure.others, least);
  figure.disturbed = figure.disturbed || std::ranges::all_of(readings, [](const Measurement* m) {
                       return !m->interference.by.empty();
                     });
  figure.throttled = figure.throttled || std::ranges::all_of(readings, [](const Measurement* m) {
                       return m->interference.throttled.value_or(false);
                     });
}

Figure figure_of(const Configuration& c, std::span<const Measurement* const> readings,
                 Objective quantity, double per) {
  Figure figure;
  if (quantity == Objective::time) {
    figure = {c.minibatch_ms / per, c.time_lo / per, c.time_hi / per};
  } else if (quantity == Objective::power) {
    figure = {c.power_w, c.power_lo, c.power_hi};
  } else {
    figure = {c.minibatch_j() / per, c.joules_lo() / per, c.joules_hi() / per};
  }
  take_conditions(readings, figure);
  figure.predicted = c.provenance == Provenance::predicted;
  return figure;
}

std::string doubt_of(const Figure& first, const Figure& second, Objective quantity,
                     const std::string& first_name, const std::string& second_name) {
  if (first.predicted) return first_name + " was not measured";
  if (second.predicted) return second_name + " was not measured";
  if (first.disturbed || second.disturbed)
    return "another flyball measured on this machine at the same time";
  if (first.throttled != second.throttled)
    return "the board throttled in " + (first.throttled ? first_name : second_name);
  if (!std::isfinite(first.hi - first.lo) || !std::isfinite(second.hi - second.lo))
    return "one reading, or equal ones, have no known spread";
  if (overlap(first.lo, first.hi, second.lo, second.hi)) return "the 90 % intervals overlap";
  if (first.load_unknown || second.load_unknown)
    return "how busy the machine was is not known of " +
           (first.load_unknown ? first_name : second_name);
  return busy_doubt(first, second, quantity);
}

}  // namespace flyball
