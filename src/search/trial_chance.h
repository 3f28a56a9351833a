// How likely a trial of a candidate is to be of use, by those that failed and by those whose
// figures were beyond their limits.
#pragma once

#include <span>
#include <vector>

#include "history/history.h"

namespace flyball {

/// For each candidate of the role the chance that a trial of it does not fail, from 0 (of one that
/// failed) to 1 (of one that was read); empty
/// while none failed. Trials that were not made count for nothing. What fails mostly fails from
/// some value of one axis on (a batch size that memory does not hold), so each axis, direction and
/// value is a hypothesis; that failures have nothing to do with axes is one more. Each predicts by
/// its weight after what was tried (Bayesian model averaging; Hoeting et al., Statistical Science
/// 14(4), 1999).
std::vector<double> success_chances(const History& history, size_t role);

/// Of a choice, one candidate for each role: the product of their chances. `by_role`: of either
/// kind; where it is empty nothing speaks against any.
double chance_of(std::span<const size_t> choice, std::span<const std::vector<double>> by_role);

/// The role's candidates that nobody tried and that are likelier to fail than not, ascending.
std::vector<size_t> likely_failures(const History& history, size_t role);

/// For each candidate of the role the chance that it can be measured and that figures of its own
/// hold (figure_chances()); empty while nothing spoke against any.
std::vector<double> trial_chances(const History& history, size_t role);

}  // namespace flyball
