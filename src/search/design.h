// First trials without a model: corners, then whatever is farthest from all that was measured.
#pragma once

#include "search/ledger.h"

namespace flyball {

struct DesignPoint {
  std::vector<size_t> choice;
  std::string reason;
};

/// The next point of the design, or nothing when every choice is measured or failed: the mode with
/// every axis at its highest, the one with every axis at its lowest, the centre, then maximin
/// distance on ranks.
std::optional<DesignPoint> next_design_point(const Ledger& ledger);

}  // namespace flyball
