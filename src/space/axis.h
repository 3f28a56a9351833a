// The nouns of a configuration: axes, power modes, jobs, trials.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

/// A board axis belongs to the power mode, a run axis to the job.
enum class Scope { board, run };
enum class Phase { train, infer };

const char* phase_name(Phase phase);  ///< "train", "infer"
Result<Phase> parse_phase(const std::string& text);

/// One dimension of choice: legal values ascending, plain numbers in the unit of the name.
struct Axis {
  std::string name;            ///< a CSV column name: cpu_cores, cpu_mhz, gpu_mhz, batch_size, …
  std::string unit;            ///< "MHz", "W", "" for counts
  std::vector<double> values;  ///< ascending, distinct
  Scope scope = Scope::board;
};

/// The axes that Flyball knows by name, and what each means.
namespace axis {
inline constexpr const char* cpu_cores = "cpu_cores";            ///< cores that may run
inline constexpr const char* cpu_mhz = "cpu_mhz";                ///< clock of every CPU cluster
inline constexpr const char* gpu_mhz = "gpu_mhz";                ///< clock of the GPU
inline constexpr const char* mem_mhz = "mem_mhz";                ///< clock of the memory (EMC)
inline constexpr const char* power_limit_w = "power_limit_w";    ///< the driver's own power cap
inline constexpr const char* batch_size = "batch_size";          ///< samples of a minibatch
inline constexpr const char* loader_workers = "loader_workers";  ///< 0: loaded inline
inline constexpr const char* prefetch = "prefetch";              ///< batches ahead of each worker
}  // namespace axis

/// The axis of this name, or null.
const Axis* find_axis(std::span<const Axis> axes, std::string_view name);

/// What is known of an axis by its name: unit and scope. Unknown names are board axes without unit,
/// unless the name ends in _mhz or _w.
Axis named_axis(const std::string& name, std::vector<double> values = {});

/// A column's title of that axis: its name, and where that does not say its scope (an axis that a
/// program made up) also that: "depth:run".
std::string axis_title(const Axis& axis);
/// "temp_c is taken for an axis of the board; …": of a table's columns that no title says to be
/// axes, since such a one may be a figure; "" where there is none.
std::string unknown_axes_note(std::span<const Axis> axes);
/// The axis of such a title.
Axis titled_axis(const std::string& title);

/// Is this one of the axes that Flyball knows by name?
bool is_known_axis(const std::string& name);
std::vector<std::string> known_axis_names();

/// Why `value` cannot be one of this axis (batch_size 0, half a core), or "". Of unknown names any
/// finite number may be.
std::string axis_value_fault(const std::string& name, double value);

/// How networks are trained where nobody says otherwise: the batch of the characterisation study
/// (POMACS 6(3), 2022), the loader of the papers' runs, and PyTorch's minibatches ahead of a
/// worker.
inline constexpr int64_t usual_batch_size = 16;
inline constexpr int usual_loader_workers = 4, usual_prefetch = 2;

/// How far a batch size lies from the usual one, as the logarithm of their ratio: the default is
/// the nearest of those there are.
double from_usual_batch(double batch_size);

/// Values by axis name.
using Settings = std::map<std::string, double>;

/// One value on each board axis. An axis that is absent is left as the board has it.
struct PowerMode {
  Settings values;
  bool operator==(const PowerMode&) const = default;
};

/// What runs: a workload in a phase, with batch size and the other run settings.
struct Job {
  std::string workload;
  Phase phase = Phase::train;
  Settings settings;
  bool operator==(const Job&) const = default;
};

/// What to measure.
struct Trial {
  PowerMode mode;
  Job job;
  bool operator==(const Trial&) const = default;
};

/// "cpu_cores 2, loader_workers 1": settings as a person reads them.
std::string describe(const Settings& settings);
/// Mode and run settings in one map.
Settings all_settings(const Trial& trial);

}  // namespace flyball
