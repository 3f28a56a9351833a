#include "tune/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/json.h"
#include "base/json_line.h"
#include "base/os/interrupt.h"
#include "base/statistics.h"
#include "base/text.h"
#include "device/measuring.h"
#include "predictors/registry.h"
#include "search/registry.h"
#include "space/trial_facts.h"
#include "store/command_run.h"
#include "tune/preset_choices.h"
#include "tune/session_search.h"

namespace flyball {
namespace {

// A run goes on only in the same space and with trials of the same length.
Json what_is_measured(const MeasuredRole& role) {
  const ProfilerInfo& info = role.profiler->info();
  Json axes = Json::array();
  for (const Axis& axis : role.profiler->space().axes())
    axes.push_back({{"name", axis.name}, {"values", axis.values}});
  return {{"workload", info.workload},
          {"axes", axes},
          {"configurations", role.profiler->space().size()},
          {"trial_cap_s", info.trial_cap_s}};
}

// What a question may cost and how its answer is checked is no part of it.
std::string question_of(Json asked) {
  for (const char* effort :
       {"profiles_limit", "profiles_asked", "gap_pct", "time_limit_s", "verify", "fresh"})
    asked.erase(effort);
  return json_line(asked);
}

}  // namespace

Reading reading_of(const Measurement& measurement, std::span<const FigureLimit> limits) {
  return {measurement.failed() ? not_measured : measurement.minibatch_ms,
          measurement.power_w().value_or(not_measured), excess_of(measurement.figures, limits)};
}

Session::Session(std::vector<MeasuredRole> roles, SessionOptions options, Store* store,
                 SessionListener listener)
    : roles_(std::move(roles)),
      options_(std::move(options)),
      store_(store),
      listener_(std::move(listener)) {}

Result<std::unique_ptr<Session>> Session::open(std::vector<MeasuredRole> roles,
                                               SessionOptions options, Store* store,
                                               SessionListener listener) {
  FLYBALL_ASSIGN(const StrategyEntry* strategy, find_strategy(options.strategy));
  FLYBALL_ASSIGN([[maybe_unused]] const auto predictor, make_predictor(options.predictor));
  const auto measured = std::ranges::find_if(
      roles, [](const MeasuredRole& role) { return role.profiler->info().live; });
  if (strategy->all_known && measured != roles.end())
    return Error{Code::invalid_argument,
                 fmt::format("strategy '{}' reads tables, and {} is measured", options.strategy,
                             measured->profiler->info().workload),
                 "name another strategy, or tables alone"};
  return std::unique_ptr<Session>(
      new Session(std::move(roles), std::move(options), store, std::move(listener)));
}

bool Session::is_live() const {
  return std::ranges::any_of(roles_,
                             [](const MeasuredRole& role) { return role.profiler->info().live; });
}

Status Session::check(const std::shared_ptr<const Problem>& problem) const {
  const auto strategy = make_strategy(options_.strategy, problem, search_options(*problem));
  return strategy ? Status() : strategy.error();
}

void SearchOutcome::add_to(SearchAnswer& whole) {
  const auto append = [](auto& to, auto&& more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  append(whole.profiled, std::exchange(trials, {}));
  append(whole.set_aside, std::exchange(set_aside, {}));
  append(whole.notes, std::vector(strategy->notes()));
  whole.stopped = strategy->stopped();
  whole.profiles += profiles;
  whole.rows = std::max(whole.rows, rows);
}

Status Session::answer(const std::string& command, Json asked,
                       const std::function<Result<Json>()>& work) {
  FLYBALL_CHECK(begin(command, std::move(asked)));
  const auto document = work();
  FLYBALL_CHECK(finish(document.ok() ? Status() : document.error(),
                       document.ok() ? json_line(*document) : ""));
  return document.ok() ? Status() : document.error();
}

void Session::complete(SearchAnswer& answer) const {
  answer.run = run_;
  answer.started_utc = started_utc_;
  answer.seconds = since_.seconds();
  answer.own_seconds = answer.seconds - measuring_seconds();
  for (std::string& note : notes()) answer.notes.push_back(std::move(note));
}

Status Session::begin(const std::string& command, Json asked) {
  if (store_) {
    if (options_.fresh) asked["fresh"] = true;  // goes on with its own kind only
    for (const MeasuredRole& role : roles_) asked["measured"].push_back(what_is_measured(role));
    asked["verify"] = options_.verify;
    asked["profiles_asked"] = options_.profiles_asked;
    const ProfilerInfo& board = roles_.front().profiler->info();
    const RunRequest wanted{command,           json_line(asked), board.device,
                            board.fingerprint, options_.seed,    conditions()};
    FLYBALL_ASSIGN(run_,
                   options_.anew ? store_->begin_run(wanted) : store_->begin_or_resume(wanted));
  }
  if (knows_all(options_.strategy)) return read_tables();
  FLYBALL_CHECK(open_recorders());
  return store_ ? recall(asked) : Status();
}

// What a table says costs no profile and is no trial.
Status Session::read_tables() {
  for (size_t role = 0; role < roles_.size(); ++role) {
    const std::vector<size_t>& rows = roles_[role].config;
    for (size_t candidate = 0; candidate < rows.size(); ++candidate) {
      FLYBALL_ASSIGN(const Measurement row, roles_[role].profiler->measure(rows[candidate]));
      if (!row.failed()) rows_ = std::max(rows_, row.provenance);
      known_.push_back(
          {role, candidate, reading_of(row, options_.limits), row.failure, /*counted=*/false});
    }
  }
  return {};
}

// Runs that asked the same, this one included.
Result<std::set<int64_t>> Session::runs_of_question(const Json& asked) const {
  const ProfilerInfo& board = roles_.front().profiler->info();
  FLYBALL_ASSIGN(const auto requests, store_->requests(board.device, board.fingerprint));
  const std::string question = question_of(asked);
  std::set<int64_t> own;
  for (const auto& [run, request] : requests) {
    Json other = Json::parse(request, nullptr, false);
    if (other.is_object() && question_of(std::move(other)) == question) own.insert(run);
  }
  return own;
}

Status Session::recall(const Json& asked) {
  FLYBALL_ASSIGN(const std::set<int64_t> own, runs_of_question(asked));
  for (size_t role = 0; role < roles_.size(); ++role) FLYBALL_CHECK(recall(role, own));
  for (const Observation& trial : recalled_) tell(TrialEnded{&trial});
  return {};
}

Status Session::recall(size_t role, const std::set<int64_t>& own) {
  std::set<size_t> seen;
  FLYBALL_ASSIGN(std::vector<Recorder::Recorded> all, recorders_[role].recall());
  for (Recorder::Recorded& stored : all) {
    const bool read = !stored.measurement.failed();
    const bool repeat = read && !seen.insert(stored.candidate).second;
    if (repeat) verified_.insert({role, stored.candidate});
    const bool counted = stored.run && own.contains(*stored.run);
    if (const auto cores = stored.measurement.interference.cores; cores && counted)
      loads_.push_back(*cores);
    known_.push_back({role, stored.candidate, reading_of(stored.measurement, options_.limits),
                      stored.measurement.failure, counted});
    recalled_.push_back({role, stored.config, stored.candidate,
                         roles_[role].profiler->space().settings(stored.config),
                         std::move(stored.measurement), "known before this search", repeat, false,
                         true, stored.run});
  }
  return {};
}

// What decides the speed of all roles; what differs between them is named by workload.
Conditions Session::conditions() const {
  Conditions all = roles_.front().profiler->info().conditions;
  for (const MeasuredRole& role : roles_)
    for (const auto& [name, value] : role.profiler->info().conditions)
      if (const auto found = all.find(name); found == all.end() || found->second != value)
        all[role.profiler->info().workload + " " + name] = value;
  return all;
}

Status Session::open_recorders() {
  for (size_t role = 0; role < roles_.size(); ++role) {
    FLYBALL_ASSIGN(Recorder recorder, Recorder::open(roles_[role], store_, run_, options_.fresh));
    recorder.on_begin([this, role] { tell(TrialBegun{role}); });
    recorders_.push_back(std::move(recorder));
    if (listener_)
      roles_[role].profiler->on_sample([this, role](size_t, const TrialSample& sample) {
        tell(TrialSampled{role, sample});
      });
  }
  return {};
}

Result<SearchOutcome> Session::search(std::shared_ptr<const Problem> problem) {
  const SearchOptions options = search_options(*problem);
  size_t limit = 0;
  for (size_t role = 0; role < roles_.size(); ++role)
    limit +=
        std::min({options.profile_budget, options.profile_limit, problem->candidates->size(role)});
  FLYBALL_ASSIGN(auto strategy, make_strategy(options_.strategy, std::move(problem), options));
  return Search(*this, std::move(strategy), limit).run();
}

SearchOptions Session::search_options(const Problem& problem) const {
  const auto strategy = find_strategy(options_.strategy);
  const bool all = strategy.ok() && (*strategy)->exhaustive;
  SearchOptions options;
  options.default_choice = default_choice(problem);
  // Of several searches of one session each has as many, and what the ones before it left.
  const size_t profiles = options_.profiles * (searches_ + 1);
  options.profile_budget = all ? problem.candidates->profiles() : profiles;
  if (options_.profiles_asked && !all) options.profile_limit = profiles;
  // Until a gap or a time: as many profiles as that takes, unless a number was asked for, too.
  if ((options_.gap > 0 || options_.time_limit_s != unlimited) && !options_.profiles_asked)
    options.profile_budget = problem.candidates->profiles();
  if (presets_) options.baselines = preset_choices(problem, roles_);
  options.baseline_profiles =
      profiles_for_presets(options.baselines, options.default_choice, options_.profiles);
  options.gap = options_.gap;
  if (options_.time_limit_s != unlimited)
    options.out_of_time = [this] { return since_.seconds() >= options_.time_limit_s; };
  options.seed = options_.seed;
  options.known = known_;
  options.predictor = options_.predictor;
  if (!knows_all(options_.strategy))
    options.make_predictor = [name = options_.predictor] { return *make_predictor(name); };
  if (!options_.references.empty())
    options.references.assign(
        roles_.size(), std::make_shared<const std::vector<WorkloadTable>>(options_.references));
  options.measured_before = std::ranges::all_of(roles_, [&](const MeasuredRole& role) {
    const ProfilerInfo& info = role.profiler->info();
    return std::ranges::any_of(options_.references, [&](const WorkloadTable& table) {
      return table.device == info.device && table.workload == info.workload &&
             table.phase == info.phase;
    });
  });
  return options;
}

// What one gets without tuning, where all roles have that in one mode.
std::vector<size_t> Session::default_choice(const Problem& problem) const {
  std::vector<size_t> choice;
  for (size_t role = 0; role < roles_.size(); ++role) {
    const auto usual = roles_[role].usual();
    if (!usual) return {};
    choice.push_back(*usual);
    if (!problem.separate_modes && problem.candidates->mode_of(role, choice[role]) !=
                                       problem.candidates->mode_of(0, choice[0]))
      return {};
  }
  return choice;
}

Status Session::finish(const Status& how, const std::string& answer) {
  for (const MeasuredRole& role : roles_) role.profiler->on_sample({});
  return run_ ? end_run(*store_, *run_, how, answer) : Status();
}

Error Session::explained(Error error) const {
  if (error.code != Code::interrupted) return error;
  error.hint = store_ ? "the same command goes on from here"
                      : fmt::format(
                            "nothing was kept; leave {} out, and the same command will go "
                            "on from where it was stopped",
                            flag_text(options_.caller, "no-store"));
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
    for (std::string& note : recorder.notes()) notes.push_back(std::move(note));
  for (const MeasuredRole& role : roles_)
    if (const auto& modes = role.profiler->info().modes)
      notes.insert(notes.end(), modes->notes.begin(), modes->notes.end());
  if (!set_aside_.empty())
    notes.push_back(fmt::format("{} configuration{} set aside and not tried: {}",
                                out_of_reach_.size(), out_of_reach_.size() == 1 ? " is" : "s are",
                                set_aside_.front().reason));
  std::set<std::string> left_out;
  for (const auto& [trial, reason] : out_of_time_) left_out.insert(reason);
  if (!left_out.empty())
    notes.push_back("not made, as the time was used up: " +
                    join(std::vector(left_out.begin(), left_out.end()), "; "));
  if (not_repeated_ > 0)
    notes.push_back(
        fmt::format("{} reading{} could not be repeated: clocks that were lowered do "
                    "not rise before a reboot",
                    not_repeated_, not_repeated_ == 1 ? "" : "s"));
  if (loads_.empty()) return notes;  // nothing was measured on this machine
  if (const std::string unseen = unseen_sessions(); !unseen.empty()) notes.push_back(unseen);
  if (median(loads_) < noticeable_load) return notes;
  const std::string cores = fmt::format("{:.2g}", median(loads_));
  notes.push_back(
      fmt::format("other processes kept {} core{} busy during the median trial (at most "
                  "{:.2g}): on a quiet machine times may be shorter ({} measures again)",
                  cores, cores == "1" ? "" : "s", *std::ranges::max_element(loads_),
                  flag_text(options_.caller, "fresh")));
  return notes;
}

Result<Measurement> Session::look_ahead(size_t role, size_t candidate) {
  if (const Status going = check_interrupt(options_.cancelled); !going)
    return explained(going.error());
  auto measured = recorders_[role].look_ahead(candidate);
  if (!measured) return explained(measured.error());
  return measured;
}

}  // namespace flyball
