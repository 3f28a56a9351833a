#include "profile/characterise/program_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "base/statistics.h"
#include "base/text.h"
#include "device/measuring.h"
#include "telemetry/sampling/energy_laps.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

constexpr int64_t poll_program_ns = 5'000'000;
constexpr int64_t search_every_ns = 250'000'000;

// Watches one run until its end.
class Watch {
 public:
  Watch(ProgramRun& run, const ProgramRequest& request, const Sampler& sampler,
        ProgramProfile& profile)
      : run_(run),
        request_(request),
        sampler_(sampler),
        energy_(sampler, run.started_ns(), request.lap),
        profile_(profile),
        marks_(run.started_ns()) {}

  void until_end() {
    int64_t now = monotonic_ns();
    last_mark_ns_ = now;
    while (!run_.wait_until(now + poll_program_ns)) {
      now = monotonic_ns();
      take_marks();
      watch_memory(now);
      look_at_energy();
      if (request_.steps > 0 && seen_ >= request_.steps) {
        profile_.stopped = fmt::format("ended after {} minibatches", seen_);
        break;
      }
      if (seen_ > 0 && seconds_between(last_mark_ns_, now) > request_.patience.value) {
        profile_.failure = hung();
        break;
      }
    }
    end_ns_ = monotonic_ns();
    take_marks();
  }

  int64_t seen() const { return seen_; }

  int64_t end_ns() const { return end_ns_; }

  /// Once the sampler has stopped: the energy of the whole, and from the first mark to the last.
  void end_energy() {
    energy_.end(end_ns_);
    if (marked_energy_) marked_energy_->end(last_end_ns_);
  }
  std::optional<EnergyWindow> energy(const std::string& total) const {
    return energy_.total(total);
  }
  std::optional<EnergyWindow> marked_energy(const std::string& total) const {
    return marked_energy_ ? marked_energy_->total(total) : std::nullopt;
  }

 private:
  void look_at_energy() {
    energy_.look();
    if (marked_energy_) marked_energy_->look(last_end_ns_);
  }

  Error hung() const {
    return {Code::unavailable,
            fmt::format("'{}' marked {} minibatches and then none for {}", join(request_.argv, " "),
                        seen_, format_seconds(request_.patience)),
            "does it hang? --patience allows more time"};
  }

  void take_marks() {
    for (const Mark& mark : run_.take()) {
      if (mark.kind == MarkKind::minibatch) {
        add(marks_.next(mark));
      } else if (const auto begin_ns = windows_.begin_ns(mark)) {
        ProgramPart window;
        window.name = mark.name;
        window.begin_ns = *begin_ns;
        window.end_ns = mark.time_ns;
        profile_.windows.push_back(window);
      }
    }
  }

  void add(const MarkedMinibatch& minibatch) {
    last_mark_ns_ = monotonic_ns();
    last_end_ns_ = minibatch.end_ns;
    if (seen_++ == 0) {
      marked_energy_.emplace(sampler_, minibatch.end_ns, request_.lap);
      profile_.start_up_s = seconds_between(minibatch.begin_ns, minibatch.end_ns);
      profile_.first = minibatch;
    } else {
      profile_.minibatches.push_back(minibatch);
    }
  }

  void watch_memory(int64_t now) {
    if (now < next_search_ns_) return;
    next_search_ns_ = now + search_every_ns;
    run_.command().refresh();
    const TreeUse use = run_.command().tree().use();
    profile_.peak_processes = std::max(profile_.peak_processes, use.processes);
    profile_.peak_memory_bytes = std::max(profile_.peak_memory_bytes, use.resident_bytes);
  }

  ProgramRun& run_;
  const ProgramRequest& request_;
  const Sampler& sampler_;
  EnergyLaps energy_;
  std::optional<EnergyLaps> marked_energy_;  ///< from the first mark on
  ProgramProfile& profile_;
  MinibatchMarks marks_;
  WindowMarks windows_;
  int64_t seen_ = 0, last_mark_ns_ = 0, last_end_ns_ = 0, next_search_ns_ = 0, end_ns_ = 0;
};

// Sums over the minibatches that end inside the part. The first of the run stalls and computes as
// the others do, but when it began is not known.
void add_up(ProgramPart& part, const ProgramProfile& profile) {
  const auto inside = [&part](const MarkedMinibatch& minibatch) {
    return minibatch.end_ns > part.begin_ns && minibatch.end_ns <= part.end_ns;
  };
  std::vector<double> e2e;
  double stall = 0, compute = 0;
  const auto add = [&](const MarkedMinibatch& minibatch) {
    stall += minibatch.stall_ms * 1e-3;  // NaN when any of them is not marked
    compute += minibatch.compute_ms * 1e-3;
  };
  const bool has_first = profile.first && inside(*profile.first);
  if (has_first) add(*profile.first);
  for (const MarkedMinibatch& minibatch : profile.minibatches) {
    if (!inside(minibatch)) continue;
    e2e.push_back(minibatch.e2e_ms());
    add(minibatch);
  }
  part.minibatches = static_cast<int64_t>(e2e.size()) + (has_first ? 1 : 0);
  part.e2e_s = seconds_between(part.begin_ns, part.end_ns);
  if (part.minibatches == 0) return;
  if (!e2e.empty()) part.minibatch_ms = median(e2e);
  if (!std::isnan(stall)) part.stall_s = stall;
  if (!std::isnan(compute)) part.compute_s = compute;
  if (part.stall_s && part.compute_s) part.overhead_s = part.e2e_s - stall - compute;
}

void take_use(const RunningCommand& command, ProgramProfile& profile) {
  const EndedUse& ended = command.ended();
  profile.exit_code = command.exit_code();
  profile.cpu_s = ended.user_s + ended.system_s;
  profile.cpu_pct = 100 * profile.cpu_s / profile.wall_s;
  profile.peak_memory_bytes = std::max(profile.peak_memory_bytes, ended.max_resident_bytes);
  profile.peak_processes = std::max(profile.peak_processes, 1);
  if (!ended.io_known) return;
  profile.read_bytes = ended.io.read_bytes;
  profile.read_chars = ended.io.read_chars;
}

// A signal that we passed on, or Ctrl-C of a terminal that was the program's own.
std::optional<int> interrupting_signal(const RunningCommand& command, int passed_on) {
  if (passed_on != 0) return passed_on;
  if (command.end_signal() == SIGINT) return SIGINT;
  return {};
}

void take_failure(const ProgramRun& run, int passed_on, int64_t seen, ProgramProfile& profile) {
  const auto signal = interrupting_signal(run.command(), passed_on);
  const Status outcome = run.outcome();
  if (signal && profile.stopped.empty()) {
    note_interrupt(*signal);
    profile.failure =
        Error{Code::interrupted, fmt::format("interrupted after {} marked minibatches", seen), ""};
  } else if (!profile.failure && !outcome.ok()) {
    profile.failure = outcome.error();
  }
  if (profile.failure) profile.stopped = profile.failure->message;
}

// The energy of its total, over all of it and its parts. Of an early part of a long run the samples
// are no longer there.
void take_energy(ProgramProfile& profile) {
  const auto take = [&](int64_t begin_ns, int64_t end_ns, std::optional<EnergyWindow>& energy) {
    auto window = total_between(profile.traces, profile.power_total, begin_ns, end_ns);
    energy = window ? std::optional(*window) : std::nullopt;
    return window ? "" : window.error().message;
  };
  profile.power_gap = take(profile.begin_ns, profile.end_ns, profile.energy);
  if (profile.marked)
    take(profile.marked->begin_ns, profile.marked->end_ns, profile.marked->energy);
  for (ProgramPart& window : profile.windows) take(window.begin_ns, window.end_ns, window.energy);
}

// What was summed up before samples were overwritten counts more.
void take_laps(const Watch& watch, ProgramProfile& profile) {
  if (const auto whole = watch.energy(profile.power_total)) {
    profile.energy = *whole;
    profile.power_gap.clear();
  }
  if (!profile.marked) return;
  if (const auto marked = watch.marked_energy(profile.power_total)) profile.marked->energy = marked;
}

Status add_all(const SensorList& sensors, Seconds period, Seconds kept, Sampler& sampler) {
  for (const SensorPtr& sensor : sensors.sensors) FLYBALL_CHECK(sampler.add(sensor, period, kept));
  return {};
}

void take_gpu(ProgramProfile& profile) {
  const auto& wanted = profile.request.gpu;
  profile.gpu = wanted ? gpu_use_between(profile.traces, *wanted, profile.begin_ns, profile.end_ns)
                       : busiest_gpu_between(profile.traces, profile.begin_ns, profile.end_ns);
  if (!profile.gpu) return;
  const auto take = [&profile](ProgramPart& part) {
    part.gpu = gpu_use_between(profile.traces, profile.gpu->gpu, part.begin_ns, part.end_ns);
  };
  if (profile.marked) take(*profile.marked);
  for (ProgramPart& window : profile.windows) take(window);
}

}  // namespace

Result<ProgramProfile> profile_program(const ProgramRequest& request) {
  ProgramProfile profile;
  profile.request = request;
  profile.request.sensors = {};
  profile.request.context = {};
  profile.started_utc = wall_clock_utc();
  Sampler sampler;
  FLYBALL_CHECK(add_all(request.sensors, request.interval, request.kept, sampler));
  const Seconds slower{std::max(request.interval.value, request.context_interval.value)};
  FLYBALL_CHECK(add_all(request.context, slower, request.kept, sampler));
  sampler.tell(request.listener);
  FLYBALL_CHECK(sampler.start());
  ProgramOptions options;
  options.argv = request.argv;
  options.environment = request.environment;
  options.streams = request.streams;
  FLYBALL_ASSIGN(const auto run, ProgramRun::start(options));
  const Disturbance others;
  Watch watch(*run, request, sampler, profile);
  watch.until_end();
  const int passed_on = run->command().passed_on();
  run->stop();
  sampler.stop();
  watch.end_energy();
  profile.disturbed = others.by();
  take_failure(*run, passed_on, watch.seen(), profile);
  profile.lost_marks = run->lost_marks();
  profile.other_marks = run->marks().of_others();
  profile.begin_ns = run->started_ns();
  profile.end_ns = watch.end_ns();
  profile.wall_s = seconds_between(profile.begin_ns, profile.end_ns);
  take_use(run->command(), profile);
  if (!profile.minibatches.empty()) {
    ProgramPart& marked = profile.marked.emplace();
    marked.begin_ns = profile.minibatches.front().begin_ns;
    marked.end_ns = profile.minibatches.back().end_ns;
    add_up(marked, profile);
  }
  for (ProgramPart& window : profile.windows) add_up(window, profile);
  profile.traces = sampler.traces();
  take_gpu(profile);
  if (measures_power(request.sensors)) {
    profile.power_total = total_where(request.sensors, request.compute);
    take_energy(profile);
    take_laps(watch, profile);
  } else {
    profile.power_gap = power_gap(request.sensors);
  }
  return profile;
}

Status join_plug(ProgramProfile& profile, Trace log) {
  FLYBALL_CHECK(plug_energy(log, profile.begin_ns, profile.end_ns));
  profile.power_total = log.info.total;
  profile.traces.push_back(std::move(log));
  take_energy(profile);
  return {};
}

std::vector<Span> ProgramProfile::spans() const {
  std::vector<Span> spans{{"program", join(request.argv, " "), begin_ns, end_ns}};
  for (const ProgramPart& window : windows)
    spans.push_back({"windows", window.name, window.begin_ns, window.end_ns});
  for (size_t i = 0; i < minibatches.size(); ++i) {
    const MarkedMinibatch& minibatch = minibatches[i];
    // The first is not among them. What is not marked is NaN: then the step is all of it.
    const std::string name = fmt::format("step {}", i + 1);
    if (std::isnan(minibatch.compute_ms)) {
      spans.push_back({"minibatches", name, minibatch.begin_ns, minibatch.end_ns});
      continue;
    }
    const int64_t step = minibatch.end_ns - static_cast<int64_t>(minibatch.compute_ms * 1e6);
    if (!std::isnan(minibatch.stall_ms))
      spans.push_back(
          {"stall", "stall", step - static_cast<int64_t>(minibatch.stall_ms * 1e6), step});
    spans.push_back({"compute", name, step, minibatch.end_ns});
  }
  return spans;
}

}  // namespace flyball
