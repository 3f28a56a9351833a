// Memory that ran out, as an error like any other.
#pragma once

#include <string>

#include "base/status.h"

namespace flyball {

/// `what` is what there was no memory for.
inline Error out_of_memory(const std::string& what) {
  return {Code::out_of_memory, "out of memory: " + what, "take a smaller batch size"};
}

}  // namespace flyball
