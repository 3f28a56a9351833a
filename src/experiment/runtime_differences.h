// What a container costs: each runtime beside bare, figure by figure, and whether that is anything.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "experiment/summary.h"

namespace flyball {

enum class DifferenceVerdict { none, higher, lower, unknown };

/// A ratio of means over repeats, from what each repeat has of it.
struct RelativeDifference {
  double ratio = std::numeric_limits<double>::quiet_NaN();
  double low = ratio, high = ratio;  ///< of its 90 % interval; NaN: one repeat tells none
  int repeats = 0;
  DifferenceVerdict verdict = DifferenceVerdict::unknown;
  std::optional<int> more{};  ///< repeats that would probably tell, where it is unknown
};
/// Two one-sided tests at 5 % each: `none` where the 90 % interval lies within ± `within_pct`, else
/// higher or lower where it leaves 1 out. Student's t over logarithms, repeat by repeat, so that a
/// drift of the machine between repeats is no spread.
RelativeDifference difference_of(std::span<const double> log_ratios, double within_pct);

struct FigureDifference {
  std::string figure{};  ///< as in the JSON: "minibatch_ms"
  RelativeDifference difference{};
};

/// One runtime beside bare, all other settings being equal.
struct RuntimeDifference {
  std::string others{};  ///< the other settings that vary: "phase train"; "" where none does
  std::string runtime{};
  std::optional<double> start_ms{}, bare_start_ms{};  ///< of an empty program, medians
  std::vector<FigureDifference> figures{};            ///< that both have, minibatch_ms first
};
std::vector<RuntimeDifference> runtime_differences(const ExperimentSpec& spec,
                                                   const std::vector<Group>& groups);
/// A list, as the JSON of an experiment has it.
Json runtime_differences_json(const std::vector<RuntimeDifference>& differences);

}  // namespace flyball
