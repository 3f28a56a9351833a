// What came of one measured run of an experiment, in memory and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "experiment/residency.h"
#include "experiment/spec.h"
#include "profile/characterise/epochs.h"
#include "space/conditions.h"

namespace flyball {

/// Minimum, quartiles and maximum, with some quantiles between for a picture of the distribution.
struct Spread {
  double min = 0, q1 = 0, median = 0, q3 = 0, max = 0;
  std::vector<double> quantiles{};  ///< 0, 2, 4, … 100 %
  /// Between the two quantiles beside it; 0 without values.
  double at(double probability) const;
};
Spread spread_of(std::vector<double> values);

struct EpochFigures {
  int epoch = 0;
  double begin_unix_s = 0;  ///< wall-clock, to join a plug meter's log
  double e2e_s = 0, stall_s = 0, compute_s = 0, overhead_s = 0;
  double fetch_s = 0, preprocess_s = 0;  ///< work of the loader, hidden or not
  int64_t minibatches = 0, samples = 0;
  double loss = 0;  ///< NaN where it is no number any more, and of simulated boards
  double cpu_pct = 0, peak_memory_bytes = 0;
  std::optional<double> others_cpu_pct{};  ///< of one core, that other programs took meanwhile
  std::optional<double> cached_before{}, cached_after{};  ///< share of the dataset, 0 to 1
  std::optional<double> read_bytes{}, disk_reads{};   ///< from storage by us; requests to all disks
  std::optional<double> file_bytes{}, cache_bytes{};  ///< of samples: read from files; from ours
  std::optional<double> energy_j{}, power_w{};
  std::optional<double> gpu_load_pct{}, gpu_mhz{}, gpu_memory_bytes{};  ///< as GpuUse has them
  Spread minibatch_ms{}, stall_ms{};
};

void take_gpu(EpochFigures& epoch, const std::optional<GpuUse>& use);

struct RunFigures {
  RunSettings settings{};
  int repeat = 0;
  std::string started_utc{};
  std::string device{}, fingerprint{};     ///< as in Measurement
  std::optional<Conditions> conditions{};  ///< likewise
  double dataset_bytes = 0;
  int64_t dataset_samples = 0;
  std::string power_total{}, power_gap{};  ///< as EpochRun has them
  /// What the board draws in this run's mode while nothing trains, of power_total.
  std::optional<double> base_w{};
  std::optional<double> start_ms{};  ///< of an empty program in settings.runtime
  std::string disturbed{};           ///< who else measured on this machine meanwhile; "" nobody
  std::vector<double> losses{};      ///< of the first minibatches, in order; NaN as in an epoch
  /// Of the clocks over all epochs, where the run sets or frees them.
  std::vector<ClockResidency> residency{};
  std::vector<EpochFigures> epochs{};
};

/// A training that was measured whose loss is no number any more. Its times are what they are.
bool diverged(const RunFigures& run);

/// Figures of a run that was done; `begin_unix_s` by the wall clock now.
RunFigures figures_of(const EpochRun& run, const RunSettings& settings, int repeat);

Json run_json(const RunFigures& run);
/// Also as earlier programs wrote it, with the conditions behind the fingerprint. Error: it misses
/// something or holds something else.
Result<RunFigures> parse_run(const Json& json);

}  // namespace flyball
