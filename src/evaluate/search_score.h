// One answer held against the optimum, and many answers summed up.
#pragma once

#include <span>

#include "evaluate/search_sweep.h"
#include "problem/exact.h"

namespace flyball {

/// The exact solutions an answer is compared with.
struct Optima {
  Outcome raw, robust;          ///< by the problem's objective; robust without suspicious rows
  double latency_ms = 0;        ///< least peak latency (inference)
  double most_minibatches = 0;  ///< largest n (concurrent)
};
Optima find_optima(const Problem& problem, const Readings& raw, const Readings& robust);

/// What became of one search.
struct Scored {
  bool solved = false, has_robust = false, over_power = false, over_by_1w = false;
  double excess = 0, robust_excess = 0, latency_excess = 0;  ///< percent
  double n = 0, n_loss = 0;                                  ///< minibatches; percent
  bool counts_n = false;                                     ///< n_opt > 0
  double profiles = 0, trials = 0, seconds = 0;
  double answer = 0, power_w = 0;  ///< objective and the larger power, as tabled
};
Scored score(const Problem& problem, const Optima& optima, const Readings& raw,
             std::span<const size_t> choice);

/// The same for a choice that rests on predictions, by the paper's rule: solved when power is at
/// most 1 W and latency at most 10 ms over.
Scored score_predicted(const Problem& problem, const Optima& optima, const Readings& raw,
                       std::span<const size_t> choice);

/// The row of one run over all solvable problems.
SearchRow summarise(ProblemKind kind, const std::string& strategy, size_t problems,
                    std::span<const Scored> scored);
/// Each figure's median over runs with different seeds; the seconds are their sum.
SearchRow median_row(std::span<const SearchRow> rows);

}  // namespace flyball
