// Whole epochs of a network on this machine: where their time, work and energy go, as the
// characterisation of POMACS 6(3) (2022) splits them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "data/loader/loader.h"
#include "profile/characterise/gpu_use.h"
#include "profile/characterise/resources.h"
#include "profile/trials/run_data.h"
#include "space/measurement.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sampling/trace_export.h"
#include "workload/stepper.h"

namespace flyball {

struct EpochRecord;

/// What is to run. `step` holds phase, batch size, optimizer, precision, device and seed; its
/// threads 0 are all usable cores, its classes and shape are taken from the dataset.
struct EpochRequest {
  std::string workload = "lenet5";  ///< of workloads(), or "script:FILE"
  std::filesystem::path data;       ///< dataset folder
  ScriptRequest script{};           ///< of "script:FILE"
  StepOptions step;
  int workers = 0, prefetch = usual_prefetch;  ///< of the loader
  bool drop_last = false;
  OnBadSample on_bad = OnBadSample::fail;
  /// The training is kept there after each epoch, until one diverges, which ends it; empty:
  /// nowhere.
  std::filesystem::path save;
  std::filesystem::path resume;      ///< such a file to go on from; empty: from the start
  uint64_t cache_bytes = 0;          ///< of raw samples that are kept in memory; 0: none
  bool share_cache = false;          ///< with other runs of this user on the same files
  bool memory_check = false;         ///< refuse what does not fit into memory (memory_fit.h)
  std::optional<uint64_t> memory{};  ///< bytes there are for it; nothing: as the machine tells
  int epochs = 2;
  int64_t steps = 0;              ///< at most so many minibatches per epoch; 0: all
  bool keep_minibatches = false;  ///< in EpochRecord, all of them, for spans(); else the first
  SampleSize size{};              ///< of samples; afterwards the tokens of the rows that there were
  /// Called before each epoch, while nothing reads and outside of all figures (cache drops, say).
  std::function<Status(int epoch)> before_epoch{};
  /// Called after each whole epoch, likewise. True: it was the last one.
  std::function<Result<bool>(const EpochRecord& epoch, Stepper& stepper)> after_epoch{};
  /// Called after each minibatch; `of` minibatches make an epoch.
  std::function<void(int epoch, int64_t done, int64_t of)> progress{};
  const std::atomic<bool>* interrupted = nullptr;  ///< looked at after each minibatch
  /// Sampled every `interval` from start to end. The power sensors among them make the energy;
  /// their gaps say why there is none.
  SensorList sensors{};
  Seconds interval{0.01};
  SensorList context{};  ///< what explains a run, for traces; read every `context_interval`
  /// Whose sensors tell what the GPU did (gpu_use.h); nothing where it is not known which they are.
  std::optional<size_t> gpu = 0;
  Seconds context_interval{0.1};
  SamplingListener* listener = nullptr;  ///< of what is sampled; not owned
};

/// One minibatch; monotonic times.
struct MinibatchRecord {
  int64_t begin_ns = 0, end_ns = 0;  ///< end of the one before (or begin of the epoch), own end
  double stall_ms = 0, compute_ms = 0;
  double fetch_ms = 0, preprocess_ms = 0;    ///< on the thread that prepared it
  int64_t fetch_begin_ns = 0, ready_ns = 0;  ///< when that thread began it, and had it ready
  int worker = -1;                           ///< which thread: a worker from 0 on, or −1: inline
  int64_t samples = 0, bytes = 0, cache_bytes = 0;  ///< as LoadedBatch has them
  double loss = 0;                                  ///< before the step; 0 for inference
  std::map<std::string, double> figures;            ///< what training shows beside it

  double e2e_ms() const { return static_cast<double>(end_ns - begin_ns) * 1e-6; }
};

/// One epoch. Sums are over all its minibatches, the first one included.
struct EpochRecord {
  int epoch = 0;
  int64_t begin_ns = 0, end_ns = 0;
  double e2e_s = 0, stall_s = 0, compute_s = 0;
  double overhead_s = 0;                 ///< e2e_s − stall_s − compute_s
  double fetch_s = 0, preprocess_s = 0;  ///< work of the loader, hidden or not
  int64_t samples = 0, bytes = 0;        ///< delivered; bytes of the samples as stored
  int64_t cache_bytes = 0;               ///< of them, from the sample cache
  int64_t skipped = 0;                   ///< bad samples left out
  double loss = 0;                       ///< mean over the minibatches; 0 for inference
  /// What training shows beside its loss, by name, as means over the minibatches (of "perplexity"
  /// the geometric one, which is that of the mean loss).
  std::map<std::string, double> figures;
  double minibatch_ms = 0;  ///< median end to end, without the first minibatch
  ResourceUse use;
  /// Of one core, that other programs took meanwhile; nothing where the kernel does not tell.
  std::optional<double> others_cpu_pct;
  std::optional<double> cached_before, cached_after;  ///< share of the dataset in the page cache
  std::optional<EnergyWindow> energy;  ///< of the run's power_total; nothing where it is not known
  std::optional<GpuUse> gpu;           ///< nothing where no sensor tells of a GPU
  bool whole = true;                   ///< false: an interrupt cut it off
  int64_t minibatch_count = 0;
  std::vector<MinibatchRecord> minibatches;  ///< the first alone unless keep_minibatches

  const MinibatchRecord& first() const { return minibatches.front(); }
  /// Read from files, through the page cache or past it.
  int64_t file_bytes() const { return bytes - cache_bytes; }
};

/// The figures of several epochs of one run, as means.
struct EpochMeans {
  int epochs = 0;
  int first = 0, last = 0;  ///< numbers of the epochs
  double e2e_s = 0, stall_s = 0, compute_s = 0, overhead_s = 0, minibatch_ms = 0, cpu_pct = 0;
  double file_bytes = 0, cache_bytes = 0;
  std::optional<double> energy_j, power_w;
};

struct EpochRun {
  Provenance provenance = Provenance::measured;  ///< else simulated (twin_epochs.h)
  EpochRequest request;  ///< as resolved; callbacks and sensors are left out
  std::string started_utc, fingerprint;
  std::string dataset_kind;
  int64_t dataset_samples = 0, classes = 0;
  uint64_t dataset_bytes = 0;  ///< of its files
  int64_t parameters = 0;
  size_t buffer_bytes = 0;          ///< of the loader's minibatches
  std::optional<CacheState> cache;  ///< the sample cache at the end; nothing where there is none
  std::vector<EpochRecord> epochs;
  int64_t skipped = 0;
  std::vector<BadSample> bad_samples;  ///< the first 1000 that were skipped
  std::string power_total;             ///< which total the energy is; "" where there is none
  std::string power_gap;               ///< why there is none; "" where there is one
  std::vector<Trace> traces;  ///< of all sensors: what a sampler keeps, the end of a long run
  /// What throttled from the first epoch's begin to the last one's end, as throttling_between().
  std::optional<std::vector<std::string>> throttled;
  std::string stopped;           ///< "" or why it ended before its last epoch
  std::optional<Error> failure;  ///< what ended it, where epochs had been measured by then
  std::string disturbed;         ///< who else measured on this machine meanwhile; "" nobody

  /// The first epoch whose loss is no number any more: the training diverges. Nothing while it does
  /// not, and for inference.
  std::optional<int> diverged_in() const;
  /// Means over the epochs after the run's first that are whole: what a long training run goes on
  /// like. Nothing where there are none.
  std::optional<EpochMeans> later() const;
  /// Of these, else of the one epoch there is; nothing where it is not known.
  std::optional<double> mean_power_w() const;
  /// Stalls, steps and the workers' fetches of every minibatch that was kept as spans for
  /// chrome_trace().
  std::vector<Span> spans() const;
};

/// Runs the epochs. Errors: an unknown workload or dataset, settings out of range, a bad sample
/// under OnBadSample::fail, whatever before_epoch says. An interruption after the first minibatch
/// is a result that says so in `stopped`, with the epochs so far; so is a training that diverges
/// where it was to be kept, and one that cannot be kept, whose `failure` is the reason.
Result<EpochRun> run_epochs(const EpochRequest& request);

/// Joins the log of a plug meter by time: the energy of each epoch is the plug's from then on.
/// Error: the log does not reach an epoch; nothing is joined.
Status join_plug(EpochRun& run, Trace log);

}  // namespace flyball
