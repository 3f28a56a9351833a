#include "tune/session_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "answers/plan.h"
#include "base/os/interrupt.h"
#include "problem/exact.h"
#include "search/registry.h"

namespace flyball {
namespace {

// Limits on a program's own figures are not relaxed.
bool keeps_figures(const Readings& readings, const std::vector<size_t>& choice) {
  for (size_t role = 0; role < choice.size(); ++role)
    if (!readings[role][choice[role]].keeps_figures()) return false;
  return true;
}

}  // namespace

Session::Search::Search(Session& session, std::unique_ptr<Strategy> strategy, size_t limit)
    : session_(session), limit_(limit) {
  outcome_.strategy = std::move(strategy);
  outcome_.trials = std::exchange(session_.recalled_, {});
  // The first search of a session has what earlier runs of the question cost.
  if (session_.searches_++ > 0) profiles_before_ = this->strategy().history().profiles();
}

Result<SearchOutcome> Session::Search::run() {
  if (session_.is_live()) doubt_.emplace(strategy().options());
  FLYBALL_CHECK(search());
  FLYBALL_CHECK(answer());
  if (knows_all(session_.options_.strategy)) FLYBALL_CHECK(keep_the_answer());
  outcome_.profiles = strategy().history().profiles() - profiles_before_;
  session_.tell(answered());
  return std::move(outcome_);
}

Status Session::Search::search() {
  return run_trials(
      strategy(), [this](const Ask& ask) { return measure(ask, false); }, doubt());
}

// The best of several noisy readings is partly luck: a live answer is measured once more and
// told, and the search goes on where that gives it reason to, until an answer stands. The default
// that it is told against weighs as much, and so does what is advised where nothing meets the
// limits.
Status Session::Search::answer() {
  for (int round = 0;; ++round) {
    const auto answer = strategy().answer();
    outcome_.answer.reset();
    if (answer)
      outcome_.answer = *answer;
    else
      outcome_.why_not = answer.error();
    if (!session_.options_.verify || round == verification_rounds) return {};
    FLYBALL_ASSIGN(const bool verified, answer ? verify_answer(answer->choice) : verify_advice());
    if (!verified) return {};
    if (round + 1 == verification_rounds) continue;  // what it would find were not verified
    strategy().reopen();
    FLYBALL_CHECK(search());
  }
}

// The rows that the answer is about stand in the place of trials; they are the table's, and are
// not kept once more.
Status Session::Search::keep_the_answer() {
  outcome_.rows = session_.rows_;
  FLYBALL_CHECK(keep(strategy().options().default_choice, "the default"));
  return outcome_.answer ? keep(outcome_.answer->choice, "the answer") : Status();
}

Status Session::Search::keep(const std::vector<size_t>& choice, const std::string& reason) {
  for (size_t role = 0; role < choice.size(); ++role) {
    if (!session_.kept_.insert({role, choice[role]}).second) continue;
    const MeasuredRole& table = session_.roles_[role];
    const size_t config = table.config[choice[role]];
    FLYBALL_ASSIGN(Measurement row, table.profiler->measure(config));
    outcome_.trials.push_back(
        {role, config, choice[role], settings_of(role, choice[role]), std::move(row), reason});
  }
  return {};
}

Result<bool> Session::Search::verify_answer(const std::vector<size_t>& choice) {
  FLYBALL_ASSIGN(const bool answered, verify(choice, "the answer, {} once more"));
  if (answered || !session_.options_.against_default) return answered;
  return verify(strategy().options().default_choice,
                "the default, {} once more: gains are against it");
}

Result<bool> Session::Search::verify_advice() {
  const History& history = strategy().history();
  const Readings readings = history.readings();
  const auto alone = relaxations(strategy().problem(), readings);
  // Where no limit alone does, all of them are told as the nearest needs them.
  if (alone.empty() && history.best() && keeps_figures(readings, history.best()->candidates))
    return verify(history.best()->candidates, "what other limits would allow, {} once more");
  for (const Relaxation& advised : alone) {
    FLYBALL_ASSIGN(const bool measured,
                   verify(advised.choice, "what another limit would allow, {} once more"));
    if (measured) return true;
  }
  return false;
}

Result<bool> Session::Search::verify(const std::vector<size_t>& choice, const char* reason) {
  bool any = false;
  for (size_t role = 0; role < choice.size(); ++role) {
    if (!session_.roles_[role].profiler->info().live) continue;
    const Record* known = strategy().history().find(role, choice[role]);
    if (!known || known->failed() || session_.verified_.contains({role, choice[role]})) continue;
    const char* how = provenance_name(session_.roles_[role].profiler->info().provenance);
    const Ask again{role, choice[role], fmt::format(fmt::runtime(reason), how), true};
    if (strategy().is_out_of_time()) {
      session_.out_of_time_.try_emplace({role, choice[role]}, again.reason);
      return any;
    }
    session_.verified_.insert({role, choice[role]});
    FLYBALL_CHECK(run_trial(
        strategy(), again, [&](const Ask& ask) { return measure(ask, ask == again); }, doubt()));
    any = true;
  }
  return any;
}

Result<TrialOutcome> Session::Search::measure(const Ask& ask, bool verification) {
  const ProfilerInfo& who = session_.roles_[ask.role].profiler->info();
  const Settings settings = settings_of(ask.role, ask.candidate);
  if (const Status going = check_interrupt(session_.options_.cancelled); !going)
    return interrupted(going.error());
  session_.tell(TrialAsked{ask.role, ask.candidate, &who, settings, ask.reason, ask.repeat,
                           verification, distinct_.size(), limit_});
  auto recorded = session_.recorders_[ask.role].measure(ask.candidate, ask.repeat);
  if (!recorded) return interrupted(recorded.error());
  if (!recorded->set_aside.empty()) return set_aside(ask, recorded->set_aside);
  distinct_.insert({ask.role, ask.candidate});
  outcome_.trials.push_back({ask.role, recorded->config, ask.candidate, settings,
                             std::move(recorded->measurement), ask.reason, ask.repeat, verification,
                             false, recorded->run});
  const Observation& trial = outcome_.trials.back();
  if (const auto cores = trial.measurement.interference.cores) session_.loads_.push_back(*cores);
  const Reading reading = reading_of(trial.measurement, session_.options_.limits);
  session_.known_.push_back({ask.role, ask.candidate, reading, trial.measurement.failure, true});
  session_.tell(TrialEnded{&trial});
  return TrialOutcome{reading, trial.measurement.failure};
}

// What was interrupted says the best so far.
Error Session::Search::interrupted(Error error) {
  error = session_.explained(std::move(error));
  const auto best = strategy().answer();
  if (error.code != Code::interrupted || !best) return error;
  const Problem& problem = strategy().problem();
  const double watts = problem.objective == Objective::power ? 0 : best->outcome.power_w;
  const bool whole_runs = std::ranges::any_of(
      outcome_.trials, [](const Observation& trial) { return trial.measurement.whole_run(); });
  error.message +=
      fmt::format("; the best so far: {}{}: {}", objective_text(problem, best->outcome, whole_runs),
                  watts > 0 ? fmt::format(", {:.4g} W", watts) : "",
                  choice_text(problem, best->choice, best->outcome));
  return error;
}

// What shares its reason is told at once: a strategy would ask for one after the other.
TrialOutcome Session::Search::set_aside(const Ask& ask, const std::string& why) {
  const TrialOutcome none{{not_measured, not_measured, 0}, why, true};
  if (ask.repeat) {  // it was measured, and that stands
    ++session_.not_repeated_;
    return none;
  }
  outcome_.set_aside.push_back(
      {ask.role, ask.candidate, settings_of(ask.role, ask.candidate), why});
  session_.set_aside_.push_back(outcome_.set_aside.back());
  const Recorder& recorder = session_.recorders_[ask.role];
  for (size_t other = 0; other < strategy().problem().candidates->size(ask.role); ++other) {
    if (other == ask.candidate || strategy().history().find(ask.role, other)) continue;
    const std::string same = recorder.out_of_reach(other);
    if (same.empty()) continue;
    strategy().recall({ask.role, other, "out of reach", false}, {not_measured, not_measured, 0},
                      same);
    session_.out_of_reach_.insert({ask.role, other});
  }
  session_.out_of_reach_.insert({ask.role, ask.candidate});
  return none;
}

Settings Session::Search::settings_of(size_t role, size_t candidate) {
  return strategy().problem().candidates->space(role).settings(candidate);
}

Answered Session::Search::answered() {
  Answered event{&strategy().problem(), {}, outcome_.why_not.message, strategy().stopped()};
  if (outcome_.answer) event.choice = outcome_.answer->choice;
  return event;
}

}  // namespace flyball
