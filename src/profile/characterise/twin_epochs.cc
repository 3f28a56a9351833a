#include "profile/characterise/twin_epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "base/statistics.h"

namespace flyball {
namespace {

int64_t to_ns(double seconds) {
  return std::llround(seconds * 1e9);
}

constexpr double clock_period_s = 0.1;

class Simulation {
 public:
  Simulation(const Board& board, const TwinEpochs& wanted, Twin twin)
      : board_(board), wanted_(wanted), twin_(std::move(twin)) {}

  Result<EpochRun> run() {
    const EpochRequest& request = wanted_.request;
    EpochRun run = begin();
    std::optional<Running> running;
    for (int epoch = 0; epoch < request.epochs; ++epoch) {
      if (!running || wanted_.drop_each) {
        if (running) base_s_ += last_s_;
        FLYBALL_ASSIGN(TwinStream stream, open(epoch));
        running.emplace(Running{std::move(stream)});
        last_s_ = 0;
      }
      run.epochs.push_back(one_epoch(*running, epoch));
    }
    cpus_.push_back(std::move(gpu_));
    for (Trace& clock : cpus_)
      if (!clock.samples.empty()) run.traces.push_back(std::move(clock));
    return run;
  }

 private:
  /// A stream, and what it had used before the present epoch.
  struct Running {
    TwinStream stream;
    TwinUse used{};
    double seconds = 0;
  };

  const TwinData& data() const { return twin_.workload().data; }
  double batch() const { return static_cast<double>(wanted_.request.step.batch_size); }

  EpochRun begin() const {
    EpochRun run;
    run.provenance = Provenance::simulated;
    run.request = wanted_.request;
    run.request.step.device = board_.info().name.text();
    run.request.step.threads = static_cast<int>(cores());
    run.started_utc = wall_clock_utc();
    run.fingerprint = board_.info().device.fingerprint;
    run.dataset_kind = "simulated";
    run.dataset_samples = std::llround(data().samples);
    run.dataset_bytes = static_cast<uint64_t>(data().samples * data().sample_bytes);
    run.parameters = std::llround(twin_.workload().layers.front().totals().parameters);
    run.power_total = total();
    run.power_gap = twin_power_gap(twin_.board());
    return run;
  }
  double cores() const {
    const auto set = wanted_.mode.values.find(axis::cpu_cores);
    return set != wanted_.mode.values.end() ? set->second : twin_.board().highest(axis::cpu_cores);
  }
  std::string total() const { return twin_power_total(twin_.board()); }

  Result<TwinStream> open(int epoch) const {
    const EpochRequest& request = wanted_.request;
    TwinConfiguration configuration;
    configuration.mode = wanted_.mode;
    configuration.batch_size = batch();
    configuration.loader_workers = request.workers;
    configuration.prefetch = request.prefetch;
    configuration.governors = wanted_.governors;
    if (wanted_.storage) configuration.storage = wanted_.storage->name;
    TwinOptions options;
    options.seed = mix_seed(request.step.seed, static_cast<uint64_t>(epoch));
    options.cached = wanted_.cached;
    options.most_cached = wanted_.most_cached;
    return twin_.stream(configuration, options);
  }

  int64_t minibatches() const {
    if (data().samples <= 0) return wanted_.request.steps;
    const double all = data().samples / batch();
    const int64_t epoch =
        std::llround(wanted_.request.drop_last ? std::floor(all) : std::ceil(all));
    return wanted_.request.steps > 0 ? std::min(wanted_.request.steps, epoch) : epoch;
  }

  /// The last minibatch of a data set may have fewer.
  int64_t samples_left(const EpochRecord& record) const {
    const int64_t full = wanted_.request.step.batch_size;
    if (data().samples <= 0) return full;
    return std::min<int64_t>(full, std::llround(data().samples) - record.samples);
  }

  EpochRecord one_epoch(Running& running, int epoch) {
    TwinStream& stream = running.stream;
    EpochRecord record;
    record.epoch = epoch;
    record.loss = std::numeric_limits<double>::quiet_NaN();
    record.cached_before = stream.cached();
    const double missed = 1 - stream.hits();
    record.begin_ns = to_ns(base_s_ + last_s_);
    EnergyWindow energy;
    std::vector<double> times;
    for (int64_t i = 0; i < minibatches(); ++i) {
      const TwinMinibatch one = stream.next();
      add(one, record);
      if (wanted_.governors) add_clocks(one);
      add_energy(one, energy);
      if (i > 0) times.push_back(one.e2e_ms());
      last_s_ = one.end_s;
    }
    record.end_ns = to_ns(base_s_ + last_s_);
    record.overhead_s = record.e2e_s - record.stall_s - record.compute_s;
    if (std::abs(record.overhead_s) < 1e-9 * record.e2e_s) record.overhead_s = 0;  // of rounding
    record.minibatch_ms = times.empty() ? record.first().e2e_ms() : median(times);
    stream.end_epoch();
    record.cached_after = stream.cached();
    // What the page cache had not was read from storage.
    record.use.read_bytes = static_cast<uint64_t>(missed * static_cast<double>(record.bytes));
    const TwinUse use = use_of_epoch(running, record.e2e_s);
    record.use.cpu_pct = 100 * use.cpu_cores;
    record.use.cpu_s = use.cpu_cores * record.e2e_s;
    record.use.memory_bytes = record.use.peak_memory_bytes = stream.memory_bytes();
    if (gpu_mhz_s_ > 0)
      record.gpu = GpuUse{.gpu = 0,
                          .load_pct = 100 * use.gpu,
                          .clock_mhz = std::exchange(gpu_mhz_s_, 0) / record.e2e_s,
                          .memory_bytes = {}};
    if (!total().empty()) {
      energy.mean_w = energy.energy_j / energy.covered_s;
      record.energy = energy;
    }
    return record;
  }

  /// What a stream says is a mean since it began.
  static TwinUse use_of_epoch(Running& running, double epoch_s) {
    const TwinUse so_far = running.stream.use();
    const double before_s = std::exchange(running.seconds, running.seconds + epoch_s);
    const TwinUse before = std::exchange(running.used, so_far);
    const auto own = [&](double TwinUse::*share) {
      return (so_far.*share * running.seconds - before.*share * before_s) / epoch_s;
    };
    return {.cpu_cores = own(&TwinUse::cpu_cores),
            .gpu = own(&TwinUse::gpu),
            .gpu_math = own(&TwinUse::gpu_math),
            .memory = own(&TwinUse::memory)};
  }

  static Trace clock(std::string name) {
    Trace trace;
    trace.info = {.name = std::move(name), .unit = "MHz", .source = "twin"};
    trace.period_s = clock_period_s;
    return trace;
  }

  /// One for each cluster of cores that is on, named after its first core as its policy is.
  static std::vector<Trace> cpu_clocks(const TwinBoard& board, const PowerMode& mode) {
    const auto asked = mode.values.find(axis::cpu_cores);
    const auto cores = static_cast<int>(asked == mode.values.end() ? board.highest(axis::cpu_cores)
                                                                   : asked->second);
    const int each =
        board.cluster_cores > 0 ? std::max(1, static_cast<int>(board.cluster_cores)) : cores;
    std::vector<Trace> clocks;
    for (int first = 0; first < cores; first += each)
      clocks.push_back(clock(fmt::format("cpu{}_mhz", first)));
    return clocks;
  }

  /// The clocks of a minibatch, every tenth of a second as a logger reads them.
  void add_clocks(const TwinMinibatch& one) {
    const double end = base_s_ + one.end_s;
    for (; next_reading_s_ < end; next_reading_s_ += clock_period_s) {
      const int64_t now = to_ns(next_reading_s_);
      for (Trace& cpu : cpus_)
        cpu.samples.push_back({now, &cpu == &cpus_.front() ? one.cpu_mhz : one.other_cpu_mhz});
      if (one.gpu_mhz > 0) gpu_.samples.push_back({now, one.gpu_mhz});
    }
  }

  void add(const TwinMinibatch& one, EpochRecord& record) {
    MinibatchRecord minibatch;
    minibatch.begin_ns = to_ns(base_s_ + one.begin_s);
    minibatch.end_ns = to_ns(base_s_ + one.end_s);
    minibatch.stall_ms = one.stall_ms();
    minibatch.compute_ms = one.compute_ms;
    minibatch.samples = samples_left(record);
    minibatch.bytes = std::llround(static_cast<double>(minibatch.samples) * data().sample_bytes);
    record.e2e_s += one.e2e_ms() * 1e-3;
    gpu_mhz_s_ += one.gpu_mhz * one.e2e_ms() * 1e-3;
    record.stall_s += minibatch.stall_ms * 1e-3;
    record.compute_s += minibatch.compute_ms * 1e-3;
    record.samples += minibatch.samples;
    record.bytes += minibatch.bytes;
    ++record.minibatch_count;
    if (record.minibatches.empty() || wanted_.request.keep_minibatches)
      record.minibatches.push_back(std::move(minibatch));
  }

  void add_energy(const TwinMinibatch& one, EnergyWindow& energy) const {
    const double seconds = one.end_s - one.begin_s;
    const double watts = twin_total_w(twin_.board(), twin_power(twin_.board(), one.rail_w));
    energy.min_w = energy.samples == 0 ? watts : std::min(energy.min_w, watts);
    energy.max_w = std::max(energy.max_w, watts);
    energy.energy_j += watts * seconds;
    energy.rectangle_j = energy.energy_j;
    energy.window_s += seconds;
    energy.covered_s += seconds;
    energy.noise = twin_.board().constants.power_noise;
    energy.distinct_updates = ++energy.samples;
  }

  const Board& board_;
  const TwinEpochs& wanted_;
  Twin twin_;
  std::vector<Trace> cpus_ = cpu_clocks(twin_.board(), wanted_.mode);
  Trace gpu_ = clock("gpu_mhz");
  double next_reading_s_ = 0;
  double gpu_mhz_s_ = 0;            ///< clock times seconds of the epoch
  double base_s_ = 0, last_s_ = 0;  ///< begin of the stream, and its time so far
};

// As the loader refuses it.
Status check_whole_minibatch(const EpochRequest& request, const TwinData& data) {
  const int64_t batch = request.step.batch_size;
  if (!request.drop_last || data.samples <= 0 || data.samples >= static_cast<double>(batch))
    return {};
  return Error{
      Code::invalid_argument,
      fmt::format("{:.0f} samples do not fill one minibatch of {}, and the last is dropped",
                  data.samples, batch),
      "choose a smaller batch size, or keep the last minibatch"};
}

}  // namespace

Result<EpochRun> simulate_epochs(const Board& board, const TwinEpochs& wanted) {
  FLYBALL_ASSIGN(TwinWorkload workload,
                 known_twin_workload(wanted.request.workload, wanted.request.step.phase));
  if (workload.data.samples <= 0 && wanted.request.steps <= 0)
    return Error{Code::invalid_argument,
                 fmt::format("{}'s data have no number of samples, so an epoch has no end",
                             wanted.request.workload),
                 "say how many minibatches an epoch is to have: --steps 200"};
  if (wanted.request.epochs < 1 || wanted.request.step.batch_size < 1)
    return Error{Code::invalid_argument, "epochs and minibatches begin at 1", ""};
  FLYBALL_CHECK(check_whole_minibatch(wanted.request, workload.data));
  TwinBoard machine = *board.twin();
  if (wanted.storage) {
    std::erase_if(machine.storages,
                  [&](const TwinStorage& one) { return one.name == wanted.storage->name; });
    machine.storages.push_back(*wanted.storage);
  }
  FLYBALL_ASSIGN(Twin twin, Twin::make(machine, std::move(workload)));
  return Simulation(board, wanted, std::move(twin)).run();
}

}  // namespace flyball
