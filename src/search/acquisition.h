// What a trial is worth: probability of being feasible and expected improvement (Gardner et al.,
// "Bayesian optimization with inequality constraints", ICML 2014), in closed form on log-normal
// posteriors.
#pragma once

#include <span>

#include "search/posterior.h"

namespace flyball {

/// What is expected of one choice.
struct AcquisitionValue {
  double feasible = 0;  ///< probability that all constraints hold
  double loss = 0;      ///< median of the objective
  double gain = 0;      ///< expected improvement over `best`, the chance of being feasible included
};

/// Weighs a choice against the loss `best` (unlimited: nothing to improve on; gain is then 0).
AcquisitionValue acquisition_value(const Problem& problem, std::span<const Posterior> posteriors,
                                   std::span<const size_t> choice, double best);

/// What draws of every role's predictor let expect of a choice, with the chance that a trial of it
/// is of use (trial_chance.h). Nothing is known where a role has no predictions.
class Outlook {
 public:
  Outlook() = default;
  Outlook(const History& history, const SearchOptions& options);

  bool known() const { return !posteriors_.empty(); }
  /// As acquisition_value(); known() must hold.
  AcquisitionValue expect(const Problem& problem, std::span<const size_t> choice,
                          double best) const;

 private:
  std::vector<Posterior> posteriors_;         ///< by role
  std::vector<std::vector<double>> chances_;  ///< trial_chances(), by role
};

/// E[(best − X)+ ; X ≤ cap] for log-normal X.
double expected_improvement(double best, double cap, double log_mean, double sd);

/// P[X ≤ limit] for log-normal X (a step where sd is 0).
double probability_below(double limit, double log_mean, double sd);

}  // namespace flyball
