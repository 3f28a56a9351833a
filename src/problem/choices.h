// Every choice that a problem offers.
#pragma once

#include <array>
#include <span>

#include "problem/problem.h"

namespace flyball {

/// Calls visit(choice) for each choice: one candidate for each role, in one mode for all roles (any
/// modes with `separate_modes`). The order is fixed: by mode, then by batch size.
template <class Visit>
void for_each_choice(const Problem& problem, Visit&& visit) {
  const Candidates& all = *problem.candidates;
  std::array<size_t, 2> choice{};
  if (all.roles() == 1) {
    for (size_t mode = 0; mode < all.mode_count(); ++mode)
      for (size_t candidate : all.of_mode(0, mode)) {
        choice[0] = candidate;
        visit(std::span<const size_t>(choice.data(), 1));
      }
    return;
  }
  for (size_t mode = 0; mode < all.mode_count(); ++mode) {
    const size_t first = problem.separate_modes ? 0 : mode;
    const size_t last = problem.separate_modes ? all.mode_count() : mode + 1;
    for (size_t a : all.of_mode(0, mode))
      for (size_t other = first; other < last; ++other)
        for (size_t b : all.of_mode(1, other)) {
          choice = {a, b};
          visit(std::span<const size_t>(choice.data(), 2));
        }
  }
}

}  // namespace flyball
