// `flyball profile -- PROGRAM…`: the user's own program from its start to its end, split by its
// marks.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/units.h"
#include "profile/characterise/gpu_use.h"
#include "profile/trials/program_run.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sampling/trace_export.h"

namespace flyball {

struct ProgramRequest {
  std::vector<std::string> argv;
  int64_t steps = 0;      ///< ends the program after so many marked minibatches; 0: its own end
  Seconds patience{300};  ///< a program that has marked and then marks nothing so long hangs
  Streams streams{};      ///< of the command
  SensorList sensors{};
  Seconds interval{0.01};
  Seconds kept{7200}, lap{1800};  ///< of samples, and of their sums (EnergyLaps)
  SensorList context{};  ///< what explains a run, for traces; read every `context_interval`
  Seconds context_interval{0.1};
  SamplingListener* listener = nullptr;    ///< of what is sampled; not owned
  std::vector<std::string> environment{};  ///< "NAME=value", on top of ours
  std::string compute = "cpu";             ///< where it is to compute, which total_where() asks
  std::optional<size_t> gpu{};  ///< the one it is to use, as sensors count; else the busiest
};

/// Sums over a stretch of the program: all of it, or a window that it marked.
struct ProgramPart {
  std::string name;  ///< "" for all marked minibatches, else the window's
  int64_t begin_ns = 0, end_ns = 0;
  int64_t minibatches = 0;
  double e2e_s = 0;
  std::optional<double> stall_s, compute_s, overhead_s;  ///< nothing where it is not marked
  std::optional<double> minibatch_ms;                    ///< median, without the first of the run
  std::optional<EnergyWindow> energy;
  std::optional<GpuUse> gpu;  ///< of the GPU that ProgramProfile::gpu is of
};

struct ProgramProfile {
  ProgramRequest request;  ///< without sensors
  std::string started_utc;
  int exit_code = 0;
  int64_t begin_ns = 0, end_ns = 0;  ///< of the program, monotonic
  double wall_s = 0;                 ///< start to end of the program
  double start_up_s = 0;             ///< start to the end of its first minibatch; 0 without marks
  std::optional<MarkedMinibatch> first;      ///< which begins when the program does
  std::vector<MarkedMinibatch> minibatches;  ///< without the first, whose begin is not known
  std::optional<ProgramPart> marked;         ///< from the first mark to the last one
  std::vector<ProgramPart> windows;          ///< windows that it marked, in the order of their ends
  uint64_t lost_marks = 0, other_marks = 0;  ///< overwritten; of other processes than the first
  double cpu_s = 0, cpu_pct = 0;             ///< of all its processes; percent of one core
  double peak_memory_bytes = 0;
  int peak_processes = 0;
  std::optional<uint64_t> read_bytes, read_chars;
  std::optional<EnergyWindow> energy;  ///< from start to end
  std::optional<GpuUse> gpu;           ///< the busiest one; nothing where no sensor tells of a GPU
  std::string power_total, power_gap;
  std::vector<Trace> traces;
  std::string stopped;  ///< "" or why we ended it, or how it failed
  /// How it failed, hung, or was interrupted, after what it is shown here; `interrupted` by the
  /// signal that base/interrupt.h knows then. Nothing where all went well.
  std::optional<Error> failure;
  std::string disturbed;  ///< who else measured on this machine meanwhile; "" nobody

  /// The marked minibatches with their stalls and steps, and the windows, for chrome_trace().
  std::vector<Span> spans() const;
};

/// Errors: it cannot be started. One that fails, hangs after marks or is interrupted later is a
/// profile of what was seen, with its `failure`.
Result<ProgramProfile> profile_program(const ProgramRequest& request);

/// Joins the log of a plug meter by time: all energies are the plug's from then on. Errors: the log
/// does not reach the run; nothing is joined.
Status join_plug(ProgramProfile& profile, Trace log);

/// As `flyball profile --json -- …` shows it (docs/json.md).
Json program_json(const ProgramProfile& profile);

}  // namespace flyball
