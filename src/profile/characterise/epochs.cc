#include "profile/characterise/epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/os/available_memory.h"
#include "base/os/interrupt.h"
#include "base/parallel.h"
#include "base/statistics.h"
#include "data/text/question_set.h"
#include "device/measuring.h"
#include "module/versions.h"
#include "profile/trials/memory_fit.h"
#include "profile/trials/minibatch_run.h"
#include "telemetry/sampling/energy_laps.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sensors/other_load.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

Status check(const EpochRequest& request) {
  const auto bad = [](const std::string& message, const std::string& hint) {
    return Error{Code::invalid_argument, message, hint};
  };
  if (request.epochs < 1) return bad(fmt::format("{} epochs", request.epochs), "give 1 or more");
  if (request.steps < 0)
    return bad(fmt::format("{} steps per epoch", request.steps), "give 1 or more, or 0 for all");
  return {};
}

uint64_t bytes_of(const std::vector<fs::path>& files) {
  uint64_t bytes = 0;
  std::error_code problem;
  for (const fs::path& file : files) {
    const auto size = fs::file_size(file, problem);
    if (!problem) bytes += size;
  }
  return bytes;
}

MinibatchRecord record_of(const MinibatchTimes& times, const MinibatchRun& run) {
  MinibatchRecord record;
  record.begin_ns = run.begin_ns();
  record.end_ns = run.end_ns();
  record.stall_ms = times.stall_ms;
  record.compute_ms = times.compute_ms;
  record.fetch_ms = run.batch().fetch_s * 1e3;
  record.preprocess_ms = run.batch().preprocess_s * 1e3;
  record.fetch_begin_ns = run.batch().begin_ns;
  record.ready_ns = run.batch().ready_ns;
  record.worker = run.batch().worker;
  record.samples = run.batch().view.count();
  record.bytes = run.batch().bytes;
  record.cache_bytes = run.batch().cache_bytes;
  record.loss = run.loss();
  if (run.stepper().options().phase == Phase::train)
    for (const TensorView& shown : run.outputs().tensors.subspan(1))
      record.figures[std::string(shown.name)] = shown.values<double>().front();
  return record;
}

// Means over the minibatches. Perplexities are exponentials: their logarithms have a mean.
void add_up_figures(EpochRecord& epoch) {
  const auto count = static_cast<double>(epoch.minibatch_count);
  for (const MinibatchRecord& minibatch : epoch.minibatches)
    for (const auto& [name, value] : minibatch.figures)
      epoch.figures[name] += (name == "perplexity" ? std::log(value) : value) / count;
  const auto perplexity = epoch.figures.find("perplexity");
  if (perplexity != epoch.figures.end()) perplexity->second = std::exp(perplexity->second);
}

void add_up(EpochRecord& epoch) {
  std::vector<double> e2e, losses;
  epoch.minibatch_count = static_cast<int64_t>(epoch.minibatches.size());
  for (const MinibatchRecord& minibatch : epoch.minibatches) {
    epoch.stall_s += minibatch.stall_ms * 1e-3;
    epoch.compute_s += minibatch.compute_ms * 1e-3;
    epoch.fetch_s += minibatch.fetch_ms * 1e-3;
    epoch.preprocess_s += minibatch.preprocess_ms * 1e-3;
    epoch.samples += minibatch.samples;
    epoch.bytes += minibatch.bytes;
    epoch.cache_bytes += minibatch.cache_bytes;
    losses.push_back(minibatch.loss);
    e2e.push_back(minibatch.e2e_ms());
  }
  if (e2e.size() > 1) e2e.erase(e2e.begin());
  epoch.minibatch_ms = median(e2e);
  epoch.loss = mean(losses);
  add_up_figures(epoch);
  epoch.e2e_s = static_cast<double>(epoch.end_ns - epoch.begin_ns) * 1e-9;
  epoch.overhead_s = epoch.e2e_s - epoch.stall_s - epoch.compute_s;
}

// One run: the loader and the network with everything that watches them.
class Runner {
 public:
  Runner(EpochRun& result, const EpochRequest& request, LoadedRun loaded,
         std::vector<fs::path> files, Sampler& sampler)
      : result_(result),
        request_(request),
        sampler_(sampler),
        run_(std::move(loaded.run)),
        loader_(*loaded.loader),
        files_(std::move(files)) {}

  Status run_all() {
    if (!request_.resume.empty()) FLYBALL_CHECK(run_.resume(request_.resume));
    result_.request.step = run_.stepper().options();
    const bool within = run_.position() > 0 && run_.position() < loader_.batches();
    const int first = static_cast<int>(std::max<int64_t>(run_.epoch(), 0)) +
                      (run_.position() > 0 && !within ? 1 : 0);
    for (int epoch = first; epoch < first + request_.epochs && result_.stopped.empty(); ++epoch) {
      if (request_.before_epoch) FLYBALL_CHECK(request_.before_epoch(epoch));
      FLYBALL_CHECK(run_epoch(epoch, within && epoch == first));
      FLYBALL_CHECK(keep_training());
      FLYBALL_ASSIGN(const bool enough, is_enough());
      if (enough) break;
    }
    if (!result_.epochs.empty()) {
      whole_->end(result_.epochs.back().end_ns);
      result_.throttled = whole_->throttling();
    }
    if (loader_.options().cache) result_.cache = loader_.options().cache->state();
    result_.skipped = loader_.skipped();
    result_.bad_samples = loader_.bad_samples();
    return {};
  }

 private:
  Result<bool> is_enough() {
    if (!request_.after_epoch || !result_.stopped.empty()) return false;
    return request_.after_epoch(result_.epochs.back(), run_.stepper());
  }

  // What was measured outlives a disk that is full, and the last good training an epoch that
  // diverges.
  Status keep_training() {
    if (request_.save.empty()) return {};
    if (!result_.epochs.empty() && !std::isfinite(result_.epochs.back().loss)) {
      stop(fmt::format("epoch {} diverges, so it ends there: {} {}", result_.epochs.back().epoch,
                       request_.save.string(),
                       kept_ ? "holds the training before it" : "was not written"));
      return {};
    }
    const Status saved = run_.save(request_.save);
    kept_ = kept_ || saved.ok();
    if (saved.ok() || result_.epochs.empty()) return saved;
    result_.failure = saved.error();
    stop(saved.error().message);
    return {};
  }

  void stop(const std::string& why) {
    result_.stopped += (result_.stopped.empty() ? "" : "; ") + why;
  }

  // `within`: from where the checkpoint was taken.
  Status run_epoch(int number, bool within) {
    EpochRecord epoch;
    epoch.epoch = number;
    const int64_t skipped = loader_.skipped();
    if (const auto share = cached_share(files_)) epoch.cached_before = share->share();
    restart_peak();
    const ResourceReading before = read_resources();
    const OtherLoad others;
    epoch.begin_ns = monotonic_ns();
    if (!whole_) whole_.emplace(sampler_, epoch.begin_ns);
    within ? run_.resume_epoch() : run_.begin_epoch(number);
    EnergyLaps energy(sampler_, epoch.begin_ns);
    FLYBALL_CHECK(run_minibatches(epoch, energy));
    if (epoch.minibatches.empty()) return {};  // interrupted before its first
    epoch.end_ns = epoch.minibatches.back().end_ns;
    epoch.whole = result_.stopped.empty();
    run_.end_epoch();
    sampler_.sample_now();
    energy.end(epoch.end_ns);
    epoch.energy = energy.total(result_.power_total);
    add_up(epoch);
    epoch.use = use_between(before, read_resources(), epoch.e2e_s);
    if (const auto cores = others.cores()) epoch.others_cpu_pct = 100 * *cores;
    if (const auto share = cached_share(files_)) epoch.cached_after = share->share();
    epoch.skipped = loader_.skipped() - skipped;
    if (!request_.keep_minibatches) {
      epoch.minibatches.resize(1);
      epoch.minibatches.shrink_to_fit();
    }
    result_.epochs.push_back(std::move(epoch));
    return {};
  }

  Status run_minibatches(EpochRecord& epoch, EnergyLaps& energy) {
    const int64_t all = loader_.batches() - run_.position();
    const int64_t wanted = request_.steps > 0 ? std::min(request_.steps, all) : all;
    while (static_cast<int64_t>(epoch.minibatches.size()) < wanted) {
      if (is_interrupted(request_.interrupted)) {
        result_.stopped = fmt::format("interrupted in epoch {} after {} of {} minibatches",
                                      epoch.epoch, epoch.minibatches.size(), wanted);
        return {};
      }
      FLYBALL_ASSIGN(const auto times, run_.next_of_epoch());
      if (!times) return {};  // all samples of the last minibatches were skipped
      epoch.minibatches.push_back(record_of(*times, run_));
      energy.look();
      whole_->look();
      if (request_.progress)
        request_.progress(epoch.epoch, static_cast<int64_t>(epoch.minibatches.size()), wanted);
    }
    return {};
  }

  EpochRun& result_;
  const EpochRequest& request_;
  Sampler& sampler_;
  MinibatchRun run_;
  const Loader& loader_;
  std::vector<fs::path> files_;
  bool kept_ = false;                ///< the training, by this run
  std::optional<EnergyLaps> whole_;  ///< from the first epoch on
};

Status start_sampling(Sampler& sampler, const EpochRequest& request) {
  FLYBALL_CHECK(sampler.add_all(request.sensors, request.interval));
  const Seconds slower{std::max(request.interval.value, request.context_interval.value)};
  FLYBALL_CHECK(sampler.add_all(request.context, slower));
  sampler.tell(request.listener);
  return sampler.size() > 0 ? sampler.start() : Status();
}

// Once more, with the samples behind each epoch: its edges are better known then. Of long runs they
// are no longer kept.
void take_energy(EpochRun& result) {
  if (result.power_total.empty()) return;
  for (EpochRecord& epoch : result.epochs) {
    const auto window =
        total_between(result.traces, result.power_total, epoch.begin_ns, epoch.end_ns);
    if (window && (!epoch.energy || window->gap_s <= epoch.energy->gap_s)) epoch.energy = *window;
    if (!epoch.energy) result.power_gap = window.error().message;
  }
}

// Before hours go by until memory runs out.
Status check_memory(const EpochRequest& request, const StepOptions& step, const RunData& data,
                    const SampleCache* cache) {
  const auto left = request.memory ? request.memory : available_memory();
  if (!request.memory_check || !left) return {};
  const uint64_t to_come = cache ? cache->growth_bytes() : 0;
  const auto fit =
      MemoryFit::measure(request.workload, step, data, *left - std::min(*left, to_come));
  if (!fit && fit.error().code != Code::out_of_memory)
    return {};  // the run itself tells what is wrong
  if (!fit) return fit.error();
  if (fit->fits(step.batch_size, request.workers, request.prefetch)) return {};
  const MemoryNeed need = fit->need(step.batch_size, request.workers, request.prefetch);
  return does_not_fit(
      request.workload, need.text_of(static_cast<double>(step.batch_size), request.workers),
      need.largest_batch == 0
          ? ""
          : fmt::format("--batch-size {}, or --accumulate in parts", need.largest_batch),
      request.memory.has_value());
}

}  // namespace

Result<EpochRun> run_epochs(const EpochRequest& request) {
  FLYBALL_CHECK(check(request));
  EpochRun result;
  result.request = request;
  if (!request.resume.empty() && request.step.phase == Phase::infer)
    return Error{Code::invalid_argument, "inference does not train, so it goes on from nothing",
                 "leave --resume out, or train with --phase train"};
  if (!request.save.empty() && request.step.phase == Phase::infer)
    return Error{Code::invalid_argument, "inference does not train, so there is nothing to keep",
                 "leave --save out, or train with --phase train"};
  result.request.before_epoch = nullptr;
  result.request.after_epoch = nullptr;
  result.request.progress = nullptr;
  result.request.interrupted = nullptr;
  result.request.sensors = {};
  result.request.context = {};
  result.started_utc = wall_clock_utc();
  result.fingerprint = library_versions();
  const bool training = request.step.phase == Phase::train;
  FLYBALL_ASSIGN(const RunData data, open_run_data(request.workload, request.data, request.size,
                                                   request.script, training));
  const DatasetPtr& dataset = data.dataset;
  StepOptions step = request.step;
  request.script.tell(step);
  if (step.threads == 0) step.threads = static_cast<int>(usable_cores());
  LoaderOptions load;
  load.workers = request.workers;
  load.prefetch = request.prefetch;
  load.shuffle = training;
  load.drop_last = request.drop_last;
  load.on_bad_sample = request.on_bad;
  if (request.cache_bytes > 0) {
    FLYBALL_ASSIGN(load.cache, SampleCache::open(dataset, {.bytes = request.cache_bytes,
                                                           .share = request.share_cache,
                                                           .data = request.data}));
  }
  FLYBALL_CHECK(check_memory(request, step, data, load.cache.get()));
  FLYBALL_ASSIGN(LoadedRun loaded, start_run(request.workload, dataset, data.collate, step, load));
  result.request.size.tokens = row_tokens(*dataset).value_or(0);
  result.dataset_kind = dataset->kind();
  result.dataset_samples = dataset->size();
  result.classes = dataset->classes();
  result.parameters = loaded.run.stepper().parameter_count();
  result.buffer_bytes = loaded.loader->buffer_bytes();
  std::vector<fs::path> files = dataset->files();
  result.dataset_bytes = bytes_of(files);
  Sampler sampler;
  FLYBALL_CHECK(start_sampling(sampler, request));
  const Disturbance others;
  if (measures_power(request.sensors))
    result.power_total = total_where(request.sensors, result.request.step.device);
  else
    result.power_gap = power_gap(request.sensors);
  Runner runner(result, request, std::move(loaded), std::move(files), sampler);
  FLYBALL_CHECK(runner.run_all());
  sampler.stop();
  result.disturbed = others.by();
  result.traces = sampler.traces();
  if (result.epochs.empty())
    return Error{Code::interrupted, "interrupted before the first minibatch", ""};
  take_energy(result);
  if (request.gpu)
    for (EpochRecord& epoch : result.epochs)
      epoch.gpu = gpu_use_between(result.traces, *request.gpu, epoch.begin_ns, epoch.end_ns);
  return result;
}

Status join_plug(EpochRun& run, Trace log) {
  std::vector<EnergyWindow> windows;
  for (const EpochRecord& epoch : run.epochs) {
    FLYBALL_ASSIGN(windows.emplace_back(), plug_energy(log, epoch.begin_ns, epoch.end_ns));
  }
  for (size_t i = 0; i < windows.size(); ++i) run.epochs[i].energy = windows[i];
  run.power_total = log.info.total;
  run.power_gap.clear();
  run.traces.push_back(std::move(log));
  return {};
}

std::optional<int> EpochRun::diverged_in() const {
  if (provenance == Provenance::simulated) return {};  // has no loss
  for (const EpochRecord& epoch : epochs)
    if (!std::isfinite(epoch.loss)) return epoch.epoch;
  return {};
}

std::optional<EpochMeans> EpochRun::later() const {
  std::vector<const EpochRecord*> counted;
  for (size_t i = 1; i < epochs.size(); ++i)
    if (epochs[i].whole) counted.push_back(&epochs[i]);
  if (counted.empty()) return {};
  const auto average = [&counted](const auto& figure) {
    std::vector<double> values;
    for (const EpochRecord* epoch : counted) values.push_back(figure(*epoch));
    return mean(values);
  };
  EpochMeans means;
  means.epochs = static_cast<int>(counted.size());
  means.first = counted.front()->epoch;
  means.last = counted.back()->epoch;
  means.e2e_s = average([](const EpochRecord& e) { return e.e2e_s; });
  means.stall_s = average([](const EpochRecord& e) { return e.stall_s; });
  means.compute_s = average([](const EpochRecord& e) { return e.compute_s; });
  means.overhead_s = average([](const EpochRecord& e) { return e.overhead_s; });
  means.minibatch_ms = average([](const EpochRecord& e) { return e.minibatch_ms; });
  means.file_bytes =
      average([](const EpochRecord& e) { return static_cast<double>(e.file_bytes()); });
  means.cache_bytes =
      average([](const EpochRecord& e) { return static_cast<double>(e.cache_bytes); });
  means.cpu_pct = average([](const EpochRecord& e) { return e.use.cpu_pct; });
  if (std::ranges::all_of(counted, [](const EpochRecord* e) { return e->energy.has_value(); })) {
    means.energy_j = average([](const EpochRecord& e) { return e.energy->energy_j; });
    means.power_w = average([](const EpochRecord& e) { return e.energy->mean_w; });
  }
  return means;
}

std::optional<double> EpochRun::mean_power_w() const {
  if (const auto means = later()) return means->power_w;
  if (epochs.empty() || !epochs.front().energy) return {};
  return epochs.front().energy->mean_w;
}

std::vector<Span> EpochRun::spans() const {
  std::vector<Span> spans;
  for (const EpochRecord& epoch : epochs) {
    spans.push_back({"epochs", fmt::format("epoch {}", epoch.epoch), epoch.begin_ns, epoch.end_ns});
    for (size_t i = 0; i < epoch.minibatches.size(); ++i) {
      const MinibatchRecord& minibatch = epoch.minibatches[i];
      const auto compute = static_cast<int64_t>(minibatch.compute_ms * 1e6);
      const auto stall = static_cast<int64_t>(minibatch.stall_ms * 1e6);
      const int64_t step = minibatch.end_ns - compute;
      spans.push_back({"stall", "stall", step - stall, step});
      spans.push_back({"compute", fmt::format("step {}", i), step, minibatch.end_ns});
      if (minibatch.worker >= 0)
        spans.push_back({fmt::format("loader worker {}", minibatch.worker),
                         fmt::format("fetch {}", i), minibatch.fetch_begin_ns, minibatch.ready_ns});
    }
  }
  return spans;
}

}  // namespace flyball
