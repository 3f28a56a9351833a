// How much of a power a board draws without any work.
#pragma once

#include <cstdint>
#include <string>

#include "base/json_fwd.h"

namespace flyball {

struct IdleShare {
  double idle_w = 0, of_w = 0;
  std::string measured_utc;  ///< "": it was simulated
  int64_t run = 0;           ///< of the store, that measured it
  std::string doubts;        ///< ", before power had settled"; "" none
};

/// "of 22.3 W, 9.1 W (41 %) is idle power of this mode, measured 2026-03-01T12:30:05Z (run 7)".
std::string to_text(const IdleShare& share);
/// {"power_w", "share", "measured_utc", "run"}; the last two are null of a simulated one.
Json to_json(const IdleShare& share);

}  // namespace flyball
