// One board of a kind beside others of it: its clocks and rails differ a little.
#pragma once

#include <cstdint>
#include <string>

#include "twin/board.h"

namespace flyball {

/// Standard deviations of the logarithm; assumed so that boards of a kind differ about as those of
/// the characterisation study do (POMACS 6(3), section 5.4: time 1 to 8 %, energy 5.5 to 9 %).
struct BoardVariation {
  double clock =
      0.03;            ///< of the work that is done in a cycle of CPU, GPU and memory, each its own
  double rail = 0.05;  ///< of what a rail draws, each its own
  double leakage = 0.10;  ///< of its static part besides
};

/// The board of this number: each number is another board, and always the same one. 0 is the kind
/// itself, without any spread.
TwinBoard individual_board(TwinBoard kind, uint64_t number, const BoardVariation& variation = {});

inline constexpr uint64_t most_individuals = 1'000'000;
/// "orin_nano@17", taken apart; number 0 where there is no '@'. Error: no number from 1 on.
struct IndividualName {
  std::string kind;
  uint64_t number = 0;
};
Result<IndividualName> parse_individual(const std::string& text);

}  // namespace flyball
