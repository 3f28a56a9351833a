// The runs of an experiment side by side: one group per setting, and in words what holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "experiment/runner.h"

namespace flyball {

/// Means over epochs of the same kind (first, or later) and over repeats.
struct EpochAverage {
  int epochs = 0;
  double e2e_s = 0, stall_s = 0, compute_s = 0, overhead_s = 0;
  double fetch_s = 0, preprocess_s = 0;
  double stall_ms = 0, minibatch_ms = 0;  ///< of a minibatch: mean of the sums per minibatch
  double minibatch_p50_ms = 0, minibatch_p95_ms = 0;  ///< means over epochs of their quantiles
  double cpu_pct = 0, peak_memory_bytes = 0;
  std::optional<double> others_cpu_pct;  ///< of one core, taken by other programs
  std::optional<double> cached, read_bytes,
      disk_reads;                                 ///< share before the epoch; bytes; requests
  std::optional<double> file_bytes, cache_bytes;  ///< of samples: from files; from the sample cache
  std::optional<double> energy_j, power_w;
  std::optional<double> base_w;  ///< drawn in this mode while nothing trains
  std::optional<double> gpu_load_pct, gpu_mhz, gpu_memory_bytes;
  /// Of the power; nothing where either is not known.
  std::optional<double> base_pct() const;
};
EpochAverage average_of(const std::vector<const EpochFigures*>& epochs);

/// All repeats of one setting.
struct Group {
  std::string label{};
  RunSettings settings{};
  std::vector<const RunFigures*> runs{};
  EpochAverage first{};                     ///< epoch 0
  std::optional<EpochAverage> later{};      ///< epochs 1 and on; nothing when there are none
  std::vector<ClockResidency> residency{};  ///< of the first repeat, where it was watched
  std::vector<std::string> disturbed{};     ///< who else measured meanwhile, each once
  std::optional<double> busy_pct{};  ///< of one core, that others took in the busiest run; 0 unless
                                     ///< one notices it; nothing: not known
  /// "beside process 12; others took 45 % of a core": what was so in any of its runs; "" nothing.
  std::string doubts() const;
  /// What a long run goes on like: `later`, else `first`.
  const EpochAverage& steady() const { return later ? *later : first; }
};
/// In the order of spec.runs(); settings that were not measured yet are left out. The groups point
/// into `result`.
std::vector<Group> groups_of(const ExperimentResult& result);

/// One sentence, and whether it is as the study found it; nothing where it is no such question.
struct Finding {
  std::string text;
  std::optional<bool> as_expected{};
};
std::vector<Finding> findings_of(const ExperimentResult& result, const std::vector<Group>& groups);

/// What is missing in the figures, each once: power, the page cache.
std::vector<std::string> gaps_of(const ExperimentResult& result);

/// Why the times deserve doubt: other programs took the processor meanwhile, or another session
/// measured beside this one.
std::vector<std::string> time_doubts_of(const ExperimentResult& result);
/// These, and whether trainings diverged.
std::vector<std::string> doubts_of(const ExperimentResult& result);

/// Each epoch of each run, as a group of a document lists them.
Json epochs_json(const std::vector<const RunFigures*>& runs);
/// Of the first run of an experiment (may be null): when it was measured, its power total, its
/// dataset.
Json first_run_json(const RunFigures* run);
/// As `--json` shows it.
Json experiment_json(const ExperimentResult& result);

}  // namespace flyball
