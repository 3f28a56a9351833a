// First trials without a model: high, low, between, then what is farthest from all measured ones.
#pragma once

#include "history/history.h"

namespace flyball {

struct DesignPoint {
  std::vector<size_t> choice;
  std::string reason;
};

/// The next point of the design: the choice with every axis at its highest, the one a third of the
/// way up on all of them (of a training within a power budget the one with the fewest cores and
/// clocks that may draw it), the one two thirds up, then maximin distance on ranks; nearness to
/// these, or distance, is weighed by success_chances() once a trial has failed. Batches that gather
/// for longer than the latency budget are left out. Nothing when all others were measured or
/// failed.
std::optional<DesignPoint> next_design_point(const History& history);

}  // namespace flyball
