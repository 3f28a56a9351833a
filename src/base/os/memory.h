// Memory that ran out, as an error like any other.
#pragma once

#include <string>

#include "base/status.h"

namespace flyball {

/// What every such message begins with: a trial that failed for want of memory is known by it.
inline constexpr const char* out_of_memory_words = "out of memory";

/// `what` is what there was no memory for.
inline Error out_of_memory(const std::string& what) {
  return {Code::unavailable, std::string(out_of_memory_words) + ": " + what,
          "take a smaller batch size"};
}

inline bool is_out_of_memory(const Error& error) {
  return error.message.starts_with(out_of_memory_words);
}

}  // namespace flyball
