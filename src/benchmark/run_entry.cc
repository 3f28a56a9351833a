#include "benchmark/run_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.h"
#include "data/makers/default_set.h"
#include "profile/characterise/epochs.h"
#include "profile/characterise/twin_epochs.h"
#include "telemetry/sensors/power_sensors.h"
#include "workload/workload.h"

namespace flyball {
namespace {

constexpr Seconds interval{0.1};        ///< of the power sensors
constexpr double shortest_bin_s = 0.5;  ///< of one sample of power in the result
constexpr double spare = 1.1;           ///< of the window: samples that fail

EpochRequest request_of(const Benchmark& benchmark, const BenchmarkEntry& entry,
                        const FreeSettings& settings) {
  EpochRequest request;
  request.workload = entry.network;
  request.step.batch_size = entry.batch_size;
  request.step.optimizer = entry.optimizer;
  request.step.learning_rate = entry.learning_rate;
  request.step.precision = settings.precision;
  request.step.device = settings.compute;
  request.step.threads = settings.threads;
  request.step.seed = benchmark.seed;
  request.workers = settings.workers;
  request.prefetch = settings.prefetch;
  request.size.image_size = entry.image_size;
  return request;
}

/// What happens after each epoch, and when it is enough.
class Judge {
 public:
  /// `bin_s`: of a sample of power; 0: none is measured.
  Judge(const Benchmark& benchmark, const BenchmarkEntry& entry, TestPart test_part, double bin_s)
      : rules_(benchmark.rules), entry_(entry), test_part_(std::move(test_part)), bin_s_(bin_s) {}

  /// True: the training may end.
  Result<bool> after(const EpochRecord& epoch, Stepper& stepper) {
    ++epochs_;
    if (!reached_) {
      FLYBALL_ASSIGN(const double value, test_part_.judge(stepper));
      values_.push_back(value);
      reached_ = reaches(entry_.quality, value, entry_.target);
      if (reached_) steady_from_ns_ = monotonic_ns();
    }
    if (!reached_) return epochs_ == entry_.most_epochs;
    const double steady_s = static_cast<double>(epoch.end_ns - steady_from_ns_) * 1e-9;
    return epochs_ > rules_.later_epochs && (bin_s_ == 0 || steady_s >= window_s());
  }

  const std::vector<double>& values() const { return values_; }
  int64_t steady_from_ns() const { return steady_from_ns_; }
  std::string state() const {
    if (reached_) return "target reached, power";
    return values_.empty() ? entry_.target_text()
                           : fmt::format("{:.3g}, {}", values_.back(), entry_.target_text());
  }

 private:
  double window_s() const { return rules_.settle_s + spare * rules_.power_samples * bin_s_; }

  const BenchmarkRules& rules_;
  const BenchmarkEntry& entry_;
  TestPart test_part_;
  double bin_s_;
  std::vector<double> values_;
  bool reached_ = false;
  int epochs_ = 0;
  int64_t steady_from_ns_ = 0;
};

/// Long enough for each of them to show a new value.
double bin_of(const SensorList& sensors, const std::string& compute) {
  if (!measures_power(sensors)) return 0;
  const std::string total = total_where(sensors, compute);
  double bin_s = shortest_bin_s;
  for (const SensorPtr& sensor : sensors.sensors)
    if (sensor->info().total == total) bin_s = std::max(bin_s, sensor->info().period_s);
  return bin_s;
}

/// From when on all samples of the total are there.
int64_t kept_since(const EpochRun& run) {
  int64_t since_ns = 0;
  for (const Trace& trace : run.traces)
    if (trace.info.total == run.power_total && trace.stats.overwritten > 0 &&
        !trace.samples.empty())
      since_ns = std::max(since_ns, trace.samples.front().time_ns);
  return since_ns;
}

/// From settle_s after the training went on steadily to its end; of a longer one, what is kept.
BenchmarkPower power_of(const EpochRun& run, const BenchmarkRules& rules, int64_t steady_from_ns,
                        double bin_s) {
  BenchmarkPower power;
  power.gap = run.power_gap;
  if (run.power_total.empty()) return power;
  const int64_t zero = run.epochs.front().begin_ns, end = run.epochs.back().end_ns;
  const int64_t settled = steady_from_ns + std::llround(rules.settle_s * 1e9);
  const int64_t begin = std::max(settled, kept_since(run));
  if (steady_from_ns == 0 || begin >= end) {
    power.gap = "it trained too shortly after the target was reached";
    return power;
  }
  const auto window = total_between(run.traces, run.power_total, begin, end);
  if (!window) {
    power.gap = window.error().message;
    return power;
  }
  power.total = run.power_total;
  for (const Trace& trace : run.traces)
    if (trace.info.total == power.total) power.sensors.push_back(trace.info.name);
  power.begin_s = seconds_between(zero, begin);
  power.end_s = seconds_between(zero, end);
  power.trained_s = rules.settle_s + seconds_between(settled, begin);
  power.mean_w = window->mean_w;
  power.energy_j = window->energy_j;
  power.updates = window->distinct_updates;
  const int64_t bin_ns = std::llround(bin_s * 1e9);
  for (int64_t at = begin + bin_ns; at <= end; at += bin_ns) {
    const auto one = total_between(run.traces, power.total, at - bin_ns, at);
    if (one && one->complete()) power.samples.emplace_back(seconds_between(zero, at), one->mean_w);
  }
  return power;
}

void add_epochs(const EpochRun& run, EntryResult& result) {
  for (const EpochRecord& epoch : run.epochs) {
    BenchmarkEpoch one{.e2e_s = epoch.e2e_s,
                       .stall_s = epoch.stall_s,
                       .compute_s = epoch.compute_s,
                       .overhead_s = epoch.overhead_s,
                       .loss = {},
                       .quality = {},
                       .others_cpu_pct = epoch.others_cpu_pct};
    if (std::isfinite(epoch.loss)) one.loss = epoch.loss;
    result.epochs.push_back(one);
  }
}

}  // namespace

Result<std::filesystem::path> benchmark_data(const Benchmark& benchmark,
                                             const BenchmarkEntry& entry,
                                             const std::function<void(const std::string&)>& note) {
  MakeOptions make;
  make.seed = benchmark.seed;
  make.classes = entry.classes;
  make.size = entry.size;
  return drawn_dataset("benchmark-" + entry.set_name(), entry.dataset, entry.samples, make, note);
}

Result<EntryResult> run_entry(const Benchmark& benchmark, const BenchmarkEntry& entry,
                              const EntryOptions& options) {
  EpochRequest request = request_of(benchmark, entry, options.settings);
  FLYBALL_ASSIGN(request.data, benchmark_data(benchmark, entry, options.note));
  FLYBALL_ASSIGN(TestPart test_part, TestPart::open(entry.network, request.data, entry.quality,
                                                    entry.batch_size, entry.image_size));
  EntryResult result;
  result.entry = entry;
  result.settings = options.settings;
  result.test_samples = test_part.samples();
  if (options.sensors) request.sensors = options.sensors();
  request.interval = interval;
  request.interrupted = options.interrupted;
  request.epochs = std::numeric_limits<int>::max() / 2;  // the judge ends it
  const double bin_s = bin_of(request.sensors, options.settings.compute);
  Judge judge(benchmark, entry, std::move(test_part), bin_s);
  request.after_epoch = [&](const EpochRecord& epoch, Stepper& stepper) {
    return judge.after(epoch, stepper);
  };
  if (options.progress)
    request.progress = [&](int epoch, int64_t done, int64_t of) {
      options.progress(static_cast<double>(done) / static_cast<double>(of),
                       fmt::format("{}, epoch {}: {}", entry.id, epoch, judge.state()));
    };
  FLYBALL_ASSIGN(const EpochRun run, run_epochs(request));
  if (!run.stopped.empty()) return Error{Code::interrupted, entry.id + " was " + run.stopped, ""};
  result.settings.threads = run.request.step.threads;
  result.libraries = run.fingerprint;
  add_epochs(run, result);
  for (size_t i = 0; i < judge.values().size(); ++i) result.epochs[i].quality = judge.values()[i];
  result.power = power_of(run, benchmark.rules, judge.steady_from_ns(), bin_s);
  result.watched = run.throttled.has_value();
  result.throttled = run.throttled.value_or(std::vector<std::string>());
  result.disturbed = run.disturbed;
  return result;
}

namespace {

// Of an entry's pictures where they are smaller than those that the network takes in the papers,
// whose CIFAR-10 was enlarged; else 0.
int picture_side(const BenchmarkEntry& entry) {
  constexpr int cifar_side = 32;
  return entry.image_size > 0 ? entry.image_size : entry.dataset == "cifar10" ? cifar_side : 0;
}

}  // namespace

Result<EntryResult> simulate_entry(const Benchmark& benchmark, const BenchmarkEntry& entry,
                                   const Board& board, const FreeSettings& settings) {
  if (const int side = picture_side(entry); side > 0)
    return Error{Code::unavailable,
                 fmt::format("no simulated board knows {} on pictures of {} × {}", entry.network,
                             side, side),
                 ""};
  TwinEpochs wanted;
  wanted.request = request_of(benchmark, entry, settings);
  wanted.request.steps = (entry.samples + entry.batch_size - 1) / entry.batch_size;
  wanted.request.epochs = std::max(entry.epochs, 1 + benchmark.rules.later_epochs);
  FLYBALL_ASSIGN(const EpochRun run, simulate_epochs(board, wanted));
  EntryResult result;
  result.entry = entry;
  result.settings = settings;
  result.settings.compute = "";
  result.provenance = Provenance::simulated;
  add_epochs(run, result);
  result.power.gap = run.power_gap;
  result.power.total = run.power_total;
  if (const auto mean = run.mean_power_w()) result.power.mean_w = *mean;
  return result;
}

}  // namespace flyball
