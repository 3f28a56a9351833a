// What a trial is worth: probability of being feasible and expected improvement (Gardner et al.,
// "Bayesian optimization with inequality constraints", ICML 2014). Worlds are drawn from what the
// predictors believe; in each of them both are closed forms of log-normal figures, so that what a
// few draws happen to like costs nothing, and what errs together is told apart.
#pragma once

#include <span>

#include "search/posterior.h"

namespace flyball {

/// Mean and spread on the log scale.
struct LogNormal {
  double mean = 0, sd = 0;
};

/// Time and power of a role's candidate. Power may be unknown, {0, 0}: then nothing is asked of it
/// (a budget on it ends the search elsewhere).
struct LogReading {
  LogNormal time, power;
};

/// What is expected of one choice.
struct AcquisitionValue {
  double feasible = 0;  ///< probability that all constraints hold
  double loss = 0;      ///< median of the objective
  double gain = 0;      ///< expected improvement over `best`, the chance of being feasible included
};

/// Weighs a choice against the loss `best` (unlimited: nothing to improve on; gain is then 0).
/// `figures`: of each role's candidate.
AcquisitionValue acquisition_value(const Problem& problem, std::span<const LogReading> figures,
                                   std::span<const size_t> choice, double best);

/// What predictions of every role let expect of a choice, averaged over 16 worlds (8 of more than
/// 1,000 candidates), with the chance that figures of the program's own hold (figure_chance.h).
/// Nothing is known where a role has no predictions.
class Outlook {
 public:
  Outlook() = default;
  Outlook(const History& history, const SearchOptions& options);

  bool known() const { return !posteriors_.empty(); }
  /// As acquisition_value(), the loss of the posteriors' medians; known() must hold.
  AcquisitionValue expect(const Problem& problem, std::span<const size_t> choice,
                          double best) const;
  /// Is its `feasible` at least this chance? Where it is not, a world or two tell.
  bool holds(const Problem& problem, std::span<const size_t> choice, double chance) const;

 private:
  LogReading log_reading(size_t role, size_t candidate, size_t world) const;
  /// As acquisition_value() has it in a world, the loss left out.
  AcquisitionValue in_world(const Problem& problem, std::span<const size_t> choice, double best,
                            size_t world) const;
  /// That figures of the program's own hold.
  double figure_chance(std::span<const size_t> choice) const;

  std::vector<Posterior> posteriors_;         ///< by role
  std::vector<Worlds> worlds_;                ///< likewise
  size_t count_ = 1;                          ///< of worlds
  std::vector<std::vector<double>> chances_;  ///< that figures hold, by role; empty: none broke
};

/// E[(best − X)+ ; X ≤ cap] for log-normal X.
double expected_improvement(double best, double cap, double log_mean, double sd);

/// P[X ≤ limit] for log-normal X (a step where sd is 0).
double probability_below(double limit, double log_mean, double sd);

}  // namespace flyball
