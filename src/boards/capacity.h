// How much memory a kind of board has, and what of it is left for a network: [capacity] in boards/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

struct BoardCapacity {
  double memory_bytes = 0;           ///< of the usual module, as sold
  double system_bytes = 0;           ///< what firmware, kernel and system take of it
  double libtorch_bytes = 0;         ///< LibTorch with its libraries and, on a GPU, CUDA's context
  std::vector<std::string> sources;  ///< where each figure is from, or that it is an assumption

  double left_bytes() const { return memory_bytes - system_bytes - libtorch_bytes; }
};

/// Of a board of boards/. Errors: no such board, with those there are; it has no [capacity].
Result<BoardCapacity> board_capacity(std::string_view id);
/// The boards of boards/, sorted; each has a capacity.
std::vector<std::string> boards_with_capacity();
/// Of such a file. Errors name it: a figure is missing or no size in GiB, more is taken than there
/// is, no sources.
Result<BoardCapacity> parse_board_capacity(const std::string& text, const std::string& file);

}  // namespace flyball
