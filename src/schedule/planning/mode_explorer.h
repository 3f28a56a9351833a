// Which power mode that nobody has profiled is worth a visit while it serves.
#pragma once

#include <set>

#include "schedule/planning/arrival_plan.h"

namespace flyball {

struct ExploreOptions {
  size_t most = 0;     ///< modes that are visited
  double gain = 1.02;  ///< of what the best plan there is trains (or answers in), at least
  double percentile = usual_percentile;  ///< as plans have it …
  double margin = 1.03;                  ///< … for this times the rates
  double requests = 3000;                ///< simulated for each choice
  uint64_t seed = 1;
  QueueRules queue{};
  const std::atomic<bool>* stop = nullptr;
};

/// What a mode promises by prediction.
struct ModePromise {
  size_t mode = 0;
  std::vector<size_t> choice;
  RunningPlan plan;            ///< durations at the upper bounds of what is predicted
  double trainings_per_s = 0;  ///< at the means
  double p99_ms = 0;
};

/// Fits a process ("gp") to the readings there are, and promises a mode that has none where
/// - nothing differs from what was profiled on an axis of which one value was;
/// - by the upper bounds of the predicted times next to nothing is late: at most a tenth of what
///   the percentile allows, and there is training at all;
/// - the predicted power keeps the power budget;
/// - by the predicted means it is better than the best plan there is by `gain`, or there is none.
class ModeExplorer {
 public:
  ModeExplorer(const Problem& problem, ExploreOptions options);

  /// The mode that promises most at these rates. `best`: the best plan by the readings there are.
  /// Error: nothing can be predicted from them.
  Result<std::optional<ModePromise>> next(const Readings& known, std::span<const double> rates_hz,
                                          const std::optional<SimulatedChoice>& best) const;
  /// It counts, and is not promised again.
  void visited(size_t mode);
  /// It does not count, and is not promised again: it cannot be set, or no gap held the switch.
  void pass_over(size_t mode) { passed_.insert(mode); }
  size_t left() const { return options_.most - std::min(options_.most, visited_); }

 private:
  const Problem& problem_;
  ExploreOptions options_;
  std::set<size_t> passed_;
  size_t visited_ = 0;
};

/// The modes in which a role has a reading.
std::set<size_t> known_modes(const Problem& problem, const Readings& readings, size_t role);

}  // namespace flyball
