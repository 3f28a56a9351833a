// The board's presets beside an answer: what each takes and draws, and which limits it breaks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "problem/exact.h"
#include "profile/trials/profiler.h"
#include "search/strategy.h"

namespace flyball {

/// A limit that a choice does not keep.
struct BrokenLimit {
  Constraint constraint = Constraint::none;
  std::string text;      ///< "power budget (10.8 W)"
  bool unknown = false;  ///< what it takes of it was not read: it is not known to be kept
};

/// A preset with the run settings that one gets without tuning.
struct PresetAnswer {
  int id = 0;
  std::string name;
  bool in_force = false;
  bool is_default = false;     ///< the same configuration as the answer's default
  std::vector<size_t> choice;  ///< one candidate for each role; empty: not among those searched
  Settings settings;           ///< of the first role
  double minibatch_ms = not_measured;  ///< of the first role
  double power_w = not_measured;
  Provenance provenance = Provenance::predicted;
  Outcome outcome;
  std::vector<BrokenLimit> breaks;
  std::string text;  ///< the answer against it; "" where it was not measured

  bool measured() const { return provenance != Provenance::predicted; }
  /// Measured, and within all limits.
  bool will_do() const { return measured() && breaks.empty(); }
  std::string title() const;  ///< "preset 30W (in force)"
};

/// Which limits the choice does not keep, or is not known to keep, by these readings.
std::vector<BrokenLimit> broken_limits(const Problem& problem, const Readings& readings,
                                       std::span<const size_t> choice);
/// "MAXN breaks the power budget (10.8 W)", "MAXN is not known to keep the power budget"; "" where
/// it keeps all.
std::string breaks_text(const std::string& name, const std::vector<BrokenLimit>& breaks);

/// "MAXN" where a workload's default is the highest mode of a board with a GPU, which is an axis of
/// `space`; else "the default".
std::string default_name(const ProfilerInfo& workload, const Space& space);

/// All presets of the board, in its order; `readings` has what is measured or predicted of them.
std::vector<PresetAnswer> preset_answers(const Strategy& strategy, const Presets& presets,
                                         const Readings& readings, Provenance known);
/// Of those that will do the one with the least loss; null: none.
const PresetAnswer* best_preset(const std::vector<PresetAnswer>& presets);
/// The one in force; null: none.
const PresetAnswer* preset_in_force(const std::vector<PresetAnswer>& presets);

/// One entry of `presets` (docs/json.md).
Json to_json(const PresetAnswer& preset);

}  // namespace flyball
