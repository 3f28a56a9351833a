#include "profile/characterise/epochs_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"

namespace flyball {
namespace {

Json percent_or_null(const std::optional<double>& share) {
  return share ? Json(100 * *share) : Json(nullptr);
}

// A count of which 0 means that none was asked for.
Json over_none(int64_t count) {
  return count > 0 ? Json(count) : Json(nullptr);
}

Json request_json(const EpochRequest& request) {
  const StepOptions& step = request.step;
  return {{"workload", request.workload},
          {"phase", phase_name(step.phase)},
          {"device", step.device},
          {"data", request.data.string()},
          {"batch_size", step.batch_size},
          {"tokens", over_none(request.size.tokens)},
          {"image_size", over_none(request.size.image_size)},
          {"inputs", request.script.inputs},
          {"loss", request.script.loss.string()},
          {"loader_workers", request.workers},
          {"prefetch", request.prefetch},
          {"optimizer", optimizer_name(step.optimizer)},
          {"learning_rate", learning_rate(step)},
          {"weight_decay", weight_decay(step)},
          {"accumulate", step.accumulate},
          {"precision", precision_name(step.precision)},
          {"channels_last", step.channels_last},
          {"threads", step.threads},
          {"epochs", request.epochs},
          {"steps", over_none(request.steps)},
          {"drop_last", request.drop_last},
          {"on_bad", request.on_bad == OnBadSample::skip ? "skip" : "fail"},
          {"save", request.save.string()},
          {"resume", request.resume.string()},
          {"cache_bytes", request.cache_bytes > 0 ? Json(request.cache_bytes) : Json(nullptr)},
          {"seed", step.seed}};
}

Json cache_json(const std::optional<CacheState>& cache) {
  if (!cache) return nullptr;
  return {{"size_bytes", cache->size_bytes},
          {"held_bytes", cache->held_bytes},
          {"held_samples", cache->held_samples},
          {"memory_bytes", cache->memory_bytes},
          {"shared", cache->shared},
          {"joined", cache->joined},
          {"users", cache->users},
          {"note", cache->note}};
}

Json use_json(const ResourceUse& use) {
  return {{"cpu_s", use.cpu_s},
          {"cpu_pct", use.cpu_pct},
          {"memory_bytes", use.memory_bytes},
          {"peak_memory_bytes", use.peak_memory_bytes},
          {"read_bytes", or_null(use.read_bytes)},
          {"read_chars", or_null(use.read_chars)},
          {"disk_reads", or_null(use.disk_reads)},
          {"disk_read_bytes", or_null(use.disk_read_bytes)}};
}

Json figures_json(const std::map<std::string, double>& figures) {
  Json json = Json::object();
  for (const auto& [name, value] : figures) json[name] = or_null(value);
  return json;
}

/// Inference has no loss.
Json epoch_json(const EpochRecord& epoch, Phase phase) {
  const MinibatchRecord& first = epoch.first();
  Json json{{"epoch", epoch.epoch},
            {"minibatches", epoch.minibatch_count},
            {"samples", epoch.samples},
            {"skipped", epoch.skipped},
            {"e2e_s", epoch.e2e_s},
            {"stall_s", epoch.stall_s},
            {"compute_s", epoch.compute_s},
            {"overhead_s", epoch.overhead_s},
            {"fetch_s", epoch.fetch_s},
            {"preprocess_s", epoch.preprocess_s},
            {"minibatch_ms", epoch.minibatch_ms},
            {"loss", phase == Phase::train ? or_null(epoch.loss) : Json(nullptr)},
            {"figures", figures_json(epoch.figures)},
            {"first",
             {{"e2e_ms", first.e2e_ms()},
              {"stall_ms", first.stall_ms},
              {"compute_ms", first.compute_ms}}},
            {"sample_bytes", epoch.bytes},
            {"file_bytes", epoch.file_bytes()},
            {"cache_bytes", epoch.cache_bytes}};
  json.update(use_json(epoch.use));
  json["cached_before_pct"] = percent_or_null(epoch.cached_before);
  json["cached_after_pct"] = percent_or_null(epoch.cached_after);
  json["energy"] = energy_json(epoch.energy);
  json["gpu"] = gpu_json(epoch.gpu);
  return json;
}

Json means_json(const std::optional<EpochMeans>& means) {
  if (!means) return nullptr;
  return {{"epochs", means->epochs},           {"e2e_s", means->e2e_s},
          {"stall_s", means->stall_s},         {"compute_s", means->compute_s},
          {"overhead_s", means->overhead_s},   {"minibatch_ms", means->minibatch_ms},
          {"cpu_pct", means->cpu_pct},         {"file_bytes", means->file_bytes},
          {"cache_bytes", means->cache_bytes}, {"energy_j", or_null(means->energy_j)},
          {"mean_w", or_null(means->power_w)}};
}

}  // namespace

Json energy_json(const std::optional<EnergyWindow>& energy) {
  if (!energy) return nullptr;
  return {{"energy_j", energy->energy_j},
          {"edge_j", energy->edge_j},
          {"noise_percent", or_null(100 * energy->noise)},
          {"rectangle_j", energy->rectangle_j},
          {"mean_w", energy->mean_w},
          {"covered_s", energy->covered_s},
          {"gap_s", energy->gap_s},
          {"samples", energy->samples},
          {"distinct_updates", energy->distinct_updates}};
}

Json gpu_json(const std::optional<GpuUse>& gpu) {
  if (!gpu) return nullptr;
  return {{"index", gpu->gpu},
          {"load_pct", or_null(gpu->load_pct)},
          {"clock_mhz", or_null(gpu->clock_mhz)},
          {"memory_bytes", or_null(gpu->memory_bytes)}};
}

Json epochs_json(const EpochRun& run) {
  Json json{{"request", request_json(run.request)},
            {"provenance", provenance_name(run.provenance)},
            {"started_utc", run.started_utc},
            {"fingerprint", run.fingerprint},
            {"dataset",
             {{"kind", run.dataset_kind},
              {"samples", run.dataset_samples},
              {"classes", run.classes},
              {"bytes", run.dataset_bytes}}},
            {"parameters", run.parameters},
            {"buffer_bytes", run.buffer_bytes},
            {"cache", cache_json(run.cache)},
            {"power_total", run.power_total},
            {"power_gap", run.power_gap}};
  json["epochs"] = Json::array();
  for (const EpochRecord& epoch : run.epochs)
    json["epochs"].push_back(epoch_json(epoch, run.request.step.phase));
  json["later"] = means_json(run.later());
  json["skipped"] = run.skipped;
  json["bad_samples"] = Json::array();
  for (const BadSample& bad : run.bad_samples)
    json["bad_samples"].push_back({{"sample", bad.index}, {"reason", bad.error.message}});
  const std::string far = outlying_epochs(run);
  json["outlying"] = far.empty() ? Json(nullptr) : Json(far);
  json["diverged_in"] = or_null(run.diverged_in());
  json["stopped"] = run.stopped;
  json["disturbed"] = run.disturbed.empty() ? Json(nullptr) : Json(run.disturbed);
  return json;
}

// Beyond the median by five standard deviations, as the median absolute deviation tells them, and
// by half of it: equal epochs have hardly a deviation.
std::string outlying_epochs(const EpochRun& run) {
  const auto time_of_minibatch = [](const EpochRecord& epoch) {
    return epoch.e2e_s / static_cast<double>(epoch.minibatch_count);
  };
  std::vector<double> times, deviations, seconds;
  for (const EpochRecord& epoch : run.epochs) {
    times.push_back(time_of_minibatch(epoch));
    seconds.push_back(epoch.e2e_s);
  }
  const double usual = median(times);
  for (const double time : times) deviations.push_back(std::abs(time - usual));
  const double limit = usual + std::max(5 * 1.4826 * median(deviations), usual);
  std::vector<std::string> far;
  for (const EpochRecord& epoch : run.epochs)
    if (time_of_minibatch(epoch) > limit)
      far.push_back(fmt::format("epoch {} took {:.3g} s", epoch.epoch, epoch.e2e_s));
  if (far.empty() || run.epochs.size() < 3) return "";
  return fmt::format("{}, far beyond the others (median {:.3g} s)", join(far, ", "),
                     median(seconds));
}

std::string describe(const EpochRequest& request) {
  const StepOptions& step = request.step;
  std::string text = fmt::format("batch {}, {} workers", step.batch_size, request.workers);
  if (request.workers > 0) text += fmt::format(", prefetch {}", request.prefetch);
  if (step.phase == Phase::train) text += fmt::format(", {}", optimizer_name(step.optimizer));
  if (step.phase == Phase::train && step.accumulate > 1)
    text += fmt::format(" over {} parts of each minibatch", step.accumulate);
  text += fmt::format(", {}{}, {} threads on {}", precision_name(step.precision),
                      step.channels_last ? " channels-last" : "", step.threads, step.device);
  return text;
}

}  // namespace flyball
