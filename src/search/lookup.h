// Published algorithms as plain code: they read what they need, and the first reading that is not
// there yet becomes the next trial. After it is told, the algorithm runs again from the start; it
// is deterministic, so it comes to the same place and one step further.
#pragma once

#include <optional>

#include "search/strategy.h"

namespace flyball {

class Lookup {
 public:
  explicit Lookup(const History& history) : history_(history) {}

  /// The reading of a trial. Where there is none, wants() names the trial from now on and the
  /// caller returns at once. A failed trial reads infinite time and power, and
  /// one without a reading of power infinite power where there is a budget for it, else none.
  std::optional<Reading> read(size_t role, size_t candidate, const char* reason);
  const std::optional<Ask>& wants() const { return wants_; }

 private:
  const History& history_;
  std::optional<Ask> wants_;
};

}  // namespace flyball
