// Limits that are relaxed so far that a training fits beside a service.
#pragma once

#include <vector>

#include "problem/exact.h"

namespace flyball {

/// Is a training asked for beside a service, for as much of it as there can be?
bool wants_training(const Problem& problem);

/// Do two of them (Relaxation, or what is told of one) ease the same limit of the same role?
template <class A, class B>
bool same_limit(const A& a, const B& b) {
  return a.constraint == b.constraint && a.role == b.role;
}

/// As relaxations(), of those choices that train something; none where no relaxation of one limit
/// makes them feasible.
std::vector<Relaxation> training_relaxations(const Problem& problem, const Readings& readings);

}  // namespace flyball
