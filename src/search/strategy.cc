#include "search/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>

#include "base/os/memory.h"
#include "search/posterior.h"

namespace flyball {
namespace {

std::string title_of(const Problem& problem, const Ask& ask) {
  return fmt::format("{} at {}", problem.roles[ask.role].workload,
                     describe(problem.candidates->space(ask.role).settings(ask.candidate)));
}

constexpr size_t kept_predictions = 2;  // one for each role

/// So many readings without power, and none with it, are enough to say that there is no sensor.
constexpr size_t blind_enough = 3;

bool is_blind(const History& history, size_t readings) {
  return history.problem().needs_power() && history.blind_readings() >= readings;
}

/// What became of trials.
struct TriedTrials {
  size_t failed = 0, read = 0;
  std::set<std::string> reasons{};  ///< of those that failed

  void add(const Record& record) {
    if (record.failed()) reasons.insert(record.failure);
    ++(record.failed() ? failed : read);
  }
  bool all_failed() const { return failed > 0 && read == 0; }
};

/// For want of memory a trial fails each time that it is made: the answer is no. What else failed
/// may be mended, and says nothing of the limits.
Code code_of_failures(const std::set<std::string>& reasons) {
  return std::ranges::all_of(reasons, tells_of_no_memory) ? Code::infeasible : Code::unavailable;
}

/// What differs in a port or a process alone is one reason.
std::string without_long_numbers(const std::string& text) {
  constexpr ptrdiff_t long_number = 4;
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  std::string kept;
  for (auto at = text.begin(); at != text.end();) {
    const auto end = is_digit(*at) ? std::find_if_not(at, text.end(), is_digit) : at + 1;
    kept += end - at >= long_number ? "#" : std::string(at, end);
    at = end;
  }
  return kept;
}

/// One reason for all of them is no reason to try more. `of`: whose trials, where others were read.
Error all_failed(const TriedTrials& tried, const std::string& of) {
  std::string message = tried.failed == 1 ? fmt::format("the one trial{} failed", of)
                                          : fmt::format("all {} trials{} failed", tried.failed, of);
  std::string hint = "mend that first: more profiles would fail as these did";
  std::set<std::string> kinds;
  for (const std::string& reason : tried.reasons) kinds.insert(without_long_numbers(reason));
  if (kinds.size() > 1) {
    message += ", in different words, such as";
    hint = "see why the trials failed, or allow more profiles";
  }
  return {code_of_failures(tried.reasons), message + ": " + *tried.reasons.begin(), hint};
}

/// Why there is no complete choice.
Error nothing_measured(const History& history) {
  TriedTrials all;
  std::optional<Error> of_role;
  for (size_t role = 0; role < history.problem().roles.size(); ++role) {
    TriedTrials own;
    for (const auto& [candidate, record] : history.of_role(role)) {
      own.add(record);
      all.add(record);
    }
    if (own.all_failed() && !of_role)
      of_role = all_failed(own, " of " + history.problem().roles[role].workload);
  }
  if (all.all_failed()) return all_failed(all, "");
  if (of_role) return *std::move(of_role);
  return {Code::infeasible, "no configuration was measured completely",
          "see why the trials failed, or allow more profiles"};
}

/// Against whose time a limit on the slowdown is: why that is not known, once it was tried.
const Record* failed_default(const History& history) {
  const Problem& problem = history.problem();
  if (problem.budgets.slowdown == unlimited) return nullptr;
  const Record* usual = history.find(0, *problem.usual);
  return usual && usual->failed() ? usual : nullptr;
}

Error no_default(const Record& usual) {
  return {
      code_of_failures({usual.failure}),
      fmt::format("the slowdown is against the default, and the default failed: {}", usual.failure),
      "mend that first, or bound the time itself by a time budget"};
}

/// The nearest measured choice in words.
Error nearest_error(const History& history) {
  const Problem& problem = history.problem();
  const Choice& nearest = *history.best();
  Error error = infeasible_error(problem, history.readings());
  std::string where;
  for (size_t role = 0; role < nearest.candidates.size(); ++role)
    where += (role ? "; " : "") +
             describe(problem.candidates->space(role).settings(nearest.candidates[role]));
  error.message = fmt::format("among the {} trials measured: {} (nearest: {})",
                              history.readings_made(), error.message, where);
  return error;
}

}  // namespace

Strategy::Strategy(const std::shared_ptr<const Problem>& problem, SearchOptions options)
    : options_(std::move(options)), history_(problem) {
  // What the search fitted serves those who explain it, too; what is past is not asked for again.
  if (!options_.cache) options_.cache = std::make_shared<PredictionCache>(kept_predictions);
  for (const Known& known : options_.known)
    history_.record(known.role, known.candidate, known.reading, known.failure,
                    known.counted ? Made::now : Made::earlier);
}

std::optional<Ask> Strategy::first_missing(std::span<const size_t> choice,
                                           const std::string& reason) const {
  for (size_t role = 0; role < choice.size(); ++role)
    if (!history_.find(role, choice[role])) return Ask{role, choice[role], reason, false};
  return {};
}

std::nullopt_t Strategy::stop(const std::string& why) {
  stopped_ = why;
  return std::nullopt;
}

bool Strategy::is_beyond_the_most(const Ask& ask) const {
  // Every trial is at most one profile: most need not be counted.
  if (history_.trials() < options_.profile_limit) return false;
  return history_.profiles_after(ask.role, ask.candidate) >
         std::max(options_.profile_limit, history_.profiles());
}

std::optional<Ask> Strategy::ask() {
  if (pending_ || !stopped_.empty()) return pending_;
  if (is_blind(history_, blind_enough)) return stop("no power was read");
  if (failed_default(history_)) return stop("the default failed, against which slowdowns are");
  if (is_out_of_time()) return stop("the time was used up");
  pending_ =
      first_missing(options_.default_choice, "the default, so that the answer is never worse");
  const size_t most = std::min(options_.profile_budget, options_.profile_limit);
  if (!pending_) pending_ = baselines_.next(history_, options_, history_.profiles() + 1 >= most);
  if (!pending_) pending_ = propose();
  if (!pending_) pending_ = baselines_.next(history_, options_, true);
  if (!pending_ && stopped_.empty()) stopped_ = "there is nothing left to try";
  if (pending_ && is_beyond_the_most(*pending_)) {
    pending_.reset();
    return stop("all profiles were used");
  }
  assert(!pending_ || pending_->repeat || !history_.find(pending_->role, pending_->candidate));
  assert(!pending_ || !pending_->reason.empty());
  return pending_;
}

bool Strategy::is_out_of_time() const {
  return options_.out_of_time && history_.trials() > 0 && options_.out_of_time();
}

void Strategy::note_failure(const Ask& ask, const std::string& failure) {
  const std::string title = title_of(problem(), ask);
  const std::string why = failure.empty() ? "it gave no time" : failure;
  const size_t before = history_.find(ask.role, ask.candidate)->readings.size();
  if (before == 0) return note(fmt::format("{} failed and is left out: {}", title, why));
  note(fmt::format("{} could not be measured again: {}; {}", title, why,
                   before == 1 ? "its first reading stands" : "its earlier readings stand"));
}

void Strategy::tell(const Ask& ask, const Reading& reading, const std::string& failure) {
  history_.record(ask.role, ask.candidate, reading, failure);
  if (!failure.empty() || !(reading.minibatch_ms > 0)) note_failure(ask, failure);
  if (pending_ == ask) pending_.reset();
}

void Strategy::recall(const Ask& ask, const Reading& reading, const std::string& failure) {
  history_.record(ask.role, ask.candidate, reading, failure,
                  failure.empty() ? Made::earlier : Made::never);
  if (pending_ == ask) pending_.reset();
}

Result<Answer> Strategy::answer() const {
  const auto& best = history_.best();
  if (best && best->outcome.feasible)
    return Answer{best->candidates, best->outcome, history_.profiles(), history_.trials()};
  if (is_blind(history_, 1))
    return Error{Code::unavailable,
                 "the problem has a power or energy figure, and no power was measured",
                 "choose objective time without power and energy budgets, or a board with a power "
                 "sensor"};
  if (const Record* usual = failed_default(history_)) return no_default(*usual);
  if (!best) return nothing_measured(history_);
  return nearest_error(history_);
}

}  // namespace flyball
