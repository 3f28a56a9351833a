// Memory that ran out, as an error like any other.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/status.h"

namespace flyball {

/// `what` is what there was no memory for.
inline Error out_of_memory(const std::string& what) {
  return {Code::out_of_memory, "out of memory: " + what, "take a smaller batch size"};
}

/// Does the text of a failure, of whatever library or program, say that there was no memory?
inline bool tells_of_no_memory(std::string_view text) {
  return std::ranges::any_of(
      std::array{"out of memory", "not enough memory", "can't allocate memory",
                 "Cannot allocate memory", "MemoryError", "bad_alloc", " of memory, and "},
      [&](const char* words) { return text.find(words) != std::string_view::npos; });
}

}  // namespace flyball
