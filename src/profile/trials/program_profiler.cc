#include "profile/trials/program_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "profile/trials/mode_watch.h"
#include "profile/trials/program_run.h"
#include "profile/trials/trial_conditions.h"
#include "profile/trials/trial_figures.h"

namespace flyball {
namespace {

constexpr int64_t look_every_ns = 5'000'000;

Result<std::vector<Axis>> axes_of(const Device& device, const std::vector<Axis>& open) {
  std::vector<Axis> axes = device.axes();
  const size_t own = axes.size();
  for (const Axis& wanted : open) {
    const auto known = std::ranges::find(axes, wanted.name, &Axis::name);
    if (known == axes.end()) {
      axes.push_back(wanted);
      axes.back().scope = Scope::run;
      continue;
    }
    if (static_cast<size_t>(known - axes.begin()) < own)
      for (double value : wanted.values)
        if (std::ranges::find(known->values, value) == known->values.end())
          return Error{Code::invalid_argument,
                       fmt::format("{} cannot be {} here", wanted.name, format_number(value)),
                       "`flyball devices` lists the values of each axis"};
    known->values = wanted.values;
  }
  return axes;
}

// One trial: reads marks and decides what counts.
class ProgramTrial {
 public:
  ProgramTrial(ProgramRun& run, PowerMeter& meter, const ProgramTrialOptions& options,
               Measurement& m)
      : run_(run),
        meter_(meter),
        options_(options),
        m_(m),
        rule_(options.stopping),
        marks_(run.started_ns()) {}

  Status measure() {
    FLYBALL_CHECK(meter_.begin());
    meter_.count();  // a program without marks is measured from its start
    bool ended = false;
    while (!done_ && !ended) {
      ended = run_.wait_until(monotonic_ns() + look_every_ns);
      for (const Mark& mark : run_.take())
        if (mark.kind == MarkKind::minibatch) add(marks_.next(mark));
      FLYBALL_CHECK(check_time());
    }
    const double wall_s = static_cast<double>(monotonic_ns() - run_.started_ns()) * 1e-9;
    if (!done_) FLYBALL_CHECK(take_ended(wall_s));
    take_power(meter_, m_);  // before the program is gone
    return {};
  }

 private:
  void add(const MarkedMinibatch& minibatch) {
    last_ns_ = monotonic_ns();
    if (seen_++ == 0) {
      m_.first = minibatch.times();
      warm_ns_ = minibatch.end_ns + static_cast<int64_t>(options_.warm_up_s * 1e9);
      cap_ns_ = warm_ns_ + 30'000'000'000;
      return;
    }
    if (done_) return;
    if (!counting_) {
      early_.push_back(minibatch.times());
      const bool settled = meter_.settled() || minibatch.end_ns > cap_ns_;
      if (minibatch.end_ns < warm_ns_ || !settled) return;
      counting_ = true;
      m_.warm_up_s = static_cast<double>(minibatch.end_ns - warm_ns_) * 1e-9 + options_.warm_up_s;
      meter_.count();
      count_ns_ = minibatch.end_ns;
      return;
    }
    count(minibatch.times());
    const double counted_s = static_cast<double>(minibatch.end_ns - count_ns_) * 1e-9;
    done_ = rule_.done() && (meter_.updates() >= power_updates_wanted ||
                             counted_s >= options_.stopping.max_seconds);
    if (done_) m_.stop_reason = rule_.reason();
    if (done_) take_times(rule_, m_);
  }

  void count(const MinibatchTimes& times) {
    rule_.add(times.e2e_ms);
    m_.minibatches.push_back(times);
  }

  Status check_time() const {
    if (options_.interrupted && options_.interrupted->load())
      return Error{Code::interrupted, "interrupted", ""};
    const auto since = [](int64_t ns) { return static_cast<double>(monotonic_ns() - ns) * 1e-9; };
    if (seen_ == 0 && since(run_.started_ns()) > options_.unmarked_s)
      return Error{Code::unavailable,
                   fmt::format("the program marked nothing and did not end within {}",
                               format_seconds({options_.unmarked_s})),
                   "mark its minibatches with flyball.minibatch(), or give it less to do"};
    if (seen_ > 0 && since(last_ns_) > options_.patience_s)
      return Error{Code::unavailable,
                   fmt::format("the program marked {} minibatches and then none for {}", seen_,
                               format_seconds({options_.patience_s})),
                   "does it hang?"};
    return {};
  }

  // It ended of itself, before the rule was met.
  Status take_ended(double wall_s) {
    run_.stop();
    FLYBALL_CHECK(run_.outcome());
    if (seen_ == 0) {
      count({.stall_ms = 0, .compute_ms = 0, .e2e_ms = wall_s * 1e3, .epoch = 0});
      m_.stop_reason = "the program marks no minibatches: its whole run is measured";
      take_times(rule_, m_);
      return {};
    }
    if (m_.minibatches.size() < 2 && early_.size() > m_.minibatches.size()) {
      rule_ = StoppingRule(options_.stopping);
      m_.minibatches.clear();
      for (const MinibatchTimes& times : early_) count(times);
    }
    if (m_.minibatches.size() < 2)
      return Error{Code::unavailable,
                   fmt::format("the program ended after {} marked minibatches", seen_),
                   "let it run for at least three"};
    m_.stop_reason = fmt::format("the program ended after {} minibatches", seen_);
    take_times(rule_, m_);
    return {};
  }

  ProgramRun& run_;
  PowerMeter& meter_;
  const ProgramTrialOptions& options_;
  Measurement& m_;
  StoppingRule rule_;
  MinibatchMarks marks_;
  std::vector<MinibatchTimes> early_;  ///< warm-up, which counts when there is nothing else
  bool counting_ = false, done_ = false;
  size_t seen_ = 0;
  int64_t last_ns_ = 0, warm_ns_ = 0, cap_ns_ = 0, count_ns_ = 0;
};

class ProgramProfiler final : public Profiler {
 public:
  ProgramProfiler(std::unique_ptr<Device> device, std::unique_ptr<PowerMeter> meter,
                  const ProgramTrialOptions& options, Space space)
      : device_(std::move(device)),
        meter_(std::move(meter)),
        options_(options),
        space_(std::move(space)) {
    info_.device = device_->info().name;
    info_.device_title = device_->info().title;
    info_.fingerprint = device_->info().fingerprint;
    info_.conditions = combine(
        {process_conditions(), power_conditions(*meter_), program_conditions(options.argv)});
    info_.workload = join(options.argv, " ");
    info_.phase = Phase::train;
    info_.power_total = meter_->total();
    info_.power_gap = meter_->gap();
    info_.gaps = device_->gaps();
    info_.live = true;
    find_default();
  }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return default_; }
  std::string default_reason() const override {
    return "all cores, and the lowest value of each axis that was opened";
  }

  Result<Measurement> measure(size_t config) override {
    FLYBALL_CHECK(device_->claim());  // without the board there is no trial, not even a failed one
    const Stopwatch total;
    Measurement m;
    m.trial = space_.trial(config, info_.workload, info_.phase);
    m.device = info_.device;
    m.fingerprint = info_.fingerprint;
    m.conditions = info_.conditions;
    m.started_utc = wall_clock_utc();
    m.power_gap = info_.power_gap;
    const Status status = run_trial(m);
    if (!status.ok()) {
      const Error& error = status.error();
      if (error.code == Code::interrupted || error.code == Code::not_found ||
          error.code == Code::permission)
        return error;  // nothing can be measured at all
      m.failure = error.message;
    }
    m.total_s = total.seconds();
    return m;
  }

 private:
  void find_default() {
    const Settings mode = device_->default_mode().values;
    double nearest = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < space_.size(); ++i) {
      double distance = 0;
      for (const auto& [name, value] : space_.settings(i))
        distance += mode.contains(name) ? std::abs(value - mode.at(name)) * 1e6 : value;
      if (distance >= nearest) continue;
      nearest = distance;
      default_ = i;
    }
  }

  Status run_trial(Measurement& m) {
    FLYBALL_CHECK(device_->apply(m.trial.mode));
    m.settle_s = settle(*device_, m.trial.mode, options_.settle_s);
    ProgramOptions program;
    program.argv = options_.argv;
    program.in_background = true;
    program.settings = m.trial.mode.values;
    for (const auto& [name, value] : m.trial.job.settings) program.settings[name] = value;
    FLYBALL_ASSIGN(const auto run, ProgramRun::start(program));
    FLYBALL_CHECK(ProgramTrial(*run, *meter_, options_, m).measure());
    m.throttled |= !not_kept(*device_, m.trial.mode).empty();
    return device_->still_set();
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<PowerMeter> meter_;
  ProgramTrialOptions options_;
  ProfilerInfo info_;
  Space space_;
  size_t default_ = 0;
};

}  // namespace

Result<std::unique_ptr<Profiler>> make_program_profiler(std::unique_ptr<Device> device,
                                                        std::unique_ptr<PowerMeter> meter,
                                                        const ProgramTrialOptions& options) {
  if (options.argv.empty())
    return Error{Code::invalid_argument, "there is no program to run",
                 "put it after --, e.g. -- python3 train.py"};
  FLYBALL_ASSIGN(const std::vector<Axis> axes, axes_of(*device, options.open));
  return std::unique_ptr<Profiler>(std::make_unique<ProgramProfiler>(
      std::move(device), std::move(meter), options, Space::grid(axes)));
}

}  // namespace flyball
