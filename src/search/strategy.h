// Ask and tell: a strategy asks for trials, is told what came of them, and answers.
// It knows candidates, roles, budgets and readings; nothing of boards.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "history/history.h"
#include "predict/predictor.h"
#include "search/baselines.h"

namespace flyball {

/// One trial to measure, and why in words for people.
struct Ask {
  size_t role = 0;
  size_t candidate = 0;  ///< row of problem.candidates->space(role)
  std::string reason;
  bool repeat = false;  ///< it was measured before; `reason` says why again

  bool operator==(const Ask&) const = default;
};

/// A reading made before this search: by another problem on the same workload, by an earlier run,
/// before an interruption.
struct Known {
  size_t role = 0, candidate = 0;
  Reading reading;
  std::string failure = "";  ///< why it failed; then it is not asked for again
  bool counted = false;      ///< as a profile of this search, which asked the same before
};

class PredictionCache;

/// What every strategy is given; each uses what it needs.
struct SearchOptions {
  /// Profiles to plan with, as History::profiles() counts them; published strategies have their
  /// own.
  size_t profile_budget = 10;
  /// No strategy, whatever its own number, profiles more than this.
  size_t profile_limit = std::numeric_limits<size_t>::max();
  uint64_t seed = 1;
  double min_gain = 0.002;  ///< stop when the expected relative improvement falls below this
  double gap = 0;           ///< … or when possible_gap() is at most this; 0: never
  /// Is the time used up? Asked before each trial but the first; may be empty.
  std::function<bool()> out_of_time;
  /// The configuration as the board or user has it now, one candidate for each role; measured
  /// first, so that an answer is never worse.
  std::vector<size_t> default_choice;
  /// Measured beside the search (BaselineTrials), in so many profiles at most.
  std::vector<Baseline> baselines = {};
  size_t baseline_profiles = 0;
  std::vector<Known> known;
  /// A fresh predictor; needed by the strategies that model (`flyball`, `als`).
  std::function<std::unique_ptr<Predictor>()> make_predictor;
  /// Tables of earlier workloads, for each role (empty: none for any role).
  std::vector<std::shared_ptr<const std::vector<WorkloadTable>>> references;
  /// Does a reference hold each role's own workload, measured on another board of this kind? One
  /// trial then tells how this board differs.
  bool measured_before = false;
  /// What `cache` knows the predictor by; searches whose predictors differ must differ in it.
  std::string predictor = "";
  /// Predictions shared between searches; null: a strategy makes one of its own.
  std::shared_ptr<PredictionCache> cache;
};

/// The answer: a choice all of whose trials were measured, and feasible.
struct Answer {
  std::vector<size_t> choice;  ///< one candidate for each role
  Outcome outcome;
  size_t profiles = 0, trials = 0;
};

/// A way to search. One object serves one search, in one thread.
class Strategy {
 public:
  Strategy(const std::shared_ptr<const Problem>& problem, SearchOptions options);
  virtual ~Strategy() = default;

  /// The next trial, or nothing when the search is over. A trial that was told before is asked for
  /// again only with `repeat` set and a reason. Asking twice without telling gives the same trial.
  std::optional<Ask> ask();
  /// What came of the trial asked for: a reading, or why it failed. A failed trial is not asked for
  /// again; the search goes on without it. Of a repeat that failed the earlier readings stand.
  void tell(const Ask& ask, const Reading& reading, const std::string& failure = "");
  /// A reading of an earlier run under the same conditions, or why a trial cannot be made now:
  /// known, and no profile of this search.
  void recall(const Ask& ask, const Reading& reading, const std::string& failure = "");
  /// A measured feasible choice; otherwise why there is none: Code::infeasible with the constraint
  /// that binds and the nearest measured value, Code::unavailable where a power budget meets a
  /// board without power readings, or all trials failed for something that may be mended (for want
  /// of memory: infeasible).
  Result<Answer> answer() const;
  /// What a published baseline answers with on the strength of its predictions alone; answer() does
  /// not, evaluations score it. Nothing for strategies that measure what they answer.
  virtual std::optional<std::vector<size_t>> predicted_choice() const { return {}; }

  const History& history() const { return history_; }
  const Problem& problem() const { return history_.problem(); }
  const SearchOptions& options() const { return options_; }
  /// Readings were told after the search had ended: where it chooses each trial by all that is
  /// known, it goes on. Strategies whose course is fixed do not.
  virtual void reopen() {}
  /// Why the search ended; "" while it has not.
  const std::string& stopped() const { return stopped_; }
  /// Is the time used up, so that no trial is to begin? Never before the first one.
  bool is_out_of_time() const;
  /// Remarks for the report: failed trials and repeats, readings that neighbours contradicted,
  /// fallbacks.
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  /// The next trial, or nothing; called when no asked trial is pending. Must not ask for a trial
  /// that is in the history unless `repeat` is set.
  virtual std::optional<Ask> propose() = 0;
  /// Ends the search: propose() returns stop("why").
  std::nullopt_t stop(const std::string& why);
  /// As if it had not ended.
  void go_on() { stopped_.clear(); }
  void note(const std::string& remark) { notes_.push_back(remark); }
  /// The first trial of this choice that is not yet in the history, or nothing.
  std::optional<Ask> first_missing(std::span<const size_t> choice, const std::string& reason) const;

 private:
  bool is_beyond_the_most(const Ask& ask) const;
  void note_failure(const Ask& ask, const std::string& failure);

  SearchOptions options_;
  History history_;
  std::optional<Ask> pending_;
  std::string stopped_;
  std::vector<std::string> notes_;
  BaselineTrials baselines_;
};

}  // namespace flyball
