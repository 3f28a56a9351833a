// The one loop behind every answer: ask, measure, keep, doubt, answer, verify. Requests (tune.h,
// planning.h) pose problems to it; progress, reports and records listen.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "answers/answer.h"
#include "answers/request.h"
#include "base/clock.h"
#include "base/json_fwd.h"
#include "history/recorder.h"
#include "search/strategy.h"
#include "tune/session_event.h"

namespace flyball {

/// How often at most an answer is measured once more until it stands, and the default with it.
inline constexpr int verification_rounds = 4;

/// A measurement as strategies take it.
Reading reading_of(const Measurement& measurement, std::span<const FigureLimit> limits);

/// What came of one problem.
struct SearchOutcome {
  std::unique_ptr<Strategy> strategy;  ///< with its history, remarks, and why it ended
  std::vector<Observation> trials;     ///< in the order of profiling
  std::optional<Answer> answer;
  Error why_not;  ///< when there is no answer
  std::vector<SetAside> set_aside{};
  size_t profiles = 0;  ///< that this search cost, as History::profiles() counts them
  Provenance rows = Provenance::measured;  ///< of a table, where all of its rows were read

  /// Moves its trials into the answer, with why it ended and its remarks.
  void add_to(SearchAnswer& whole);
};

/// A session measures for the problems that it is given, on the roles that it was opened with. What
/// one search has measured is known to the next, and what the store holds of the same conditions to
/// all of them, whatever it was measured for: it can be the answer, and costs no profile. What
/// earlier runs of the same question made counts as its profiles: asking again goes on there.
/// With a store it is one run there: every trial is on disk before the next one starts, and a
/// session that was cut off goes on.
class Session {
 public:
  /// Checks the names of strategy and predictor; nothing is measured and nothing is stored.
  /// `store` may be null: nothing is kept.
  static Result<std::unique_ptr<Session>> open(std::vector<MeasuredRole> roles,
                                               SessionOptions options, Store* store,
                                               SessionListener listener = {});
  /// Would search() take this problem? Its error otherwise.
  Status check(const std::shared_ptr<const Problem>& problem) const;

  /// One answer from its beginning to its end. Starts the store's run, or goes on with an
  /// interrupted one that asked for the same (`asked`: the resolved request as JSON); `work`
  /// searches and says its answer as JSON; the run ends with that, or as interrupted or failed.
  /// Call it once, after everything that may be refused was checked.
  Status answer(const std::string& command, Json asked, const std::function<Result<Json>()>& work);
  /// Searches measure no presets: their answers are not compared with any.
  void without_presets() { presets_ = false; }
  /// What the search will read first of this candidate, for problems that cannot be posed
  /// before.
  Result<Measurement> look_ahead(size_t role, size_t candidate);
  /// Searches one problem to its answer: the default first, so that the answer is never worse; a
  /// live reading that its neighbours contradict once more; a live answer once more until it
  /// stands, and then the default; without an answer what is advised. No feasible answer is an
  /// outcome with `why_not`. Errors: bad requests, failures of the board, an interruption (with its
  /// hint).
  Result<SearchOutcome> search(std::shared_ptr<const Problem> problem);
  /// Do repeats differ in any role?
  bool is_live() const;
  /// The run's number in the store.
  std::optional<int64_t> run() const { return run_; }

  /// An interruption with its hint: whether the same command can go on depends on the store.
  Error explained(Error error) const;
  void tell(const SessionEvent& event) const {
    if (listener_) listener_(event);
  }
  /// What the answer has of the session once its searches have ended: the run, when it started and
  /// how long it took, and remarks about all trials.
  void complete(SearchAnswer& answer) const;

 private:
  class Search;

  Session(std::vector<MeasuredRole> roles, SessionOptions options, Store* store,
          SessionListener listener);
  SearchOptions search_options(const Problem& problem) const;
  std::vector<size_t> default_choice(const Problem& problem) const;
  Status begin(const std::string& command, Json asked);
  Status finish(const Status& how, const std::string& answer);
  Status open_recorders();
  Result<std::set<int64_t>> runs_of_question(const Json& asked) const;
  Status read_tables();
  Status recall(const Json& asked);
  Status recall(size_t role, const std::set<int64_t>& own);
  double measuring_seconds() const;
  /// Remarks about all its trials: earlier measurements that do not serve, and why; other processes
  /// that kept the machine busy.
  std::vector<std::string> notes() const;
  Conditions conditions() const;

  std::vector<MeasuredRole> roles_;
  SessionOptions options_;
  Store* store_;
  SessionListener listener_;
  Stopwatch since_;
  std::string started_utc_ = wall_clock_utc();
  std::optional<int64_t> run_;
  std::vector<Recorder> recorders_;  ///< one for each role
  std::vector<Known> known_;         ///< from the store, and what the searches so far have measured
  std::vector<Observation> recalled_;             ///< from the store; the first search's
  Provenance rows_ = Provenance::measured;        ///< of the tables, the least known
  std::set<std::pair<size_t, size_t>> kept_;      ///< rows that answers are about
  size_t searches_ = 0;                           ///< so far
  std::set<std::pair<size_t, size_t>> verified_;  ///< by role and candidate: read twice before
  bool presets_ = true;                           ///< are they measured beside the searches?
  /// Verifications that were left out as the time was used up: their reasons, by role and
  /// candidate.
  std::map<std::pair<size_t, size_t>, std::string> out_of_time_;
  size_t not_repeated_ = 0;          ///< readings that were to be made once more, and could not
  std::vector<SetAside> set_aside_;  ///< asked for by any search
  std::set<std::pair<size_t, size_t>> out_of_reach_;  ///< these and the rest, by role and candidate
  std::vector<double> loads_;  ///< cores that others kept busy during their live trials
};

}  // namespace flyball
