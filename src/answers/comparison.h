// The answer against what one gets without tuning: is there a difference (doubt.h), and in which
// words, for terminal, JSON and page alike.
#pragma once

#include <optional>
#include <string>

#include "answers/plan.h"
#include "answers/tune_result.h"
#include "base/json_fwd.h"

namespace flyball {

/// One figure of the choice against that of the default.
struct Change {
  double pct = 0;  ///< percent, below zero is less; NaN where one of the two is not known
  bool established = false;
};

struct Comparison {
  Change time, energy;  ///< per minibatch, sample or run, as TuneResult::per says
  Change power;
  bool established = false;  ///< is the change of what was to be small?
  std::string doubt;         ///< why not; "" when it is
  std::string
      text;  ///< "36.4 % less time per minibatch than the default", or what keeps it from it
};

/// Nothing without a choice. doubt.h says when a difference is established. Its text is the
/// headline: it says which limits the default breaks, and how the choice compares with the best
/// preset within the limits and the one in force.
std::optional<Comparison> compare_with_default(const TuneResult& result);

/// Says of each preset that was measured what the answer is to it (PresetAnswer::text): "1.9x
/// faster than preset 7W at 9.83 W".
void compare_with_presets(TuneResult& result);
void compare_with_presets(Plan& plan);
/// The headline of a plan: that it trains nothing, then as that of a tune, without the default; ""
/// where it has nothing to say.
std::string compare_with_default(const Plan& plan);
/// {"objective", "power"}: is the answer's difference from the default one? Null without a default
/// or an answer.
Json established_json(const Plan& plan);

/// How far the choice is above the optimum of a table, percent of what was to be small; NaN where
/// that is not known.
double gap_pct(const TuneResult& result, const std::optional<TableRow>& optimum);
/// "0.0 % more time than the raw optimum, 1.2 % than the robust one"; "" without an oracle or
/// choice.
std::string oracle_text(const TuneResult& result);

}  // namespace flyball
