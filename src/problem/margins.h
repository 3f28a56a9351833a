// What a choice uses of each limit.
#pragma once

#include <string>
#include <vector>

#include "problem/exact.h"

namespace flyball {

struct Margin {
  Constraint constraint = Constraint::none;
  size_t role = 0;
  std::string workload;        ///< whose; "" for power
  double used = 0, limit = 0;  ///< as limit_of() has it: of a slowdown the factor
  std::string unit;
  std::string span = "";  ///< "epoch": what the figures are of, where not of a minibatch
  /// It is used up, and without it a better choice is known or predicted.
  bool binds = false;

  bool missed() const { return !holds(used, limit); }
};

/// What the choice uses of each limit that is set.
std::vector<Margin> margins_of(const Problem& problem, const Readings& readings,
                               std::span<const size_t> choice);

/// With `used` and `limit` in its unit: of a slowdown percent.
Margin in_unit(Margin margin);

/// "power 14.84 of 15 W", "net arrival rate 60/s of the 45.2/s that could be sustained": what is
/// used is rounded so that it may be typed as the limit.
std::string margin_text(const Margin& margin);

/// The limits that the choice misses, each with its value: "power 5.45 of 5 W, net latency 134 of
/// 100 ms"; "" where it misses none but that of a figure of its own.
std::string missed_text(const std::vector<Margin>& margins);

}  // namespace flyball
