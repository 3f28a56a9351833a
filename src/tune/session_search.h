// One search of a session, from its first trial to the answer that stands. Only session.cc makes
// one.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/doubt.h"
#include "search/run.h"
#include "tune/session.h"

namespace flyball {

/// Holds what the steps of one search share.
class Session::Search {
 public:
  /// `limit`: how many trials may come.
  Search(Session& session, std::unique_ptr<Strategy> strategy, size_t limit);
  Result<SearchOutcome> run();

 private:
  Strategy& strategy() { return *outcome_.strategy; }
  Doubt* doubt() { return doubt_ ? &*doubt_ : nullptr; }
  Settings settings_of(size_t role, size_t candidate);

  Status search();
  Status answer();
  Status keep_the_answer();
  Status keep(const std::vector<size_t>& choice, const std::string& reason);

  // Each says whether anything was measured; once the time is used up nothing is.
  Result<bool> verify_answer(const std::vector<size_t>& choice);
  Result<bool> verify_advice();
  /// `reason` has {} where it says how.
  Result<bool> verify(const std::vector<size_t>& choice, const char* reason);

  /// Measures, keeps and notes.
  Result<TrialOutcome> measure(const Ask& ask, bool verification);
  TrialOutcome set_aside(const Ask& ask, const std::string& why);
  Error interrupted(Error error);
  Answered answered();

  Session& session_;
  size_t limit_, profiles_before_ = 0;
  SearchOutcome outcome_;
  std::optional<Doubt> doubt_;                    ///< tables, which read the same again, need none
  std::set<std::pair<size_t, size_t>> distinct_;  ///< role and candidate, profiled so far
};

}  // namespace flyball
