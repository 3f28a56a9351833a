#include "tune/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/statistics.h"
#include "predict/registry/registry.h"
#include "search/registry.h"
#include "search/run.h"

namespace flyball {
namespace {

constexpr int verification_rounds = 4;

}  // namespace

Reading reading_of(const Measurement& measurement) {
  return {measurement.failed() ? not_measured : measurement.minibatch_ms,
          measurement.power_w().value_or(not_measured)};
}

// One search; holds what its steps share.
class Session::Search {
 public:
  Search(Session& session, std::unique_ptr<Strategy> strategy, size_t limit)
      : session_(session), limit_(limit) {
    outcome_.strategy = std::move(strategy);
  }

  Result<SearchOutcome> run() {
    if (session_.is_live()) doubt_.emplace(strategy().options());
    FLYBALL_CHECK(run_trials(
        strategy(), [this](const Ask& ask) { return measure(ask, false); }, doubt()));
    FLYBALL_CHECK(answer());
    session_.tell(answered());
    return std::move(outcome_);
  }

 private:
  Strategy& strategy() { return *outcome_.strategy; }
  Doubt* doubt() { return doubt_ ? &*doubt_ : nullptr; }

  // The best of several noisy readings is partly luck: a live answer is measured once more, told,
  // and asked for again, until it stands. The default that it is told against weighs as much.
  Status answer() {
    std::set<std::vector<size_t>> verified;
    const std::vector<size_t>& usual = strategy().options().default_choice;
    for (int round = 0; round <= verification_rounds; ++round) {
      const auto answer = strategy().answer();
      outcome_.answer.reset();
      if (!answer) {
        outcome_.why_not = answer.error();
        return {};
      }
      outcome_.answer = *answer;
      if (!session_.options_.verify || round == verification_rounds) return {};
      if (verified.insert(answer->choice).second) {
        FLYBALL_CHECK(verify(answer->choice, "the answer, measured once more"));
      } else if (session_.options_.against_default && !usual.empty() &&
                 verified.insert(usual).second) {
        FLYBALL_CHECK(verify(usual, "the default, measured once more: gains are against it"));
      } else {
        return {};
      }
    }
    return {};
  }

  Status verify(const std::vector<size_t>& choice, const std::string& reason) {
    for (size_t role = 0; role < choice.size(); ++role) {
      if (!session_.roles_[role].profiler->info().live) continue;
      const Record* known = strategy().ledger().find(role, choice[role]);
      if (!known || known->failed()) continue;
      const Ask again{role, choice[role], reason, true};
      FLYBALL_CHECK(run_trial(
          strategy(), again, [&](const Ask& ask) { return measure(ask, ask == again); }, doubt()));
    }
    return {};
  }

  // Measures, keeps and notes.
  Result<Observation> measure(const Ask& ask, bool verification) {
    const SessionRole& role = session_.roles_[ask.role];
    const size_t config = role.config[ask.candidate];
    if (session_.options_.cancelled && session_.options_.cancelled->load())
      return session_.explained({Code::interrupted, "interrupted", ""});
    session_.tell(TrialAsked{ask.role, config, &role.profiler->info(),
                             role.profiler->space().settings(config), ask.reason, ask.repeat,
                             verification, distinct_.size(), limit_});
    auto recorded = session_.recorders_[ask.role].measure(config, ask.repeat);
    if (!recorded) return session_.explained(recorded.error());
    distinct_.insert({ask.role, config});
    outcome_.trials.push_back({config, std::move(recorded->measurement), ask.reason, ask.repeat,
                               recorded->from_store, verification, ask.role, ask.candidate,
                               recorded->run});
    const Profiled& trial = outcome_.trials.back();
    if (trial.measurement.other_cores) session_.loads_.push_back(*trial.measurement.other_cores);
    const Reading reading = reading_of(trial.measurement);
    session_.known_.push_back({ask.role, ask.candidate, reading, trial.measurement.failure});
    session_.tell(TrialEnded{&trial});
    return Observation{reading, trial.measurement.failure, trial.from_store};
  }

  Answered answered() {
    Answered event{&strategy().problem(), {}, outcome_.why_not.message, strategy().stopped()};
    if (outcome_.answer) event.choice = outcome_.answer->choice;
    return event;
  }

  Session& session_;
  size_t limit_;
  SearchOutcome outcome_;
  std::optional<Doubt> doubt_;                    // tables, which read the same again, need none
  std::set<std::pair<size_t, size_t>> distinct_;  // role and configuration, profiled so far
};

Session::Session(std::vector<SessionRole> roles, SessionOptions options, Store* store,
                 SessionListener listener)
    : roles_(std::move(roles)),
      options_(std::move(options)),
      store_(store),
      listener_(std::move(listener)) {}

Result<std::unique_ptr<Session>> Session::open(std::vector<SessionRole> roles,
                                               SessionOptions options, Store* store,
                                               SessionListener listener) {
  FLYBALL_ASSIGN([[maybe_unused]] const StrategyEntry* strategy, find_strategy(options.strategy));
  FLYBALL_ASSIGN([[maybe_unused]] const auto predictor, make_predictor(options.predictor));
  return std::unique_ptr<Session>(
      new Session(std::move(roles), std::move(options), store, std::move(listener)));
}

bool Session::is_live() const {
  return std::ranges::any_of(roles_,
                             [](const SessionRole& role) { return role.profiler->info().live; });
}

Status Session::check(const std::shared_ptr<const Problem>& problem) const {
  const auto strategy = make_strategy(options_.strategy, problem, search_options(*problem));
  return strategy ? Status() : strategy.error();
}

Status Session::begin(const std::string& command, nlohmann::ordered_json asked) {
  if (store_) {
    if (options_.fresh) asked["fresh"] = true;  // goes on with its own kind only
    const ProfilerInfo& board = roles_.front().profiler->info();
    const RunRequest wanted{command,           asked.dump(),  board.device,
                            board.fingerprint, options_.seed, conditions()};
    FLYBALL_ASSIGN(const auto interrupted, store_->interrupted_run(wanted));
    if (interrupted) {
      FLYBALL_CHECK(store_->resume_run(interrupted->id));
      run_ = interrupted->id;
    } else {
      FLYBALL_ASSIGN(run_, store_->begin_run(wanted));
    }
  }
  return open_recorders();
}

// What decides the speed of all roles; what differs between them is named by workload.
Conditions Session::conditions() const {
  Conditions all = roles_.front().profiler->info().conditions;
  for (const SessionRole& role : roles_)
    for (const auto& [name, value] : role.profiler->info().conditions)
      if (const auto found = all.find(name); found == all.end() || found->second != value)
        all[role.profiler->info().workload + " " + name] = value;
  return all;
}

Status Session::open_recorders() {
  for (size_t role = 0; role < roles_.size(); ++role) {
    Profiler& profiler = *roles_[role].profiler;
    FLYBALL_ASSIGN(Recorder recorder, Recorder::open(profiler, store_, run_, options_.fresh));
    recorder.on_begin([this, role](size_t config) { tell(TrialBegun{role, config}); });
    recorders_.push_back(std::move(recorder));
    if (listener_)
      profiler.on_sample([this, role](size_t config, const TrialSample& sample) {
        tell(TrialSampled{role, config, sample});
      });
  }
  return {};
}

Result<SearchOutcome> Session::search(std::shared_ptr<const Problem> problem) {
  const SearchOptions options = search_options(*problem);
  const size_t limit = std::min(options.profile_budget, options.profile_limit) * roles_.size();
  FLYBALL_ASSIGN(auto strategy, make_strategy(options_.strategy, std::move(problem), options));
  return Search(*this, std::move(strategy), limit).run();
}

SearchOptions Session::search_options(const Problem& problem) const {
  const auto strategy = find_strategy(options_.strategy);
  const bool all = strategy.ok() && (*strategy)->exhaustive;
  SearchOptions options;
  options.profile_budget = all ? problem.candidates->size(0) : options_.profiles;
  if (options_.profiles_asked && !all) options.profile_limit = options_.profiles;
  options.seed = options_.seed;
  options.default_choice = default_choice(problem);
  options.known = known_;
  options.make_predictor = [name = options_.predictor] { return *make_predictor(name); };
  if (!options_.references.empty())
    options.references.assign(
        roles_.size(), std::make_shared<const std::vector<WorkloadTable>>(options_.references));
  return options;
}

// What one gets without tuning, where all roles have that in one mode.
std::vector<size_t> Session::default_choice(const Problem& problem) const {
  std::vector<size_t> choice;
  for (size_t role = 0; role < roles_.size(); ++role) {
    const auto& config = roles_[role].config;
    const auto found = std::ranges::find(config, roles_[role].profiler->default_config());
    if (found == config.end()) return {};
    choice.push_back(static_cast<size_t>(found - config.begin()));
    if (!problem.separate_modes && problem.candidates->mode_of(role, choice[role]) !=
                                       problem.candidates->mode_of(0, choice[0]))
      return {};
  }
  return choice;
}

Status Session::finish(const Status& how, const std::string& answer) {
  for (const SessionRole& role : roles_) role.profiler->on_sample({});
  if (!run_) return {};
  const RunState state = how.ok()                                ? RunState::done
                         : how.error().code == Code::interrupted ? RunState::interrupted
                                                                 : RunState::failed;
  return store_->finish_run(*run_, state, how.ok() ? answer : "");
}

Error Session::explained(Error error) const {
  if (error.code != Code::interrupted) return error;
  error.hint = store_ ? "the same command goes on from here"
                      : "nothing was kept; leave --no-store out, and the same command will go on "
                        "from where it was stopped";
  return error;
}

double Session::measuring_seconds() const {
  double seconds = 0;
  for (const Recorder& recorder : recorders_) seconds += recorder.measuring_seconds();
  return seconds;
}

// The times of a busy machine are true of that machine only.
std::vector<std::string> Session::notes() const {
  std::vector<std::string> notes;
  for (const Recorder& recorder : recorders_)
    notes.insert(notes.end(), recorder.notes().begin(), recorder.notes().end());
  if (loads_.empty() || median(loads_) < noticeable_load) return notes;
  notes.push_back(
      fmt::format("other processes kept {:.2g} cores busy during the median trial (at most "
                  "{:.2g}): on a quiet machine times may be shorter (--fresh measures again)",
                  median(loads_), *std::ranges::max_element(loads_)));
  return notes;
}

Result<Measurement> Session::look_ahead(size_t role, size_t config) {
  if (options_.cancelled && options_.cancelled->load())
    return explained({Code::interrupted, "interrupted", ""});
  auto measured = recorders_[role].look_ahead(config);
  if (!measured) return explained(measured.error());
  return measured;
}

}  // namespace flyball
