// `flyball measure -- COMMAND…`: what any command costs, with everything it starts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "base/units.h"
#include "telemetry/process/spawn.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sampling/trace.h"
#include "telemetry/sensors/proc_parse.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

struct MeasureOptions {
  Seconds interval{0.01};         ///< between samples of power and memory, 1 ms … 1 h
  SensorList sensors;             ///< power sensors and energy counters to read; other kinds too
  SensorList context;             ///< what explains a run, for traces; read less often
  Seconds context_interval{0.1};  ///< between samples of `context`; not below `interval`
  Streams streams{};              ///< of the command
  bool wait_for_all = false;      ///< also for processes that it leaves behind
  SamplingListener* listener = nullptr;  ///< of what is sampled; not owned
};

/// Energy of one sensor or one total over the run.
struct MeasuredPower {
  std::string name;
  EnergyWindow window;
};

struct MeasureResult {
  std::vector<std::string> command;
  /// Why it did not start (start_failure_exit_code() in command.h); then there is nothing else.
  std::optional<Error> not_started;
  std::string started_utc;
  int exit_code = 0;                ///< as a shell shows it: 128 + signal when one ended it
  int end_signal = 0;               ///< 0 for none
  double wall_s = 0;                ///< from before the start until its end
  double user_s = 0, system_s = 0;  ///< of all its processes
  double cpu_percent = 0;           ///< of one core: 200 is two cores busy
  /// Largest sum of resident memory of its processes seen; 0 when it ended before one could look,
  /// or when it took most of its memory after the last look.
  double peak_memory_bytes = 0;
  int peak_processes = 0, peak_threads = 0;
  PidIo io;
  bool io_known = true;
  uint64_t major_faults = 0, voluntary_switches = 0, involuntary_switches = 0;
  int left_running = 0;                ///< processes that live on; figures up to the end
  std::vector<MeasuredPower> totals;   ///< e.g. "package", "gpu", "module"
  std::vector<MeasuredPower> sensors;  ///< each of them
  std::vector<Trace> traces;           ///< of all sensors, for export
  int64_t begin_ns = 0, end_ns = 0;    ///< of the window, monotonic
  std::vector<Error> missing;          ///< what could not be measured, each with its remedy
  double interval_s = 0;               ///< asked; of the power sensors
  double memory_interval_s = 0;        ///< between samples of memory; longer where they cost much
  uint64_t samples = 0;                ///< of memory
  double own_cpu_s = 0;                ///< CPU time of the measuring itself
  double own_cpu_percent = 0;          ///< of one core, over wall_s
};

/// Runs a command in its own process group and measures it until it ends. Signals that reach this
/// process meanwhile go to the command. While it runs, this process must start no other children.
/// Errors: the interval is not from 1 ms to 1 h; who listens to the samples cannot begin. A command
/// that does not start is a result.
Result<MeasureResult> measure_command(const std::vector<std::string>& argv,
                                      const MeasureOptions& options);

/// Joins the log of a plug meter by time: its energy over the run stands beside the other totals.
/// Errors: those of energy_between(), e.g. a log that does not reach the run.
Status join_plug(MeasureResult& result, Trace log);

/// As `--json` shows it.
Json measure_json(const MeasureResult& result);
/// As a person reads it; ends with a line end.
std::string measure_text(const MeasureResult& result);

}  // namespace flyball
