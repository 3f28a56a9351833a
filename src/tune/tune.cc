#include "tune/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/clock.h"
#include "base/statistics.h"
#include "predict/registry.h"
#include "problem/exact.h"
#include "search/registry.h"
#include "tune/predictions.h"
#include "tune/recorder.h"
#include "tune/request.h"
#include "tune/tune_json.h"

namespace flyball {
namespace {

Reading reading_of(const Measurement& measurement) {
  return {measurement.failed() ? not_measured : measurement.minibatch_ms,
          measurement.power_w().value_or(not_measured)};
}

constexpr int verification_rounds = 3;
constexpr double noticeable_load = 0.1;  // cores

// One run of the loop; holds what its steps share.
class Tuning {
 public:
  Tuning(Profiler& profiler, const TuneRequest& request, const TuneProgress& progress)
      : profiler_(profiler), progress_(progress) {
    result_.request = request;
    result_.profiler = profiler.info();
    result_.space = profiler.space();
    result_.default_config = profiler.default_config();
    result_.default_reason = profiler.default_reason();
    result_.started_utc = wall_clock_utc();
  }

  /// Checks what was asked, before there is a run to fail.
  Status prepare() {
    FLYBALL_ASSIGN(asked_, make_problem(profiler_, result_.request));
    result_.samples = asked_.samples;
    result_.budget_span = asked_.budget_span;
    FLYBALL_ASSIGN(strategy_, start_strategy());
    return {};
  }

  Result<TuneResult> run(Recorder recorder) {
    recorder_ = &recorder;
    result_.notes = recorder.notes();
    FLYBALL_CHECK(search(*strategy_));
    FLYBALL_CHECK(answer(*strategy_));
    const Status predicted = predict_rest(profiler_, result_);
    if (!predicted.ok()) return recorder.explained(predicted.error());
    note_other_load();
    result_.seconds = since_.seconds();
    result_.own_seconds = result_.seconds - recorder.measuring_seconds();
    return std::move(result_);
  }

 private:
  Result<std::unique_ptr<Strategy>> start_strategy() {
    SearchOptions options;
    options.max_profiles =
        result_.request.strategy == "brute-force" ? result_.space.size() : result_.request.profiles;
    if (result_.request.profiles_asked && result_.request.strategy != "brute-force")
      options.most_profiles = result_.request.profiles;
    options.seed = result_.request.seed;
    const auto first = std::ranges::find(asked_.config, result_.default_config);
    if (first != asked_.config.end())
      options.default_choice = {static_cast<size_t>(first - asked_.config.begin())};
    // Both names are checked before anything is measured.
    FLYBALL_ASSIGN(auto probe, make_predictor(result_.request.predictor));
    options.make_predictor = [name = result_.request.predictor] { return *make_predictor(name); };
    if (!result_.request.references.empty())
      options.references = {
          std::make_shared<const std::vector<WorkloadTable>>(result_.request.references)};
    limit_ = std::min(options.max_profiles, options.most_profiles);
    return make_strategy(result_.request.strategy, asked_.problem, std::move(options));
  }

  Status search(Strategy& strategy) {
    while (const auto ask = strategy.ask()) {
      const size_t config = asked_.config[ask->candidate];
      FLYBALL_ASSIGN(const Profiled* trial, measure(config, ask->reason, ask->repeat, false));
      strategy.tell(*ask, reading_of(trial->measurement), trial->measurement.failure);
      if (!ask->repeat) FLYBALL_CHECK(doubt(strategy, *ask, *trial));
    }
    result_.stopped = strategy.stopped();
    result_.notes.insert(result_.notes.end(), strategy.notes().begin(), strategy.notes().end());
    return {};
  }

  // A live reading that its neighbours contradict is measured once more; both are kept and told.
  Status doubt(Strategy& strategy, const Ask& ask, const Profiled& trial) {
    if (!profiler_.info().live || trial.measurement.failed()) return {};
    const auto why = contradiction(profiler_, result_.request, result_.profiled, trial);
    if (!why) return {};
    Ask again = ask;
    again.repeat = true;
    again.reason = "it read " + *why;
    FLYBALL_ASSIGN(const Profiled* second, measure(trial.config, again.reason, true, false));
    strategy.tell(again, reading_of(second->measurement), second->measurement.failure);
    return {};
  }

  Result<const Profiled*> measure(size_t config, const std::string& reason, bool repeat,
                                  bool verification) {
    progress_(configs_.size(), limit_,
              fmt::format("{}: {}", verification ? "verifying" : "measuring",
                          describe(result_.space.settings(config))));
    FLYBALL_ASSIGN(auto recorded, recorder_->measure(config, repeat));
    configs_.insert(config);
    result_.profiled.push_back({config, std::move(recorded.measurement), reason, repeat,
                                recorded.from_store, verification});
    return &result_.profiled.back();
  }

  // The best of several noisy readings is partly luck: a live answer is measured once more, told,
  // and asked for again, until it stands.
  Status answer(Strategy& strategy) {
    std::optional<size_t> verified;
    for (int round = 0; round <= verification_rounds; ++round) {
      const auto answer = strategy.answer();
      if (!answer) {
        if (answer.error().code != Code::infeasible) return answer.error();
        result_.infeasible = answer.error();
        result_.choice.reset();
        return {};
      }
      const size_t candidate = answer->choice[0];
      result_.choice = asked_.config[candidate];
      const bool live = result_.request.verify && profiler_.info().live;
      if (!live || verified == candidate || round == verification_rounds) return {};
      const Ask again{0, candidate, "the answer, measured once more", true};
      FLYBALL_ASSIGN(const Profiled* trial, measure(*result_.choice, again.reason, true, true));
      strategy.tell(again, reading_of(trial->measurement), trial->measurement.failure);
      verified = candidate;
    }
    return {};
  }

  // The times of a busy machine are true of that machine only.
  void note_other_load() {
    const auto& cores = recorder_->other_load();
    if (cores.empty() || median(cores) < noticeable_load) return;
    result_.notes.push_back(
        fmt::format("other processes kept {:.2g} cores busy during the median trial (at most "
                    "{:.2g}): on a quiet machine times may be shorter (--fresh measures again)",
                    median(cores), *std::ranges::max_element(cores)));
  }

  Profiler& profiler_;
  const TuneProgress& progress_;
  Recorder* recorder_ = nullptr;
  Stopwatch since_;
  TuneResult result_;
  Asked asked_;
  std::unique_ptr<Strategy> strategy_;
  std::set<size_t> configs_;  // profiled so far
  size_t limit_ = 0;
};

}  // namespace

size_t TuneResult::profiles() const {
  std::set<size_t> configs;
  for (const Profiled& trial : profiled) configs.insert(trial.config);
  return configs.size();
}

double TuneResult::minibatches_per_epoch(size_t config) const {
  double batch = 0;
  if (const auto axis = space.axis_index("batch_size"))
    batch = space.row(config)[*axis];
  else if (const auto fixed = profiler.job.find("batch_size"); fixed != profiler.job.end())
    batch = fixed->second;
  return samples > 0 && batch > 0 ? std::ceil(samples / batch) : 0;
}

namespace {

// A run that was cut off and asked for the same goes on; its trials are in the store.
Result<int64_t> start_run(Store& store, const TuneRequest& request, const ProfilerInfo& info) {
  auto asked = request_json(request, info);
  if (request.fresh) asked["fresh"] = true;  // goes on with its own kind only
  const RunRequest wanted{request.command,  asked.dump(), info.device,
                          info.fingerprint, request.seed, info.conditions};
  FLYBALL_ASSIGN(const auto interrupted, store.interrupted_run(wanted));
  if (!interrupted) return store.begin_run(wanted);
  FLYBALL_CHECK(store.resume_run(interrupted->id));
  return interrupted->id;
}

RunState state_after(const Result<TuneResult>& result) {
  if (result.ok()) return RunState::done;
  return result.error().code == Code::interrupted ? RunState::interrupted : RunState::failed;
}

}  // namespace

Result<TuneResult> tune(Profiler& profiler, Store* store, const TuneRequest& request,
                        const TuneProgress& progress) {
  Tuning tuning(profiler, request, progress);
  FLYBALL_CHECK(tuning.prepare());
  std::optional<int64_t> run;
  if (store) {
    FLYBALL_ASSIGN(run, start_run(*store, request, profiler.info()));
  }
  FLYBALL_ASSIGN(Recorder recorder, Recorder::open(profiler, store, run, request.fresh));
  auto result = tuning.run(std::move(recorder));
  if (store) {
    if (result) result->run = run;
    FLYBALL_CHECK(
        store->finish_run(*run, state_after(result), result ? answer_json(*result).dump() : ""));
  }
  return result;
}

Result<Oracle> find_oracle(const WorkloadTable& table, Profiler& profiler,
                           const TuneRequest& request) {
  FLYBALL_ASSIGN(const Asked asked, make_problem(profiler, request));
  const WorkloadTable* tables[] = {&table};
  FLYBALL_ASSIGN(Readings readings, readings_of(*asked.problem->candidates, tables));
  const auto best = [&]() -> std::optional<TableRow> {
    const Choice choice = solve(*asked.problem, readings);
    if (!choice.outcome.feasible) return {};
    const Reading& reading = readings[0][choice.candidates[0]];
    const size_t config = asked.config[choice.candidates[0]];
    const auto row = profiler.measure(config);
    return TableRow{config, reading.minibatch_ms, reading.power_w,
                    row ? row->provenance : Provenance::table};
  };
  Oracle oracle;
  oracle.raw = best();
  for (size_t row : suspicious_power(table)) {
    const auto config = profiler.space().find(table.space.row(row));
    if (!config) continue;
    oracle.excluded.push_back(*config);
    const auto candidate = std::ranges::find(asked.config, *config) - asked.config.begin();
    readings[0][static_cast<size_t>(candidate)] = Reading{};
  }
  oracle.robust = best();
  return oracle;
}

}  // namespace flyball
