// One knob of a board: an axis with its legal values, read and set. Where each lies, and in which
// order its files are written, follows NVIDIA's kernels (cpufreq, devfreq, bpmp) and Linux'
// documentation of CPU hotplug and cpufreq.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "boards/spec.h"
#include "device/journal.h"
#include "space/axis.h"

namespace flyball {

class Knob {
 public:
  explicit Knob(Axis axis) : axis_(std::move(axis)) {}
  virtual ~Knob() = default;
  Knob(const Knob&) = delete;
  Knob& operator=(const Knob&) = delete;

  const Axis& axis() const { return axis_; }
  /// The cap in force, and what it does now, in the unit of the axis. Errors: files that do not
  /// read.
  virtual Result<double> cap() const = 0;
  virtual Result<double> now() const = 0;
  /// Why this process may not set it.
  virtual Status settable() const = 0;
  /// Does a setting stay when its process ends? Only then it is journalled.
  virtual bool outlives_us() const { return true; }
  /// Sets it between two values of its list (equal: pinned), reads back, and puts nothing back.
  /// `journal` is null for a knob that does not outlive us.
  virtual Status set(double low, double high, SettingsJournal* journal) = 0;
  /// What a knob undoes itself, without a journal.
  virtual Status undo() { return {}; }

 private:
  Axis axis_;
};
using KnobPtr = std::unique_ptr<Knob>;

/// Where a knob looks: the tree, and the files that stand behind it.
struct KnobPlace {
  std::filesystem::path root = "/";
  SettingFiles* files = &kernel_files();

  std::filesystem::path cpu(int number) const;  ///< sys/devices/system/cpu/cpuN
};

// Each finds the knob of a board, or says why there is none.

/// The cores that this process may use, whoever chose them (taskset, cpuset).
std::vector<int> allowed_cpus();
/// Cores by affinity: every thread of this process, and what it starts. `pin` false: only checks.
KnobPtr make_affinity_cores(std::vector<int> cpus, std::vector<double> counts, bool pin);
/// Cores by hotplug, 1 … all: the lowest numbers first, `last` after all others; cpu0 stays on.
Result<KnobPtr> find_hotplug_cores(const KnobPlace& place, const std::vector<int>& last = {});
/// The clock of every cluster that these cores belong to; values that all of them list.
Result<KnobPtr> find_cpu_clock(const KnobPlace& place, std::vector<int> cpus);
/// The GPU of a known board, or one that calls itself so among sys/class/devfreq.
Result<KnobPtr> find_gpu_clock(const KnobPlace& place, const BoardSpec* board);
/// The memory clock (EMC). Its list comes from the board, in kHz or Hz.
Result<KnobPtr> find_memory_clock(const KnobPlace& place, const BoardSpec& board);

/// The cores that the tree has, online or not ("0-11" of sys/devices/system/cpu/present).
std::vector<int> present_cpus(const KnobPlace& place);
bool is_online(const KnobPlace& place, int cpu);

/// Is this value in the list of the axis? The error names the nearest two that are.
Status check_value(const Axis& axis, double value);

}  // namespace flyball
