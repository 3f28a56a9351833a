#include "telemetry/process/measure.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/clock.h"
#include "base/os/guard.h"
#include "base/text.h"
#include "telemetry/process/command.h"
#include "telemetry/process/python_package.h"
#include "telemetry/sampling/energy_laps.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sampling/thread_time.h"
#include "telemetry/sampling/trace_export.h"

namespace flyball {
namespace {

// Looking at many processes costs time: at most this share of one core goes into it.
constexpr double kOwnShare = 0.004;

double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// Follows the memory of a tree: often its size, less often who belongs to it.
class MemoryWatch {
 public:
  MemoryWatch(RunningCommand& command, MeasureResult& result)
      : command_(command), result_(result), next_search_ns_(monotonic_ns()) {}

  /// Page faults of the tree up to the last look: memory grows by them.
  uint64_t faults() const { return faults_; }
  /// Takes a sample; returns the processor time that it took, in seconds: that others have the
  /// core meanwhile is no cost of ours, and no reason to look less often.
  double sample() {
    const double begin_s = thread_cpu_seconds();
    // Read before the memory, so that they are never ahead of what it shows.
    const auto leader = read_pid_stat(command_.pid());
    uint64_t faults = leader ? leader->faults : 0;
    if (monotonic_ns() >= next_search_ns_) faults = std::max(faults, search());
    const double resident = command_.tree().resident_bytes();
    keep_peak(resident);
    if (resident > 0) faults_ = std::max(faults_, faults);
    ++result_.samples;
    return thread_cpu_seconds() - begin_s;
  }

 private:
  // Returns the page faults of the tree.
  uint64_t search() {
    const int64_t begin = monotonic_ns();
    const double begin_s = thread_cpu_seconds();
    command_.refresh();
    const TreeUse use = command_.tree().use();
    result_.peak_processes = std::max(result_.peak_processes, use.processes);
    result_.peak_threads = std::max(result_.peak_threads, use.threads);
    // The kernel remembers the peak of each process, also between our samples.
    for (pid_t pid : command_.tree().members()) keep_peak(process_peak_bytes(pid));
    const double cost = thread_cpu_seconds() - begin_s;
    next_search_ns_ = begin + nanoseconds(std::clamp(cost / kOwnShare, 0.02, 1.0));
    return use.faults;
  }
  void keep_peak(double bytes) {
    result_.peak_memory_bytes = std::max(result_.peak_memory_bytes, bytes);
  }

  RunningCommand& command_;
  MeasureResult& result_;
  int64_t next_search_ns_;
  uint64_t faults_ = 0;
};

// Returns the page faults of the tree that had happened when its memory was last looked at.
uint64_t run_until_end(RunningCommand& command, const MeasureOptions& options, EnergyLaps& energy,
                       MeasureResult& result) {
  MemoryWatch watch(command, result);
  const double interval_s = options.interval.value;
  double steps_s = 0;
  int64_t deadline = monotonic_ns();
  do {
    const double cost_s = watch.sample();
    energy.look();
    const double step_s = std::max(interval_s, cost_s / kOwnShare);
    steps_s += step_s;
    deadline = std::max(deadline + nanoseconds(step_s), monotonic_ns());
  } while (!command.wait_until(deadline));
  result.end_ns = monotonic_ns();
  result.memory_interval_s = steps_s / static_cast<double>(result.samples);
  return watch.faults();
}

void wait_for_orphans(RunningCommand& command, EnergyLaps& energy, MeasureResult& result) {
  while (command.others_run()) {
    energy.look();
    sleep_until_ns(monotonic_ns() + 5'000'000);
    result.end_ns = monotonic_ns();
  }
}

// What was seen counts where most of the memory had been taken by then: a command that has hardly
// begun shows a few pages, and may need a thousand times as many before it ends. The kernel's own
// figure of what has ended needs no look.
void take_peak(const EndedUse& ended, uint64_t faults_seen, MeasureResult& result) {
  if (2 * faults_seen < ended.minor_faults + ended.major_faults) result.peak_memory_bytes = 0;
  result.peak_memory_bytes = std::max(result.peak_memory_bytes, ended.max_resident_bytes);
}

void take_usage(const RunningCommand& command, MeasureResult& result) {
  const EndedUse& ended = command.ended();
  result.exit_code = command.exit_code();
  result.end_signal = command.end_signal();
  result.user_s = ended.user_s;
  result.system_s = ended.system_s;
  result.io = ended.io;
  result.io_known = ended.io_known;
  result.major_faults = ended.major_faults;
  result.voluntary_switches = ended.voluntary_switches;
  result.involuntary_switches = ended.involuntary_switches;
  result.peak_processes = std::max(result.peak_processes, 1);
  result.left_running = command.left_running();
}

void take_power(const EnergyLaps& energy, MeasureResult& result) {
  for (EnergyLaps::Sum& sensor : energy.sensors()) {
    if (sensor.energy)
      result.sensors.push_back({sensor.name, *std::move(sensor.energy)});
    else
      result.missing.push_back(sensor.energy.error());
  }
  for (EnergyLaps::Sum& total : energy.totals())
    if (total.energy) result.totals.push_back({total.name, *std::move(total.energy)});
}

// The limits of the sampler, which has no say where there is no sensor.
Status check_interval(Seconds interval) {
  if (interval.value >= 0.001 * (1 - 1e-9) && interval.value <= 3600) return {};
  return Error{Code::invalid_argument,
               fmt::format("cannot sample every {:g} ms", interval.value * 1e3),
               "choose an interval from 1 ms to 1 h"};
}

}  // namespace

Result<MeasureResult> measure_command(const std::vector<std::string>& argv,
                                      const MeasureOptions& options) {
  FLYBALL_CHECK(check_interval(options.interval));
  MeasureResult result;
  result.command = argv;
  result.interval_s = options.interval.value;
  result.missing = options.sensors.gaps;
  result.started_utc = wall_clock_utc();
  Sampler sampler;
  sampler.tell(options.listener);
  FLYBALL_CHECK(sampler.add_all(options.sensors, options.interval));
  const Seconds slower{std::max(options.interval.value, options.context_interval.value)};
  FLYBALL_CHECK(sampler.add_all(options.context, slower));
  Guard::start();  // no part of the command's time
  const double own_before_s = own_cpu_seconds();
  FLYBALL_CHECK(sampler.start());
  result.begin_ns = monotonic_ns();
  EnergyLaps energy(sampler, result.begin_ns);
  const auto started = RunningCommand::start(
      argv, {.environment = python_environment(), .streams = options.streams});
  if (!started) {
    result.not_started = started.error();
    return result;
  }
  RunningCommand& command = **started;
  const uint64_t faults_seen = run_until_end(command, options, energy, result);
  if (options.wait_for_all) wait_for_orphans(command, energy, result);
  command.finish(true);
  sampler.stop();
  energy.end(result.end_ns);
  result.wall_s = static_cast<double>(result.end_ns - result.begin_ns) * 1e-9;
  take_usage(command, result);
  take_peak(command.ended(), faults_seen, result);
  result.own_cpu_s = own_cpu_seconds() - own_before_s;
  result.own_cpu_percent = 100 * result.own_cpu_s / result.wall_s;
  result.cpu_percent = 100 * (result.user_s + result.system_s) / result.wall_s;
  take_power(energy, result);
  result.traces = sampler.traces();
  return result;
}

Status join_plug(MeasureResult& result, Trace log) {
  FLYBALL_ASSIGN(const EnergyWindow window, plug_energy(log, result.begin_ns, result.end_ns));
  result.totals.push_back({log.info.total, window});
  result.traces.push_back(std::move(log));
  return {};
}

}  // namespace flyball
