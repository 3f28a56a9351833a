#include "experiment/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/statistics.h"
#include "experiment/fingerprint.h"
#include "telemetry/sampling/plug_meter.h"

namespace flyball {
namespace {

constexpr size_t kept_losses = 500;
constexpr int quantile_steps = 50;

std::optional<double> optional_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<double>(json.get<double>());
}

/// A loss that is no number any more is null in a document.
double loss_of(const Json& json) {
  return optional_of(json).value_or(not_known);
}

Json losses_json(const std::vector<double>& losses) {
  Json list = Json::array();
  for (const double loss : losses) list.push_back(or_null(loss));
  return list;
}

Json spread_json(const Spread& s) {
  return {{"min", s.min}, {"q1", s.q1},   {"median", s.median},
          {"q3", s.q3},   {"max", s.max}, {"quantiles", s.quantiles}};
}

Spread parse_spread(const Json& json) {
  return {.min = json.at("min"),
          .q1 = json.at("q1"),
          .median = json.at("median"),
          .q3 = json.at("q3"),
          .max = json.at("max"),
          .quantiles = json.at("quantiles")};
}

Json epoch_json(const EpochFigures& e) {
  return {{"epoch", e.epoch},
          {"begin_unix_s", e.begin_unix_s},
          {"e2e_s", e.e2e_s},
          {"stall_s", e.stall_s},
          {"compute_s", e.compute_s},
          {"overhead_s", e.overhead_s},
          {"fetch_s", e.fetch_s},
          {"preprocess_s", e.preprocess_s},
          {"minibatches", e.minibatches},
          {"samples", e.samples},
          {"loss", or_null(e.loss)},
          {"cpu_pct", e.cpu_pct},
          {"peak_memory_bytes", e.peak_memory_bytes},
          {"others_cpu_pct", or_null(e.others_cpu_pct)},
          {"cached_before", or_null(e.cached_before)},
          {"cached_after", or_null(e.cached_after)},
          {"read_bytes", or_null(e.read_bytes)},
          {"disk_reads", or_null(e.disk_reads)},
          {"file_bytes", or_null(e.file_bytes)},
          {"cache_bytes", or_null(e.cache_bytes)},
          {"energy_j", or_null(e.energy_j)},
          {"power_w", or_null(e.power_w)},
          {"gpu_load_pct", or_null(e.gpu_load_pct)},
          {"gpu_mhz", or_null(e.gpu_mhz)},
          {"gpu_memory_bytes", or_null(e.gpu_memory_bytes)},
          {"minibatch_ms", spread_json(e.minibatch_ms)},
          {"stall_ms", spread_json(e.stall_ms)}};
}

EpochFigures parse_epoch(const Json& json) {
  EpochFigures e;
  e.epoch = json.at("epoch");
  e.begin_unix_s = json.at("begin_unix_s");
  e.e2e_s = json.at("e2e_s");
  e.stall_s = json.at("stall_s");
  e.compute_s = json.at("compute_s");
  e.overhead_s = json.at("overhead_s");
  e.fetch_s = json.at("fetch_s");
  e.preprocess_s = json.at("preprocess_s");
  e.minibatches = json.at("minibatches");
  e.samples = json.at("samples");
  e.loss = loss_of(json.at("loss"));
  e.cpu_pct = json.at("cpu_pct");
  e.peak_memory_bytes = json.at("peak_memory_bytes");
  e.others_cpu_pct = optional_of(json.at("others_cpu_pct"));
  e.cached_before = optional_of(json.at("cached_before"));
  e.cached_after = optional_of(json.at("cached_after"));
  e.read_bytes = optional_of(json.at("read_bytes"));
  e.disk_reads = optional_of(json.at("disk_reads"));
  if (json.contains("file_bytes")) {  // not known of earlier runs
    e.file_bytes = optional_of(json.at("file_bytes"));
    e.cache_bytes = optional_of(json.at("cache_bytes"));
  }
  e.energy_j = optional_of(json.at("energy_j"));
  e.power_w = optional_of(json.at("power_w"));
  if (json.contains("gpu_load_pct")) {  // likewise
    e.gpu_load_pct = optional_of(json.at("gpu_load_pct"));
    e.gpu_mhz = optional_of(json.at("gpu_mhz"));
    e.gpu_memory_bytes = optional_of(json.at("gpu_memory_bytes"));
  }
  e.minibatch_ms = parse_spread(json.at("minibatch_ms"));
  e.stall_ms = parse_spread(json.at("stall_ms"));
  return e;
}

std::optional<double> as_double(const std::optional<uint64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

EpochFigures epoch_figures(const EpochRecord& record, int64_t wall_minus_monotonic) {
  EpochFigures e{.epoch = record.epoch,
                 .begin_unix_s = static_cast<double>(record.begin_ns + wall_minus_monotonic) * 1e-9,
                 .e2e_s = record.e2e_s,
                 .stall_s = record.stall_s,
                 .compute_s = record.compute_s,
                 .overhead_s = record.overhead_s,
                 .fetch_s = record.fetch_s,
                 .preprocess_s = record.preprocess_s,
                 .minibatches = record.minibatch_count,
                 .samples = record.samples,
                 .loss = record.loss,
                 .cpu_pct = record.use.cpu_pct,
                 .peak_memory_bytes = record.use.peak_memory_bytes,
                 .others_cpu_pct = record.others_cpu_pct,
                 .cached_before = record.cached_before,
                 .cached_after = record.cached_after,
                 .read_bytes = as_double(record.use.read_bytes),
                 .disk_reads = as_double(record.use.disk_reads),
                 .file_bytes = static_cast<double>(record.file_bytes()),
                 .cache_bytes = static_cast<double>(record.cache_bytes)};
  if (record.energy) {
    e.energy_j = record.energy->energy_j;
    e.power_w = record.energy->mean_w;
  }
  take_gpu(e, record.gpu);
  std::vector<double> times, stalls;
  for (const MinibatchRecord& minibatch : record.minibatches) {
    times.push_back(minibatch.e2e_ms());
    stalls.push_back(minibatch.stall_ms);
  }
  e.minibatch_ms = spread_of(std::move(times));
  e.stall_ms = spread_of(std::move(stalls));
  return e;
}

// As settings_json() wrote it: an empty text and a 0 stand for "not set".
Status set_stored_setting(RunSettings& settings, const std::string& name, const Json& value) {
  if (value.is_string() && value.get<std::string>().empty()) return {};
  if (value.is_string()) return set_setting(settings, name, value.get<std::string>());
  if (value.is_number()) return set_setting(settings, name, value.get<double>());
  return Error{Code::corrupt, "setting " + name + " is neither a number nor a text", ""};
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  Spread spread;
  if (values.empty()) return spread;
  std::ranges::sort(values);
  spread.min = values.front();
  spread.q1 = quantile(values, 0.25);
  spread.median = quantile(values, 0.5);
  spread.q3 = quantile(values, 0.75);
  spread.max = values.back();
  for (int i = 0; i <= quantile_steps; ++i)
    spread.quantiles.push_back(quantile(values, static_cast<double>(i) / quantile_steps));
  return spread;
}

double Spread::at(double probability) const {
  if (quantiles.empty()) return 0;
  const double place = probability * static_cast<double>(quantiles.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, quantiles.size() - 1);
  return std::lerp(quantiles[below], quantiles[above], place - static_cast<double>(below));
}

void take_gpu(EpochFigures& epoch, const std::optional<GpuUse>& use) {
  if (!use) return;
  epoch.gpu_load_pct = use->load_pct;
  epoch.gpu_mhz = use->clock_mhz;
  epoch.gpu_memory_bytes = use->memory_bytes;
}

bool diverged(const RunFigures& run) {
  const auto no_number = [](double loss) { return !std::isfinite(loss); };
  return run.settings.phase == Phase::train && !run.losses.empty() &&
         (std::ranges::any_of(run.losses, no_number) ||
          std::ranges::any_of(run.epochs, no_number, &EpochFigures::loss));
}

RunFigures figures_of(const EpochRun& run, const RunSettings& settings, int repeat) {
  RunFigures figures{.settings = settings,
                     .repeat = repeat,
                     .started_utc = run.started_utc,
                     .dataset_bytes = static_cast<double>(run.dataset_bytes),
                     .dataset_samples = run.dataset_samples,
                     .power_total = run.power_total,
                     .power_gap = run.power_gap,
                     .disturbed = run.disturbed};
  for (const EpochRecord& epoch : run.epochs) {
    figures.epochs.push_back(epoch_figures(epoch, wall_minus_monotonic_ns()));
    for (const MinibatchRecord& minibatch : epoch.minibatches)
      if (figures.losses.size() < kept_losses) figures.losses.push_back(minibatch.loss);
  }
  return figures;
}

Json run_json(const RunFigures& run) {
  Json json{{"settings", settings_json(run.settings)},
            {"repeat", run.repeat},
            {"started_utc", run.started_utc},
            {"device", run.device},
            {"fingerprint", run.fingerprint},
            {"conditions", or_null(run.conditions)},
            {"dataset_bytes", run.dataset_bytes},
            {"dataset_samples", run.dataset_samples},
            {"power_total", run.power_total},
            {"power_gap", run.power_gap},
            {"disturbed", run.disturbed},
            {"losses", losses_json(run.losses)},
            {"epochs", Json::array()}};
  if (run.base_w) json["base_w"] = *run.base_w;
  if (run.start_ms) json["start_ms"] = *run.start_ms;
  if (!run.residency.empty()) json["residency"] = residency_json(run.residency);
  for (const EpochFigures& epoch : run.epochs) json["epochs"].push_back(epoch_json(epoch));
  return json;
}

Result<RunFigures> parse_run(const Json& json) {
  try {
    RunFigures run;
    for (const auto& [name, value] : json.at("settings").items())
      FLYBALL_CHECK(set_stored_setting(run.settings, name, value));
    run.repeat = json.at("repeat");
    run.started_utc = json.at("started_utc");
    run.device = json.value("device", "");
    run.fingerprint = json.at("fingerprint");
    if (!json.contains("conditions"))
      split_conditions(run.fingerprint, run.conditions);
    else if (!json["conditions"].is_null())
      run.conditions = json["conditions"].get<Conditions>();
    run.dataset_bytes = json.at("dataset_bytes");
    run.dataset_samples = json.at("dataset_samples");
    run.power_total = json.at("power_total");
    run.power_gap = json.at("power_gap");
    run.disturbed = json.value("disturbed", "");  // older files do not say
    for (const Json& loss : json.at("losses")) run.losses.push_back(loss_of(loss));
    if (json.contains("base_w")) run.base_w = json["base_w"].get<double>();
    if (json.contains("start_ms")) run.start_ms = json["start_ms"].get<double>();
    if (json.contains("residency")) run.residency = parse_residency(json["residency"]);
    for (const Json& epoch : json.at("epochs")) run.epochs.push_back(parse_epoch(epoch));
    if (run.epochs.empty()) return Error{Code::corrupt, "a run without epochs", ""};
    return run;
  } catch (const SortedJson::exception& error) {
    return Error{Code::corrupt, fmt::format("this is no run: {}", error.what()), ""};
  }
}

}  // namespace flyball
