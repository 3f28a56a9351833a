// Trials that an answer owes to earlier runs: whose, how old, and how the machine was then.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answers/observation.h"
#include "base/json_fwd.h"
#include "base/option_name.h"

namespace flyball {

/// The live trials that an answer took over from one earlier run.
struct Reused {
  std::optional<int64_t> run;  ///< its number in the store; nothing: it belongs to none
  size_t trials = 0;
  std::string measured_utc;           ///< start of the latest of them
  double age_s = 0;                   ///< of that one; NaN where it is not known
  std::optional<double> other_cores;  ///< that others kept busy in the median of them
  bool busy = false;                  ///< noticeably
};

/// By run, the earliest first; a table's readings are nobody's, and what `own` (this very run)
/// measured before it was interrupted is left out. `now_utc` as wall_clock_utc() gives it.
std::vector<Reused> reused_trials(std::span<const Observation> trials, std::optional<int64_t> own,
                                  const std::string& now_utc);

/// The list `reused` of docs/json.md.
Json reused_json(std::span<const Reused> reused);
/// "10 trials from run 1, 8 min ago, on a busy machine; --fresh measures again"; "" for none.
std::string reused_text(std::span<const Reused> reused, Caller caller = Caller::command_line);
/// "10 of 20 configurations known: 2 trials now, 8 trials from run 1, …" of `trials` trials in all;
/// "" where none of them is an earlier run's.
std::string known_text(size_t known, size_t configurations, size_t trials,
                       std::span<const Reused> reused, Caller caller = Caller::command_line);

}  // namespace flyball
