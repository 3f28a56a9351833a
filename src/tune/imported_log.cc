#include "tune/imported_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/os/file_version.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/trace_export.h"
#include "tune/logged_power.h"

namespace flyball {
namespace {

// Equal logs are taken once.
std::string fingerprint_of(std::string_view text) {
  return fmt::format("tegrastats log of {} bytes, content {:016x}", text.size(),
                     content_hash(text));
}

Json figures_json(const Trace& trace) {
  double low = trace.samples.front().value, high = low, sum = 0;
  for (const Sample& sample : trace.samples) {
    low = std::min(low, sample.value);
    high = std::max(high, sample.value);
    sum += sample.value;
  }
  return {{"name", trace.info.name},
          {"unit", trace.info.unit},
          {"total", trace.info.total.empty() ? Json() : Json(trace.info.total)},
          {"samples", trace.samples.size()},
          {"mean", sum / static_cast<double>(trace.samples.size())},
          {"min", low},
          {"max", high}};
}

// The samples, too. Times in s since 1970, or since the first line.
Json stored_json(const TegrastatsLog& log, Json document) {
  const double offset_s = log.timed ? static_cast<double>(wall_minus_monotonic_ns()) * 1e-9 : 0;
  for (size_t i = 0; i < log.traces.size(); ++i) {
    Json times = Json::array(), values = Json::array();
    for (const Sample& sample : without_repeats(log.traces[i].samples)) {
      times.push_back(std::round((static_cast<double>(sample.time_ns) * 1e-9 + offset_s) * 1e3) /
                      1e3);
      values.push_back(sample.value);
    }
    document["traces"][i]["times_s"] = std::move(times);
    document["traces"][i]["values"] = std::move(values);
  }
  return document;
}

}  // namespace

Json log_json(const TegrastatsLog& log) {
  Json traces = Json::array(), refused = Json::array();
  for (const Trace& trace : log.traces) traces.push_back(figures_json(trace));
  for (const Error& error : log.refused) refused.push_back(to_json(error));
  return {{"format", "tegrastats"},           {"lines", log.lines},
          {"skipped", log.skipped},           {"refused", refused},
          {"unknown", log.unknown},           {"timed", log.timed},
          {"module_rails", log.module_rails}, {"traces", traces}};
}

Result<Json> joined_log_json(Store& store, int64_t number, const Trace& power) {
  FLYBALL_ASSIGN(const StoredRun run, store.run(number));
  FLYBALL_ASSIGN(const auto trials, store.run_measurements(number));
  FLYBALL_ASSIGN(const auto logged, logged_trials(run, trials, power));
  Json list = Json::array();
  for (const LoggedTrial& one : logged) {
    const Measurement& m = one.trial->measurement;
    list.push_back({{"id", one.trial->id},
                    {"config", all_settings(m.trial)},
                    {"power_w", one.window ? Json(one.window->mean_w) : Json()},
                    {"energy_j", one.window ? Json(one.window->energy_j) : Json()},
                    {"covered_s", one.window ? Json(one.window->covered_s) : Json(0)},
                    {"stored_power_w", or_null(m.power_w())}});
  }
  return Json{{"run", number}, {"trials", list}};
}

Result<KeptLog> keep_log(Store& store, const LogImport& import, std::string_view text,
                         const TegrastatsLog& log, const Json& document) {
  const Json asked = {{"import", "tegrastats log"},
                      {"run", or_null(import.run)},
                      {"utc_offset_s", import.clock.utc_offset_s},
                      {"clock_ahead_s", import.clock.clock_ahead_s},
                      {"begin_unix_s", or_null(import.clock.begin_unix_s)},
                      {"interval_s", import.clock.interval_s}};
  const RunRequest request{import.command, asked.dump(), "unknown", fingerprint_of(text), 0};
  FLYBALL_ASSIGN(const auto runs, store.runs());
  for (const StoredRun& run : runs)
    if (run.request.fingerprint == request.fingerprint && run.request.request == request.request)
      return KeptLog{run.id, true};
  FLYBALL_ASSIGN(const int64_t run, store.add_run(request, {}, stored_json(log, document).dump()));
  return KeptLog{run, false};
}

}  // namespace flyball
