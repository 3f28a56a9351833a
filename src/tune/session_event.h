// What a session tells those who listen, in the order in which it happens. A trial is asked, begun
// (when the store does not know it), sampled while it runs, and ended; an answer ends a search.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "answers/observation.h"
#include "problem/problem.h"
#include "profile/trials/profiler.h"

namespace flyball {

/// A strategy wants to know a configuration.
struct TrialAsked {
  size_t role = 0, candidate = 0;
  const ProfilerInfo* who = nullptr;
  Settings settings;
  std::string reason;
  bool repeat = false, verification = false;
  size_t done = 0, total = 0;  ///< trials so far, and how many may come
};

/// The store does not know it, so the board is set and measured now.
struct TrialBegun {
  size_t role = 0;
};

/// A live trial goes on.
struct TrialSampled {
  size_t role = 0;
  TrialSample sample;
};

/// A trial has ended; it is on disk where there is a store.
struct TrialEnded {
  const Observation* trial = nullptr;
};

/// A search has ended: with a choice, or with why there is none.
struct Answered {
  const Problem* problem = nullptr;
  std::vector<size_t> choice;  ///< one candidate for each role; empty when there is none
  std::string why_not;
  std::string stopped;  ///< why the search ended
};

/// What was not profiled is predicted now.
struct Predicted {
  size_t role = 0;
  size_t configurations = 0;  ///< how many are predicted
};

using SessionEvent =
    std::variant<TrialAsked, TrialBegun, TrialSampled, TrialEnded, Answered, Predicted>;
/// Called in the session's thread; what the event points to lives as long as the call.
using SessionListener = std::function<void(const SessionEvent&)>;

}  // namespace flyball
