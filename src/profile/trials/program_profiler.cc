#include "profile/trials/program_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/interrupt.h"
#include "base/own_variables.h"
#include "base/text.h"
#include "base/units.h"
#include "profile/trials/begun_measurement.h"
#include "profile/trials/mode_watch.h"
#include "profile/trials/program_axes.h"
#include "profile/trials/program_run.h"
#include "profile/trials/trial_conditions.h"
#include "profile/trials/trial_figures.h"
#include "space/highest_mode.h"

namespace flyball {
namespace {

constexpr int64_t look_every_ns = 5'000'000;
constexpr int64_t memory_every_ns = 100'000'000;

constexpr size_t most_searched_bytes = 64 << 20;  // of a program, compiled or not
constexpr size_t most_source_bytes = 1 << 20;
constexpr size_t most_call_bytes = 200;

// "" of one that is larger, or does not read.
std::string searched(const std::filesystem::path& file, size_t most_bytes = most_searched_bytes) {
  std::error_code ignored;
  if (std::filesystem::file_size(file, ignored) > most_bytes || ignored) return "";
  const auto text = read_file(file);
  return text ? *text : "";
}

// Does the command, or a file of the program, name the axis?
bool names(const std::vector<std::string>& argv, const std::string& name) {
  const std::string variable = setting_variable(name);
  for (const std::string& word : argv)
    if (word.find(placeholder(name)) != std::string::npos ||
        word.find(variable) != std::string::npos)
      return true;
  return std::ranges::any_of(program_files(argv), [&](const std::filesystem::path& file) {
    return searched(file).find(variable) != std::string::npos;
  });
}

// Of `setting("batch_size", 16)`; nothing where no file has it, or several with other values.
std::optional<double> own_value(const std::string& text, const std::string& name) {
  if (text.find(name) == std::string::npos) return {};
  static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
  const std::string plain = std::regex_replace(name, special, R"(\$&)");
  const std::regex call("setting\\s*\\(\\s*[\"']" + plain + "[\"']\\s*,\\s*([-+0-9.eE]+)\\s*\\)");
  std::set<double> values;
  // Call by call: what std::regex does with a long text takes long, and much of the stack.
  for (size_t at = 0; (at = text.find("setting", at)) != std::string::npos; ++at) {
    const std::string part = text.substr(at, most_call_bytes);
    std::smatch found;
    if (!std::regex_search(part, found, call, std::regex_constants::match_continuous)) continue;
    if (const auto value = parse_double(found[1].str())) values.insert(*value);
  }
  return values.size() == 1 ? std::optional(*values.begin()) : std::nullopt;
}

// What the program takes where nobody sets it, as far as its files say it.
Settings own_values(const std::vector<std::string>& argv, const std::vector<Axis>& axes) {
  Settings own;
  for (const std::filesystem::path& file : program_files(argv)) {
    const std::string text = searched(file, most_source_bytes);
    if (text.find('\0') != std::string::npos) continue;  // no source
    for (const Axis& axis : axes)
      if (const auto value = axis.scope == Scope::run ? own_value(text, axis.name) : std::nullopt)
        own.emplace(axis.name, *value);
  }
  return own;
}

Error never_read(const std::string& name) {
  return {
      Code::invalid_argument,
      fmt::format("the program never read {}, so each value of it would measure the same", name),
      fmt::format("read it by flyball.setting(\"{0}\", …) (C: flyball_setting), put {1} where the "
                  "command takes it, or leave --axis {0} out",
                  name, placeholder(name))};
}

Error never_reported(const std::string& name, const Figures& figures) {
  std::vector<std::string> reported;
  for (const auto& [other, value] : figures) reported.push_back(other);
  return {Code::invalid_argument,
          fmt::format(
              "the program never reported {}, so nothing can hold its limit ({})", name,
              reported.empty() ? "it reported nothing" : "known of it: " + join(reported, ", ")),
          fmt::format("report it by flyball.report(\"{}\", …) (C: flyball_report) before it ends, "
                      "or leave that limit out",
                      name)};
}

// One trial: reads marks and decides what counts.
class ProgramTrial {
 public:
  ProgramTrial(ProgramRun& run, PowerMeter& meter, const Device& device,
               const ProgramTrialOptions& options, Measurement& m)
      : run_(run),
        meter_(meter),
        clocks_(device, m.trial.mode),
        options_(options),
        m_(m),
        rule_(stopping_of(options.stopping, m.trial)),
        marks_(run.started_ns()) {}

  Status measure() {
    FLYBALL_CHECK(meter_.begin());
    meter_.count();  // a program without marks is measured from its start
    bool ended = false;
    while (!(done_ && has_reported()) && !ended) {
      ended = run_.wait_until(monotonic_ns() + look_every_ns);
      watch_memory();
      if (!done_) clocks_.look();
      for (const Mark& mark : run_.take())
        if (mark.kind == MarkKind::minibatch) add(marks_.next(mark));
      FLYBALL_CHECK(check_names());
      FLYBALL_CHECK(check_time());
    }
    const double wall_s = static_cast<double>(monotonic_ns() - run_.started_ns()) * 1e-9;
    if (!done_) {
      FLYBALL_CHECK(take_ended(wall_s));
      end_counting();
    }
    FLYBALL_CHECK(check_finite());
    m_.figures = run_.figures();
    if (memory_bytes_ > 0) m_.figures["memory"] = memory_bytes_;
    return {};
  }

 private:
  void add(const MarkedMinibatch& minibatch) {
    last_ns_ = monotonic_ns();
    if (seen_++ == 0) {
      m_.first = minibatch.times();
      warm_ns_ = minibatch.end_ns + nanoseconds(options_.warm_up_s);
      cap_ns_ = warm_ns_ + nanoseconds(power_patience_s);
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
      clocks_.begin();
      count_ns_ = minibatch.end_ns;
      return;
    }
    count(minibatch.times());
    const double counted_s = static_cast<double>(minibatch.end_ns - count_ns_) * 1e-9;
    done_ = rule_.done() && (meter_.updates() >= power_updates_wanted ||
                             counted_s >= options_.stopping.max_seconds);
    if (done_) m_.stop_reason = rule_.reason();
    if (!done_) return;
    take_times(rule_, m_);
    end_counting();
  }

  // Before the program is gone; what it does until it reports its figures is no part of it.
  void end_counting() {
    take_power(meter_, m_);
    clocks_.end(m_);
  }

  bool has_reported() const {
    return std::ranges::all_of(options_.wanted_figures, [&](const std::string& name) {
      return name == "memory" || run_.figures().contains(name) ||
             run_.marks().not_finite().contains(name);
    });
  }

  Status check_finite() const {
    for (const std::string& name : options_.wanted_figures)
      if (run_.marks().not_finite().contains(name))
        return Error{Code::unavailable,
                     fmt::format("the program reported {} as no finite number", name), ""};
    return {};
  }

  // A limit on it is one of times.
  Status check_names() const {
    return run_.figures().contains(slowdown_figure) ? Status(reported_slowdown()) : Status();
  }

  // To look at all processes takes a millisecond.
  void watch_memory() {
    const int64_t now = monotonic_ns();
    if (now < next_memory_ns_ && !done_) return;
    next_memory_ns_ = now + memory_every_ns;
    run_.command().refresh();
    memory_bytes_ = std::max(memory_bytes_, run_.command().tree().use().resident_bytes);
  }

  void count(const MinibatchTimes& times) {
    rule_.add(times.e2e_ms);
    m_.minibatches.push_back(times);
  }

  Status check_time() const {
    FLYBALL_CHECK(check_interrupt(options_.interrupted));
    const auto since = [](int64_t ns) { return static_cast<double>(monotonic_ns() - ns) * 1e-9; };
    const double unmarked_s = options_.whole_run_limit_s
                                  ? std::max(options_.patience_s, *options_.whole_run_limit_s)
                                  : options_.unmarked_s;
    if (seen_ == 0 && since(run_.started_ns()) > unmarked_s)
      return Error{Code::unavailable,
                   fmt::format("the program marked nothing and did not end within {}",
                               format_seconds({unmarked_s})),
                   "mark its minibatches with flyball.minibatch(), or give it less to do"};
    if (done_ && since(run_.started_ns()) > options_.unmarked_s)
      return Error{
          Code::unavailable,
          fmt::format("the program did not report {} within {}",
                      join(options_.wanted_figures, ", "), format_seconds({options_.unmarked_s})),
          "flyball.report(\"NAME\", value), sooner"};
    // Once it was measured it may do without marks what its figures take.
    if (seen_ > 0 && !done_ && since(last_ns_) > options_.patience_s)
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
      m_.span = MeasuredSpan::whole_run;
      m_.stop_reason = "the program marks no minibatches: its whole run is measured";
      take_times(rule_, m_);
      return {};
    }
    if (m_.minibatches.size() < 2 && early_.size() > m_.minibatches.size()) {
      rule_ = StoppingRule(stopping_of(options_.stopping, m_.trial));
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
  ClockWatch clocks_;
  const ProgramTrialOptions& options_;
  Measurement& m_;
  StoppingRule rule_;
  MinibatchMarks marks_;
  std::vector<MinibatchTimes> early_;  ///< warm-up, which counts when there is nothing else
  bool counting_ = false, done_ = false;
  size_t seen_ = 0;
  int64_t last_ns_ = 0, warm_ns_ = 0, cap_ns_ = 0, count_ns_ = 0;
  int64_t next_memory_ns_ = 0;
  double memory_bytes_ = 0;
};

class ProgramProfiler final : public Profiler {
 public:
  ProgramProfiler(std::unique_ptr<Device> device, std::unique_ptr<PowerMeter> meter,
                  const ProgramTrialOptions& options, Space space)
      : device_(std::move(device)),
        meter_(std::move(meter)),
        options_(options),
        space_(std::move(space)) {
    info_ = live_info(device_->info(), *device_, *meter_, options.presets);
    info_.conditions =
        combine({device_->info().settings, process_conditions(), power_conditions(*meter_),
                 program_conditions(options.argv, space_.axes())});
    info_.conditions["axes of the program"] = "read by it";  // earlier versions did not ask
    info_.workload = join(options.argv, " ");
    info_.phase = Phase::train;
    info_.trial_cap_s = options.stopping.max_seconds;
    info_.program = true;
    own_ = own_values(options.argv, space_.axes());
    find_default();
    info_.default_is_highest = is_highest(space_, default_, device_->axes());
  }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return default_; }
  std::string default_reason() const override {
    const Settings settings = space_.settings(default_);
    std::string reason = default_mode_text(settings, *device_);
    for (const auto& [name, own] : own_)
      if (const auto taken = settings.find(name); taken != settings.end())
        reason += taken->second == own
                      ? fmt::format(", {} {} as the program has it", name, format_number(own))
                      : fmt::format(", {} {} (nearest to the program's own {})", name,
                                    format_number(taken->second), format_number(own));
    const bool others = std::ranges::any_of(space_.axes(), [&](const Axis& axis) {
      return axis.scope == Scope::run && !own_.contains(axis.name);
    });
    if (!others) return reason;
    return reason + (own_.empty() ? ", and the lowest value of each axis of the program"
                                  : "; the lowest value of other axes");
  }

  std::string out_of_reach(size_t config) const override {
    return device_->out_of_reach(space_.trial(config, info_.workload, info_.phase).mode);
  }

  Result<Measurement> measure(size_t config) override {
    FLYBALL_CHECK(device_->claim());  // without the board there is no trial, not even a failed one
    return live_trial(
        info_, space_.trial(config, info_.workload, info_.phase),
        [this](Measurement& m) { return run_trial(m); },
        [this](const Error& error) { return refused_ || ends_trials(error); });
  }

 private:
  void find_default() {
    const Settings mode = device_->baseline().values;
    double nearest = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < space_.size(); ++i) {
      double distance = 0;
      for (const auto& [name, value] : space_.settings(i))
        distance += mode.contains(name)   ? std::abs(value - mode.at(name)) * 1e6
                    : own_.contains(name) ? std::abs(value - own_.at(name)) * 1e3
                                          : value;
      if (distance >= nearest) continue;
      nearest = distance;
      default_ = i;
    }
  }

  Status run_trial(Measurement& m) {
    refused_ = false;
    FLYBALL_CHECK(device_->apply(m.trial.mode));
    m.settle_s = settle(*device_, m.trial.mode, options_.settle_s);
    ProgramOptions program;
    program.in_background = true;
    program.settings = all_settings(m.trial);
    program.environment = options_.environment;
    program.argv = filled_in(options_.argv, program.settings);
    refused_ = true;  // what cannot be started here cannot be in another mode
    FLYBALL_ASSIGN(const auto run, ProgramRun::start(program));
    refused_ = false;
    FLYBALL_CHECK(ProgramTrial(*run, *meter_, *device_, options_, m).measure());
    run->take();  // what it read after the last look
    refused_ = true;
    FLYBALL_CHECK(check_axes(run->marks(), m));
    FLYBALL_CHECK(check_figures(m));
    FLYBALL_CHECK(check_length(m));
    refused_ = false;
    FLYBALL_CHECK(device_->still_set());
    return check_alike(m);
  }

  // Once: what one trial reads the others read, too. Only a library that tells of settings can tell
  // that one was not read.
  Status check_axes(const MarkReader& marks, const Measurement& m) {
    if (axes_checked_) return {};
    axes_checked_ = true;
    if (!marks.tells_settings() && !m.whole_run()) return {};
    for (const auto& [name, value] : m.trial.job.settings)
      if (!marks.was_read(name) && !names(options_.argv, name)) return never_read(name);
    return {};
  }

  // The same of what it is to report. A later trial may not come to that: then it holds no limit.
  Status check_figures(const Measurement& m) {
    if (std::exchange(figures_checked_, true)) return {};
    for (const std::string& name : options_.wanted_figures)
      if (!m.figures.contains(name)) return never_reported(name, m.figures);
    return {};
  }

  Status check_length(const Measurement& m) const {
    const double limit_s = options_.whole_run_limit_s.value_or(m.minibatch_ms * 1e-3);
    if (!m.whole_run() || m.minibatch_ms * 1e-3 <= limit_s) return {};
    return Error{Code::invalid_argument,
                 fmt::format("the program marks no minibatches, so its whole run is measured: {}, "
                             "which --trial-time {} cannot cut",
                             format_seconds({m.minibatch_ms * 1e-3}), format_seconds({limit_s})),
                 "mark its minibatches (docs/your-model.md), give it less to do, or leave "
                 "--trial-time out"};
  }

  Status check_alike(const Measurement& m) {
    const bool whole = m.whole_run();
    if (whole_ && *whole_ != whole)
      return Error{Code::unavailable,
                   whole ? "it marked no minibatches, and did in other trials"
                         : "it marked minibatches, and did not in other trials",
                   ""};
    whole_ = whole;
    return {};
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<PowerMeter> meter_;
  ProgramTrialOptions options_;
  ProfilerInfo info_;
  Space space_;
  size_t default_ = 0;
  Settings own_;  ///< values that the program takes of itself, as its files say
  bool axes_checked_ = false, figures_checked_ = false;
  bool refused_ = false;       ///< the whole program, not only this trial
  std::optional<bool> whole_;  ///< were its trials whole runs so far?
};

}  // namespace

Result<std::unique_ptr<Profiler>> make_program_profiler(std::unique_ptr<Device> device,
                                                        std::unique_ptr<PowerMeter> meter,
                                                        const ProgramTrialOptions& options) {
  if (options.argv.empty())
    return Error{Code::invalid_argument, "there is no program to run",
                 "put it after --, e.g. -- python3 train.py"};
  FLYBALL_ASSIGN(const std::vector<Axis> axes, program_axes(*device, options.open));
  std::map<std::string, std::string> taken;  // variables, by whose axis
  for (const Axis& axis : axes) {
    const std::string variable = setting_variable(axis.name);
    if (is_own_variable(variable))
      return Error{Code::invalid_argument,
                   fmt::format("{} is a variable of Flyball's own, so no axis can be named {}",
                               variable, axis.name),
                   "give the setting another name"};
    if (const auto [other, first] = taken.emplace(variable, axis.name); !first)
      return Error{Code::invalid_argument,
                   fmt::format("{} and {} would both reach the program as {}", other->second,
                               axis.name, variable),
                   "give one of the settings another name"};
  }
  return std::unique_ptr<Profiler>(std::make_unique<ProgramProfiler>(
      std::move(device), std::move(meter), options, Space::grid(axes)));
}

}  // namespace flyball
